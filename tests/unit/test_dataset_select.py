"""Filters choose what they say, and never silently nothing."""

import pytest

from research_eval.dataset import Case, select_cases
from research_eval.errors import DatasetError

CASES = (
    Case(id="a", question="1", tags=("x",)),
    Case(id="b", question="2", tags=("x", "y")),
    Case(id="c", question="3", tags=("z",)),
)


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({}, "abc"),
        ({"ids": ["c", "a"]}, "ac"),
        ({"tags": ["y", "z"]}, "bc"),
        ({"ids": ["a", "b"], "tags": ["y"]}, "b"),
        ({"limit": 2}, "ab"),
        ({"limit": 99}, "abc"),
        ({"ids": [], "tags": ()}, "abc"),
    ],
)
def test_cases_are_chosen_in_the_datasets_order(filters, ids):
    assert "".join(case.id for case in select_cases(CASES, **filters)) == ids


@pytest.mark.parametrize(
    ("filters", "words"),
    [
        ({"ids": ["d"]}, "unknown case 'd'; known: a, b, c"),
        ({"tags": ["w"]}, "unknown tag 'w'; known: x, y, z"),
        ({"ids": ["a"], "tags": ["z"]}, "no case has both"),
        ({"limit": 0}, "limit 0"),
    ],
)
def test_a_filter_that_chooses_nothing_is_an_error(filters, words):
    with pytest.raises(DatasetError, match=words):
        select_cases(CASES, **filters)
