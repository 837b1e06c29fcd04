from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kemps_rules.events import KINDS
from kemps_rules.wire import event_from_json
from kemps_server.page.narration import Narrator
from kemps_server.page.story import Story
from kemps_server.page.words import load_words

StoryOf = Callable[[str], Story]
SEATS = '{"A":"Anna","B":"Boris","C":"Carla","D":"Dmitri"}'
HEADER = f'{{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{SEATS}}}\n'
CENTRE = '{"kind":"centre_turned","at_ms":1000,"cards":["9c","2h","5d","Js"]}\n'


def test_the_table_of_a_step_is_the_table_after_its_event(story_of: StoryOf, game_text: str) -> None:
    story = story_of(game_text)
    after = {step.line: step for step in story.steps}
    assert after[2].centre == ("9c", "2h", "5d", "Js") == after[2].fresh
    assert after[3].hands["A"].known == ("9c",)
    assert (after[3].hands["A"].size_text, after[3].hands["A"].owes) == ("5", "lay")
    assert (after[4].hands["A"].size_text, after[4].hands["A"].owes) == ("4", "")
    assert after[4].fresh == ("Kc",)
    assert after[8].centre == ()
    assert after[8].aside == 4
    assert after[12].hands["A"].is_shown


def test_a_card_taken_by_nobody_knows_who_makes_every_size_unsure(story_of: StoryOf, game_text: str) -> None:
    step = next(step for step in story_of(game_text).steps if step.line == 5)
    assert step.loose == ("2h",)
    assert {hand.size_text for hand in step.hands.values()} == {"4–5"}
    assert step.seats == ()


def test_a_name_in_a_journal_turns_no_line_round(story_of: StoryOf) -> None:
    header = HEADER.replace("Anna", "\u202eAnna").replace("Boris", "\u200b")
    story = story_of(header + '{"kind":"called","at_ms":2000,"seat":"A","call":"kemps"}\n')
    assert [seat.name for seat in story.seats] == ["Anna", "B", "Carla", "Dmitri"]
    assert load_words("en").say(story.steps[-1].text) == "Anna calls Kemps"


def test_lines_are_told_in_the_order_of_time(story_of: StoryOf) -> None:
    late = '{"kind":"card_taken","at_ms":5000,"seat":"B","card":"2h"}\n'
    late += '{"kind":"card_taken","at_ms":2000,"seat":"A","card":"9c"}\n'
    story = story_of(HEADER + CENTRE + late)
    assert [step.at_ms for step in story.steps] == [1000, 2000, 5000]
    assert story.steps[1].centre == ("2h", "5d", "Js")


def test_a_correction_stands_at_the_moment_of_what_it_corrects(story_of: StoryOf) -> None:
    more = '{"kind":"card_taken","at_ms":2000,"seat":"A","card":"2h"}\n'
    more += '{"kind":"corrected","at_ms":9000,"event":2,"to":{"card":"9c"},"by":"ref","why":"glare"}\n'
    story = story_of(HEADER + CENTRE + more)
    assert story.steps[1].hands["A"].known == ("9c",)
    assert load_words("en").say(story.steps[2].text) == "ref corrects line 3: glare"


def test_what_a_person_took_out_is_shown_struck_through_and_changes_nothing(story_of: StoryOf) -> None:
    more = '{"kind":"card_taken","at_ms":2000,"seat":"A","card":"2h"}\n'
    more += '{"kind":"retracted","at_ms":9000,"event":2,"by":"ref","why":"hand only"}\n'
    story = story_of(HEADER + CENTRE + more)
    assert story.steps[1].is_retracted
    assert story.steps[1].centre == ("9c", "2h", "5d", "Js")
    assert not story.spans


def test_a_verdict_comes_with_its_claim_hands_reason_and_letters(story_of: StoryOf, game_text: str) -> None:
    story = story_of(game_text)
    verdict = story.deals[0].verdict
    assert verdict is not None
    assert (verdict.ruling, verdict.letters_to) == ("right", ("BD",))
    assert load_words("en").say(verdict.claim) == "Carla calls Kemps"
    assert load_words("ru").say(verdict.claim) == "Carla объявляет Кемпс"
    assert "four nines" in load_words("en").say(verdict.because)
    assert [(shown.name, shown.cards) for shown in verdict.shown] == [("Anna", ("9s", "9h", "9d", "9c"))]
    assert story.steps[verdict.step or 0].kind == "called"
    assert [(pair.id, pair.letters, pair.standing) for pair in story.pairs] == [
        ("AC", "", "leads"),
        ("BD", "K", ""),
    ]


