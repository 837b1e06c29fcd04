"""All voices, and which of three groups each is in: one to learn from, one to tune by, one to report on.

A voice is in one group only, with all its languages and styles. Of the engines, Pico and Piper are in no
other group than the last, so that one kind of recorded speech and one neural network stay unheard until then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TRAIN, TUNE, TEST = "train", "tune", "test"
GROUPS: Final = (TRAIN, TUNE, TEST)

_ESPEAK_TUNE: Final = (
    "Alicia",
    "Mario",
    "Denis",
    "f4",
    "m5",
    "klatt3",
    "edward2",
    "pablo",
    "steph2",
    "iven3",
)
_ESPEAK_TEST: Final = (
    "Andrea",
    "Hugo",
    "Gene",
    "f2",
    "m3",
    "m7",
    "klatt5",
    "linda",
    "robert",
    "victor",
    "marcelo",
    "belinda",
)
_ESPEAK_TRAIN: Final = (
    "Alex",
    "Andy",
    "Annie",
    "AnxiousAndy",
    "Diogo",
    "Gene2",
    "Henrique",
    "Jacky",
    "Lee",
    "Marco",
    "Michael",
    "Mike",
    "Nguyen",
    "RicishayMax",
    "RicishayMax3",
    "Tweaky",
    "adam",
    "anika",
    "antonio",
    "aunty",
    "benjamin",
    "boris",
    "caleb",
    "david",
    "ed",
    "edward",
    "f1",
    "f3",
    "f5",
    "fast",
    "grandma",
    "grandpa",
    "gustave",
    "iven",
    "iven2",
    "iven4",
    "john",
    "kaukovalta",
    "klatt",
    "klatt2",
    "klatt4",
    "klatt6",
    "m1",
    "m2",
    "m4",
    "m6",
    "m8",
    "max",
    "michel",
    "miguel",
    "norbert",
    "paul",
    "pedro",
    "quincy",
    "rob",
    "sandro",
    "shelby",
    "steph",
    "steph3",
    "travis",
    "announcer",
    "croak",
)


@dataclass(frozen=True, slots=True)
class Voice:
    """One speaker of one engine; ``languages`` are those whose phones or texts it is given."""

    engine: str
    name: str
    group: str
    languages: tuple[str, ...]

    @property
    def key(self) -> str:
        """Its name in files, ``engine-name``."""
        return f"{self.engine}-{self.name}"


_ALL: Final = ("en", "ru", "pt", "fr", "es")
_LATIN: Final = ("es", "pt")


def all_voices() -> tuple[Voice, ...]:
    """Every voice, those of one engine together."""
    espeak = [
        Voice("espeak", name, group, _ALL)
        for group, names in ((TRAIN, _ESPEAK_TRAIN), (TUNE, _ESPEAK_TUNE), (TEST, _ESPEAK_TEST))
        for name in names
    ]
    flite = [Voice("flite", name, group, ("en",)) for name, group in _FLITE.items()]
    festival = [Voice("festival", name, group, languages) for name, group, languages in _FESTIVAL]
    pico = [Voice("pico", name, TEST, (language,)) for name, language in _PICO.items()]
    neural = [Voice("hibari", "heart", TRAIN, ("en",)), Voice("piper", "joe", TEST, ("en",))]
    return (*espeak, *flite, *festival, *pico, *neural)


# slt also speaks as a voice of Festival's, and kal as two: each person is in one group.
_FLITE: Final = {"kal16": TRAIN, "rms": TRAIN, "slt": TRAIN, "awb": TUNE}
_FESTIVAL: Final = (
    ("kal_diphone", TRAIN, ("en",)),
    ("ked_diphone", TRAIN, ("en",)),
    ("cmu_us_slt_arctic_hts", TRAIN, ("en",)),
    ("czech_dita", TRAIN, _LATIN),
    ("czech_machac", TRAIN, _LATIN),
    ("suo_fi_lj_diphone", TRAIN, _LATIN),
    ("lp_diphone", TRAIN, ("es", "pt")),
    ("pc_diphone", TRAIN, ("es", "pt")),
    ("czech_krb", TUNE, _LATIN),
    ("upc_ca_ona_hts", TUNE, ("es", "pt")),
    ("czech_ph", TEST, _LATIN),
    ("hy_fi_mv_diphone", TEST, _LATIN),
)
_PICO: Final = {"en-GB": "en", "en-US": "en", "de-DE": "en", "es-ES": "es", "fr-FR": "fr", "it-IT": "es"}
