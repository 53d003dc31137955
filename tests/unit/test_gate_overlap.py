"""No two citations of an answer share a character, however its markup is broken."""

from itertools import pairwise

import pytest

from research_eval.gate import extract_citations


def test_a_destination_inside_angle_brackets_ends_what_began_before_it():
    text = '<hTTp://a href="https:\\/org/a b">x<\u2014/a>'

    citations = extract_citations(text)

    assert all(a.end <= b.start for a, b in pairwise(citations))
    assert citations[-1].form == "html"


@pytest.mark.parametrize(
    "text",
    [
        "(https://archive.example\r\n/web/2020/https://river.example/a). See https://b.example/x",
        '(https://a.example/x\nhref="https://b.example/y")',
        "(https://a.example/x\n/y=https://b.example/z) https://c.example (https://d.example\n/e)",
    ],
)
def test_a_url_that_a_line_break_cuts_overlaps_nothing(text: str) -> None:
    citations = extract_citations(text)

    assert len(citations) >= 2
    assert all(a.end <= b.start for a, b in pairwise(citations))
