"""No two citations of an answer share a character, however its markup is broken."""

from itertools import pairwise

from research_eval.gate import extract_citations


def test_a_destination_inside_angle_brackets_ends_what_began_before_it():
    text = '<hTTp://a href="https:\\/org/a b">x<\u2014/a>'

    citations = extract_citations(text)

    assert all(a.end <= b.start for a, b in pairwise(citations))
    assert citations[-1].form == "html"
