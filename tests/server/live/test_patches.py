from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kemps_server.live.patches import patch_between, patched, without_nulls

SCALARS = st.one_of(st.booleans(), st.integers(-3, 3), st.text("ab", max_size=2))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(st.one_of(st.none(), inner), max_size=3),
        st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    ),
    max_leaves=12,
)
STATES = st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4)


@given(STATES, STATES)
def test_the_patch_between_two_states_leads_from_one_to_the_other(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    assert patched(old, patch_between(old, new)) == new


@given(STATES)
def test_nothing_changed_is_an_empty_patch(state: dict[str, Any]) -> None:
    assert patch_between(state, state) == {}


def test_true_is_another_value_than_one() -> None:
    assert patch_between({"a": 1}, {"a": True}) == {"a": True}


def test_nulls_in_lists_stay_because_a_card_that_was_not_read_is_one() -> None:
    assert without_nulls({"centre": ("9c", None), "dealer": None}) == {"centre": ["9c", None]}
