"""Hands at a table against the truth: seats, reaches, contacts, near misses, hidden hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from kemps_server.bench.people_kept import Answer
from kemps_server.bench.people_table_figures import TableResult, table_figures
from kemps_server.bench.people_table_truth import (
    SeenHand,
    TableSpan,
    TableTruth,
    own_truth,
    shared_table,
    shared_truth,
)
from kemps_server.bench.people_tables import Sights
from kemps_vision.people.hand_seats import SeatedHand
from kemps_vision.people.landmarks import HandPose
from kemps_vision.zones import parse_config

NO_SIGHTS = {"right": 0, "unclear": 0, "wrong": 0, "nobody": 0, "swaps": []}


def told(kind: str, seats: str, at_ms: int, until_ms: int, score: float = 0.9) -> dict[str, Any]:
    """``?`` stands for a seat that is not known."""
    names = [None if seat == "?" else seat for seat in seats]
    row = {"kind": kind, "seats": names, "at_ms": at_ms, "until_ms": until_ms, "score": score}
    return {**row, "reason": "hands touch or overlap"}


def result(truth: TableTruth, *rows: dict[str, Any], script: str = "fouls") -> TableResult:
    answer: Answer = {"told": list(rows), "sights": NO_SIGHTS}
    return TableResult(f"{script}-1", script, truth, answer)


def span(kind: str, seats: str, at_ms: int, until_ms: int) -> TableSpan:
    return TableSpan(kind, tuple(seats), at_ms, until_ms)


def test_a_reach_counts_with_its_seat_only() -> None:
    reaches = [span("reach", seat, at, at + 400) for seat, at in (("A", 1000), ("B", 3000), ("C", 5000))]
    truth = TableTruth(60_000, reaches=reaches, over=reaches)
    figures = table_figures(
        [
            result(
                truth,
                told("hand_reached", "A", 900, 1500),
                told("hand_reached", "?", 2900, 3500),
                told("hand_reached", "D", 5000, 5600),
            )
        ]
    )
    assert figures["reaches"]["found"]["right"] == 1
    assert figures["reaches"]["found"]["of"] == 3
    assert figures["reaches"]["seen_without_seat"] == 1
    assert figures["reaches"]["false"] == {"false": 1, "minutes": 1.0, "a_minute": 1.0}
    whats = [line["what"] for line in figures["failures"]]
    assert whats == ["reach without seat", "reach missed", "reach made up"]


def test_a_contact_is_found_by_its_own_pair_and_one_of_others_is_made_up() -> None:
    truth = TableTruth(60_000, contacts=[span("clasp", "AB", 1000, 2000), span("brush", "CD", 5000, 5200)])
    figures = table_figures(
        [
            result(
                truth,
                told("hands_touched", "BA", 1100, 1900, 0.95),
                told("hands_touched", "BC", 1100, 1900, 0.55),
                told("hands_touched", "C?", 5000, 5200, 0.65),
            )
        ]
    )
    contacts = figures["contacts"]
    assert contacts["touches_and_clasps"]["share"] == 1.0
    assert contacts["by_kind"]["brush"]["right"] == 0, "with an open seat it is not found ..."
    assert contacts["false"]["false"] == 1, "... nor is it false"
    assert [row["right"] for row in contacts["calibration"]["bins"]] == [0, 1, 1]


def test_a_near_miss_that_is_called_is_no_contact_and_counts_as_wrong() -> None:
    truth = TableTruth(
        60_000, near=[span("near_miss", "AB", 1000, 2000), span("near_miss", "CD", 4000, 5000)]
    )
    figures = table_figures([result(truth, told("hands_touched", "AB", 1500, 1700))])
    assert figures["near_misses"]["not_called"]["right"] == 1
    assert figures["contacts"]["false"]["false"] == 1


def test_hands_that_are_hidden_for_less_than_half_a_second_need_not_be_told() -> None:
    truth = TableTruth(
        60_000, hidden=[span("below_table", "A", 1000, 1400), span("below_table", "B", 3000, 4000)]
    )
    figures = table_figures([result(truth, told("hand_hidden", "B", 3100, 4200))])
    assert figures["hidden"]["found"]["of"] == 1
    assert figures["hidden"]["found"]["share"] == 1.0
    assert figures["hidden"]["false"]["false"] == 0


def test_a_hand_told_hidden_that_is_half_out_of_the_picture_is_not_made_up_but_one_in_plain_sight_is() -> (
    None
):
    left, right = (SeenHand("A", (x, 0, x + 9, 9)) for x in (0, 50))
    frames = [(at_ms, [left, right] if at_ms < 2000 else [left]) for at_ms in range(0, 4000, 100)]
    truth = TableTruth(60_000, hands=frames)
    assert (
        table_figures([result(truth, told("hand_hidden", "A", 2200, 3000))])["hidden"]["false"]["false"] == 0
    )
    assert (
        table_figures([result(truth, told("hand_hidden", "A", 200, 1000))])["hidden"]["false"]["false"] == 1
    )


def test_figures_are_told_for_each_script() -> None:
    reach = span("reach", "A", 1000, 1400)
    one = result(TableTruth(60_000, reaches=[reach], over=[reach]), script="reaches")
    other = result(TableTruth(120_000), script="idle")
    figures = table_figures([one, other])
    assert figures["minutes"] == 3.0
    assert figures["by_script"]["reaches"]["reaches"]["found"]["of"] == 1
    assert figures["by_script"]["idle"]["contacts"]["false"] == {"false": 0, "minutes": 2.0, "a_minute": 0.0}


def hand(track: int, seat: str | None, x: float) -> SeatedHand:
    pose = HandPose(np.full((21, 3), x, np.float32), 0.9, True)
    return SeatedHand(track=track, pose=pose, seat=seat, share=1.0)


def test_one_wrong_sight_is_no_swap_but_three_in_a_row_are() -> None:
    there = [SeenHand("A", (0, 0, 100, 100)), SeenHand("B", (400, 400, 500, 500))]
    sights = Sights()
    for at_ms, said in enumerate(["B", "A", "B", "B", "B", "B", None]):
        sights.see(at_ms, [hand(7, said, 50.0)], there)
    assert (sights.right, sights.wrong, sights.unclear) == (1, 5, 1)
    assert sights.swaps == [(4, "B", "A")]


def test_a_hand_between_two_players_may_be_either_s_and_one_where_no_hand_is_is_nobody_s() -> None:
    there = [SeenHand("A", (0, 0, 100, 100)), SeenHand("B", (10, 10, 110, 110))]
    sights = Sights()
    sights.see(0, [hand(1, "B", 50.0), hand(2, "A", 800.0)], there)
    assert (sights.right, sights.wrong, sights.nobody) == (1, 0, 1)


def test_the_truth_of_our_clips_names_what_a_contact_belongs_to() -> None:
    truth = own_truth(
        {
            "duration_ms": 9000,
            "acts": [
                {
                    "kind": "clasp",
                    "hands": ["AR", "BL"],
                    "at_ms": 1000,
                    "until_ms": 3000,
                    "core_ms": [1500, 2500],
                },
                {"kind": "reach", "hands": ["CR"], "at_ms": 4000, "until_ms": 5000, "core_ms": [4300, 4600]},
            ],
            "contacts": [
                {"seats": ["A", "B"], "at_ms": 1400, "until_ms": 2600},
                {"seats": ["A", "C"], "at_ms": 4300, "until_ms": 4400},
            ],
            "hidden": [
                {"seat": seat, "side": "R", "why": "below_table", "at_ms": 5000, "until_ms": 6000}
                for seat in "CD"
            ],
            "over_centre": [{"hand": "CR", "at_ms": 4200, "until_ms": 4700}],
            "frames": [
                {
                    "at_ms": 0,
                    "hands": [
                        {"seat": "A", "box": [0, 0, 9, 9], "in_frame": 1.0, "visible": 0.9},
                        {"seat": "B", "box": [0, 0, 9, 9], "in_frame": 1.0, "visible": 0.1},
                    ],
                },
                # C's hand goes under the table, too, but by way of the picture's border.
                *(
                    {
                        "at_ms": at_ms,
                        "hands": [
                            {**row, "box": [0, 0, 9, 9], "side": "R", "visible": 0.0}
                            for row in (
                                {"seat": "C", "in_frame": 0.2 if at_ms == 4900 else 1.0, "hidden": covered},
                                {"seat": "D", "in_frame": 1.0, "hidden": covered},
                            )
                        ],
                    }
                    for at_ms, covered in ((4800, 0.1), (4900, 0.6), (5000, 1.0))
                ),
            ],
        }
    )
    assert [one.kind for one in truth.contacts] == ["clasp", "brush"]
    assert truth.reaches == [span("reach", "C", 4300, 4600)]
    assert truth.hidden == [span("below_table", "D", 5000, 6000)]
    assert [seen.seat for _, hands in truth.hands for seen in hands] == ["A"]


def other_clip() -> dict[str, Any]:
    """A clip of the other renderer: four cards in the middle, four players round it."""
    places = {"A": (640, 680), "B": (60, 360), "C": (640, 40), "D": (1220, 360)}
    hands = [
        {"seat": seat, "box": [x - 20, y - 20, x + 20, y + 20], "in_frame": 1.0, "visible": 1.0}
        for seat, (x, y) in places.items()
    ]
    over = [{**hands[0], "box": [620, 340, 660, 380]}]
    return {
        "duration_ms": 2000,
        "slots": [
            {"nominal_quad": [[x, 320], [x + 40, 320], [x + 40, 400], [x, 400]]} for x in (540, 600, 660, 720)
        ],
        "events": [
            {"type": "take", "seat": "A", "t0_ms": 100, "lifted_ms": 500},
            {"type": "hover", "seat": "B", "t0_ms": 800, "t1_ms": 1200},
            {"type": "near_miss", "seats": ["A", "B"], "t0_ms": 900, "t1_ms": 1300},
            {"type": "hands_touch", "seats": ["C", "D"], "t0_ms": 1400, "t1_ms": 1800},
            {"type": "under_table", "seat": "D", "t0_ms": 0, "t1_ms": 2000, "hidden_ms": [700, 1500]},
        ],
        "measured_contacts": [{"hands": ["CL", "DR"], "t0_ms": 1500, "t1_ms": 1700}],
        "frames": [*({"t_ms": at_ms, "hands": hands} for at_ms in range(30)), {"t_ms": 500, "hands": over}],
    }


def test_the_truth_of_another_renderer_s_clips_says_the_same_in_its_own_words() -> None:
    truth = shared_truth(other_clip())
    assert truth.reaches == [span("take", "A", 500, 500), span("hover", "B", 1000, 1000)]
    assert truth.contacts == [span("hands_touch", "CD", 1500, 1700)]
    assert truth.near == [span("near_miss", "AB", 900, 1300)]
    assert truth.hidden == [span("below_table", "D", 700, 1500)]
    assert truth.over == [span("over", "A", 500, 500)]


def test_its_table_has_the_centre_round_the_cards_and_the_seats_beyond_the_hands() -> None:
    config = parse_config(shared_table(other_clip()))
    zones = config.zones(1280, 720)
    assert zones.is_in_centre((560.0, 330.0))
    assert not zones.is_in_centre((300.0, 360.0))
    assert {seat: zones.seat_towards(at) for seat, at in zones.seats.items()} == {s: s for s in "ABCD"}
    assert zones.seats["A"][1] > 720
