"""The leaflets' three worked examples, as the four of them tell them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kemps_rules.judgement import Judgement
from kemps_rules.verdict import Verdict

pytestmark = pytest.mark.golden
Judge = Callable[..., Judgement]


def only_verdict(judgement: Judgement) -> Verdict:
    (deal,) = judgement.deals
    assert deal.verdict is not None
    return deal.verdict


def test_kemps_on_four_nines_gives_the_rivals_a_letter(judged: Judge) -> None:
    judgement = judged(
        """8400 A takes 9c
        9300 A lays Kc
        {"kind":"gesture","at_ms":39000,"until_ms":39400,"seat":"A","gesture":"brow_raise","strength":0.7}
        41250~120 C says kemps
        44000 A shows 9s 9h 9d 9c"""
    )
    verdict = only_verdict(judgement)
    assert (verdict.ruling, verdict.by, verdict.hands, verdict.letters_to) == ("right", "C", ("A",), ("BD",))
    assert judgement.letters == {"AC": "", "BD": "K"}
    assert judgement.flags == ()


def test_kemps_before_the_king_is_laid_is_wrong(judged: Judge) -> None:
    judgement = judged(
        """8400 A takes 9c
        9000~120 C says kemps
        9300 A lays Kc
        12000 A shows 9s 9h 9d 9c"""
    )
    verdict = only_verdict(judgement)
    assert (verdict.ruling, verdict.letters_to) == ("wrong", ("AC",))
    assert judgement.letters == {"AC": "K", "BD": ""}


def test_stop_kemps_without_a_quad_costs_its_own_pair(judged: Judge) -> None:
    judgement = judged(
        """41250~120 B says stop A
        44000 A shows 9s 9h 9d 4c
        44500 C shows 2s 3h 6d 8d"""
    )
    verdict = only_verdict(judgement)
    assert (verdict.ruling, verdict.hands, verdict.letters_to) == ("wrong", ("A", "C"), ("BD",))
    assert judgement.letters == {"AC": "", "BD": "K"}


def test_the_answer_has_the_shape_of_the_contract(judged: Judge) -> None:
    answer = judged(
        """8400 A takes 9c
        9300 A lays Kc
        16000 A passes C
        41250 C says kemps
        44000 A shows 9s 9h 9d 9c"""
    ).as_json()
    assert answer["letters"] == {"AC": "", "BD": "K"}
    assert answer["lost"] == []
    verdict = answer["deals"][0]["verdict"]
    assert answer["deals"][0]["deal"] == 1
    assert {key: verdict[key] for key in ("ruling", "call", "by", "hands", "letters_to")} == {
        "ruling": "right",
        "call": "kemps",
        "by": "C",
        "hands": ["A"],
        "letters_to": ["BD"],
    }
    assert verdict["reason"] == "A shows 9♠ 9♥ 9♦ 9♣: four nines"
    (flag,) = [flag for flag in answer["flags"] if flag["rule"] == "R8"]
    assert (flag["at_ms"], flag["seats"]) == (16000, ["A", "C"])
    assert "without the centre" in flag["message"]
