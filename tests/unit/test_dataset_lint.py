"""The check finds each fault of a dataset, and the bundled one has none."""

import pytest

from research_eval.cli.dataset import _WorldView
from research_eval.dataset import Case, Fact, Hit, lint_cases, load_cases
from research_eval.experiment.bundled import bundled_experiment
from research_eval.world import load_world

A, B, GONE = "https://a.example/", "https://b.example/", "https://gone.example/"


class TinyWeb:
    """Two pages that can be read and one that cannot."""

    def __init__(self):
        self.pages = {A: "the tower is 12 metres high", B: "nothing of the kind", GONE: None}

    def page_name(self, url):
        return url if url in self.pages else None

    def text(self, url):
        return self.pages.get(url)

    def hits(self, query, limit):
        if "tower" not in query:
            return []
        return [Hit(A, "the tower"), Hit(GONE, "it cost 99 crowns")][:limit]


def case(**changes):
    fields = {
        "id": "t",
        "question": "how high is the tower",
        "expected": (Fact(value="12 metres"),),
        "sources": (A,),
    }
    return Case.model_validate(fields | changes)


def messages(*cases, web=None):
    return [finding.message for finding in lint_cases(cases, web)]


def test_a_sound_case_has_no_findings():
    assert messages(case(), web=TinyWeb()) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"question": "is the tower 12 metres high"}, "gives the answer away"),
        ({"sources": ("ftp://a.example/",)}, "is no http or https URL"),
        ({"canaries": (A,)}, "both a source and a canary"),
    ],
)
def test_a_fault_that_shows_without_a_web_is_found(changes, words):
    assert any(words in message for message in messages(case(**changes)))


def test_a_case_without_facts_is_found_among_cases_that_have_some():
    bare = case(id="u", question="Who built the mill", expected=())

    assert messages(case(), bare) == ["is answerable but expects no fact, unlike others"]
    assert messages(bare) == []


def test_the_same_question_twice_is_found():
    assert messages(case(), case(id="u", question="How high is  the tower")) == [
        "asks the same question as t"
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"question": "how high"}, "finds nothing"),
        ({"sources": (A, "https://c.example/")}, "does not exist"),
        ({"sources": (A, B)}, "does not find https://b.example/"),
        ({"sources": (A, B)}, "https://b.example/ states none"),
        ({"sources": (GONE,)}, "cannot be read"),
        ({"sources": ()}, "names no source"),
        ({"expected": (Fact(value="13 metres"),)}, "no source states '13 metres'"),
        ({"canaries": (B,)}, "is a page that can be read"),
        ({"answerable": False}, "is not answerable, yet"),
        ({"answerable": False, "sources": (GONE,)}, "no snippet states '12 metres'"),
    ],
)
def test_a_fault_that_the_web_shows_is_found(changes, words):
    assert any(words in message for message in messages(case(**changes), web=TinyWeb()))


def test_an_answer_that_only_a_snippet_tells_is_sound():
    told = case(answerable=False, sources=(GONE,), expected=(Fact(value="99 crowns"),))

    assert messages(told, web=TinyWeb()) == []


def test_every_bundled_case_is_answerable_where_it_says_so():
    cases = load_cases(bundled_experiment().with_name("cases.jsonl"))

    assert lint_cases(cases, _WorldView(load_world())) == []
