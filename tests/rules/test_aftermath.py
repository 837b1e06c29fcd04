"""A hand as it was at the call: moves after it, some of them half seen, are taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kemps_rules.judgement import Judgement

Judge = Callable[..., Judgement]

CALL = "20000 C says kemps\n"


@pytest.mark.parametrize(
    ("after", "ruling"),
    [
        ("20500 A takes ?\n21000 A shows Ks Kh Kd Kc Js", "right"),  # the jack lay in the centre at the call
        ("20500 A takes ?\n21000 A shows Ks Kh Kd Kc 8s", "cannot_verify"),  # whichever of the five it was
        ("20500 A takes ?\n21000 A shows Ks Kh 7d 7c 8s", "wrong"),
        ("20500 ? takes ?\n21000 A shows Ks Kh Kd Kc Js", "right"),
        ("20500 A lays Kd\n20600 A takes ?\n21000 A shows Ks Kh Kc Js", "right"),
        ("20500 A takes ?\n20600 A lays 2h\n21000 A shows Ks Kh Kd ?", "cannot_verify"),
        ("20500 A takes ?\n21000 A shows Ks Js Kc …", "cannot_verify"),
        ("20500 A takes ?\n21000 A shows Ks Kh Kd Kc Js …", "right"),
        ("20500 A takes ?\n21000 A shows Ks Kh Kd Js ?", "cannot_verify"),
        ("20500 B takes ?\n20600 B lays 8h\n20700 A takes ?\n21000 A shows Ks Kh Kd Kc 8h", "right"),
        ("20500 A lays ?\n20600 A takes 9c\n20700 D takes Kd\n21000 A shows Ks Kh Kc 9c", "cannot_verify"),
        ("20500 A lays ?\n20600 A takes ?\n20700 C takes ?\n20800 C lays Kd\n21000 A shows Ks Kh Kc Js",
         "cannot_verify"),
        ("20500 ? lays 8c\n20600 ? takes 2h\n21000 A shows Ks Kh Kd Kc", "right"),  # not A's, who has no two
        ("20500 ? takes Js\n20600 ? lays Kd\n21000 A shows Ks Kh Kc Js", "right"),  # the jack tells whose
    ],
)  # fmt: skip
def test_a_move_after_the_call_that_was_half_seen_is_taken_back(
    judged: Judge, after: str, ruling: str
) -> None:
    verdict = judged(CALL + after).deals[0].verdict
    assert verdict is not None
    assert verdict.ruling == ruling


@pytest.mark.parametrize(
    "after",
    [
        "20500 ? lays Js\n20600 ? takes Js\n21000 A shows Ks Kh Kd Kc",
        "20500 ? lays ?\n20600 A takes ?\n21000 A shows Ks Kh Kd Kc 9c",
    ],
)
def test_a_card_laid_after_the_call_may_have_been_anybodys_until_then(judged: Judge, after: str) -> None:
    verdict = judged("10000 ? takes Js\n" + CALL + after).deals[0].verdict
    assert verdict is not None
    assert verdict.ruling == "cannot_verify"


def test_nothing_is_said_of_a_hand_after_too_many_half_seen_moves(judged: Judge) -> None:
    moves = "".join(f"{20100 + 20 * n} A takes ?\n{20110 + 20 * n} A lays ?\n" for n in range(8))
    verdict = judged(CALL + moves + "21000 A shows 8s Kh 7d 6c").deals[0].verdict
    assert verdict is not None
    assert verdict.ruling == "cannot_verify"


def test_the_reason_tells_that_a_hand_was_a_quad_only_at_the_call(judged: Judge) -> None:
    after = "20500 A takes 2h\n20600 A lays Kd\n21000 A shows Ks Kh Kc 2h"
    verdict = judged(CALL + after).deals[0].verdict
    assert verdict is not None
    assert verdict.reason == "A shows K♠ K♥ K♣ 2♥, by the ledger four of a rank at the call"