def test_a_persons_ruling_is_told_with_name_and_reason(story_of: StoryOf, game_text: str) -> None:
    ruled = '{"kind":"ruled","at_ms":40000,"event":11,"ruling":"wrong","by":"ref","why":"a mirror"}\n'
    verdict = story_of(game_text + ruled).deals[0].verdict
    assert verdict is not None
    assert verdict.ruling == "wrong"
    assert load_words("fr").say(verdict.because) == "Décidé par ref : a mirror"


def test_doubt_is_told_when_there_is_some(story_of: StoryOf) -> None:
    taken = (
        '{"kind":"card_taken","at_ms":2000,"seat":"A","card":"9c","uncertainty_ms":283,"confidence":0.87}\n'
    )
    assert [step.doubt for step in story_of(HEADER + CENTRE + taken).steps] == ["", "± 0.3 s · 87%"]


def test_cards_not_read_in_a_shown_hand_are_none(story_of: StoryOf, game_text: str) -> None:
    text = game_text.replace('"9d","9c"],"unread":0', '"9c"],"unread":1')
    verdict = story_of(text).deals[0].verdict
    assert verdict is not None
    assert verdict.ruling == "cannot_verify"
    assert verdict.shown[0].cards == ("9s", "9h", "9c", None)


def test_flags_lead_to_the_step_of_their_event_and_keep_a_persons_decision(
    story_of: StoryOf, game_text: str
) -> None:
    target = '{"rule":"R10","events":[7]}'
    review = f'{{"kind":"reviewed","at_ms":40000,"target":{target},"decision":"dismiss","by":"ref"}}\n'
    story = story_of(game_text + review)
    flag = next(flag for flag in story.flags if flag.rule == "R10")
    assert flag.step is not None
    assert story.steps[flag.step].kind == "hand_hidden"
    assert flag.decision == "dismiss"


def test_a_swap_is_one_span_in_either_order_and_a_half_stays_a_half(story_of: StoryOf) -> None:
    lines = [
        '{"kind":"card_taken","at_ms":2000,"seat":"A","card":"9c"}',
        '{"kind":"card_laid","at_ms":3000,"seat":"A","card":"4c"}',
        '{"kind":"card_laid","at_ms":4000,"seat":"B","card":"6c"}',
        '{"kind":"card_taken","at_ms":4500,"seat":"B","card":"2h"}',
        '{"kind":"card_taken","at_ms":6000,"seat":"C","card":"5d"}',
    ]
    story = story_of(HEADER + CENTRE + "\n".join(lines) + "\n")
    found = [(span.sort, span.seat, span.from_ms, span.to_ms) for span in story.spans]
    assert found == [("swap", "A", 2000, 3000), ("swap", "B", 4000, 4500), ("take", "C", 6000, 6000)]


def test_a_card_laid_long_before_a_take_is_not_its_other_half(story_of: StoryOf) -> None:
    lines = [
        '{"kind":"card_laid","at_ms":2000,"seat":"A","card":"4c"}',
        '{"kind":"card_taken","at_ms":9000,"seat":"A","card":"9c"}',
        '{"kind":"card_laid","at_ms":10000,"seat":"A","card":"6c"}',
    ]
    story = story_of(HEADER + CENTRE + "\n".join(lines) + "\n")
    assert [(span.sort, span.from_ms) for span in story.spans] == [("lay", 2000), ("swap", 9000)]


def test_halves_that_could_belong_to_anybody_are_not_joined(story_of: StoryOf) -> None:
    lines = [
        '{"kind":"card_taken","at_ms":2000,"seat":null,"card":"9c"}',
        '{"kind":"card_taken","at_ms":2100,"seat":null,"card":"2h"}',
        '{"kind":"card_laid","at_ms":3000,"seat":null,"card":"4c"}',
        '{"kind":"card_laid","at_ms":3100,"seat":null,"card":"6c"}',
    ]
    sorts = [span.sort for span in story_of(HEADER + CENTRE + "\n".join(lines) + "\n").spans]
    assert "swap" not in sorts or sorts.count("take") == 1
    assert len(sorts) >= 3


def test_the_centre_over_time_shows_whole_centres_with_what_is_new(story_of: StoryOf, game_text: str) -> None:
    looks = story_of(game_text).centres
    assert [look.fresh for look in looks] == [
        ("9c", "2h", "5d", "Js"),
        ("Kc",),
        ("4c",),
        (),
        ("Td", "3h", "5c", "Qs"),
    ]
    assert all(len(look.cards) in {0, 4} for look in looks)


def test_time_not_observed_counts_overlaps_once(story_of: StoryOf) -> None:
    lines = [
        '{"kind":"not_observed","at_ms":1000,"until_ms":3000,"camera":"table"}',
        '{"kind":"not_observed","at_ms":2000,"until_ms":4000,"camera":"faces"}',
    ]
    assert story_of(HEADER + "\n".join(lines) + "\n").unobserved_ms == 3000


def test_points_are_shown_instead_of_letters_where_the_house_counts_them(
    story_of: StoryOf, game_text: str
) -> None:
    story = story_of(game_text.replace('"rules":"leaflet"', '"rules":"points"'))
    assert [pair.points for pair in story.pairs] == [1, 0]
    assert story.pairs[0].standing == "leads"


def test_a_game_of_eight_has_four_pairs(story_of: StoryOf) -> None:
    seats = ",".join(f'"{seat}":"P{seat}"' for seat in "ABCDEFGH")
    header = f'{{"kind":"game_opened","at_ms":0,"version":1,"rules":"leaflet","seats":{{{seats}}}}}\n'
    story = story_of(header + CENTRE)
    assert [pair.id for pair in story.pairs] == ["AE", "BF", "CG", "DH"]


def test_a_journal_of_a_header_alone_is_a_story_too(story_of: StoryOf) -> None:
    story = story_of(HEADER)
    assert (story.steps, story.deals, story.duration_ms) == ((), (), 0)


MINIMAL = {
    "seat": "A",
    "card": "9c",
    "cards": ["9c"],
    "dealer": "A",
    "call": "kemps",
    "gesture": "wink_left",
    "seats": ["A", "B"],
    "from": "A",
    "to": "C",
    "event": 0,
    "ruling": "right",
    "why": "call",
    "target": {"rule": "R1", "events": [1]},
    "decision": "confirm",
    "as": {"kind": "dry", "at_ms": 5},
    "by": "ref",
}


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"game_opened"}))
def test_each_kind_of_event_is_told_in_words(kind: str) -> None:
    data = {"kind": kind, "at_ms": 5, **MINIMAL}
    if kind == "corrected":
        data["to"] = {"card": "2h"}
    told = Narrator({"A": "Anna", "B": "Boris"}).tell(event_from_json(data), deal=1)
    text = load_words("en").say(told)
    assert told.key != "event.unknown"
    assert "{" not in text


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            {"kind": "noted", "target": {"rule": "R10", "events": [5]}, "by": "Ida", "why": "ask Bo"},
            "Ida notes: ask Bo",
        ),
        ({"kind": "noted", "why": "ask Bo"}, "someone notes: ask Bo"),
        (
            {"kind": "card_conflict", "card": "5d", "seen": "6d", "camera": "table"},
            "What was known as 5♦ looks like 6♦",
        ),
        ({"kind": "card_conflict", "card": None, "seen": 7}, "What was known as an unread card looks like"),
        ({"kind": "card_conflict", "card": "5d", "seen": "5d", "lies_twice": True}, "5♦ lies there twice"),
        (
            {
                "kind": "reviewed",
                "target": {"rule": "call", "events": [7]},
                "decision": "hold",
                "by": "Ida",
            },
            "Ida on the call in line 8: on hold",
        ),
        (
            {
                "kind": "reviewed",
                "target": {"rule": "reading", "events": [7]},
                "decision": "confirm",
                "by": "Ida",
            },
            "Ida on the reading in line 8: confirmed",
        ),
    ],
)
def test_what_the_desk_writes_and_what_readings_contradict_is_told_in_words(
    event: dict[str, Any], text: str
) -> None:
    told = Narrator({"A": "Anna"}).tell(event_from_json({"at_ms": 5} | event), deal=1)
    assert load_words("en").say(told).startswith(text)
