"""A fact is found in every spelling that says the same, and in nothing else."""

import pytest
from pydantic import ValidationError

from research_eval.dataset import Case, Fact


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1,482", "there were 1,482 of them"),
        ("1,482", "there were 1482 of them"),
        ("1,482", "es waren 1.482 Stück"),
        ("1,482", "il y en avait 1\u202f482"),
        ("1.864 Kilogramm", "wiegt 1 864 Kilogramm"),
        ("14 May 1907", "on 14  May\n1907, at noon"),
        ("Ottoline Brack", "OTTOLINE BRACK designed it"),
        ("24.6メートル", "高さは２４．６メートル"),
        ("第3水曜日", "燃えないごみは第3水曜日です"),
        ("384k", 'frame_limit = "384k"'),
        ("£85", "pays £85."),
        ("1,18 euros", "1,18 euros el metro"),
        ("2,846", "2,846 914"),
        ("517", "| 517 | 493 |"),
        ("402", "in 2013 402 more came"),
        ("1,016", "approx.1,016 mm in 2014"),
        ("1.234.567", "1,234,567 crowns"),
        ("37", "37 people, and 2,100 sheep"),
        ("5", "from 3-5 degrees"),
        ("1907", "in mid-1907"),
        ("1907", "1905\u20131907"),
        ("5", "no.5"),
        ("-5", "it was -5 degrees"),
        ("1907", "opened --1907"),
    ],
)
def test_a_fact_is_found_in_spellings_that_say_the_same(value, text):
    assert Fact(value=value).is_in(text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("482", "there were 1,482 of them"),
        ("1,482", "there were 11,482 of them"),
        ("1,482", "there were 1,4820 of them"),
        ("148", "14,8 percent"),
        ("3", "version 3.9"),
        ("9", "version 3.9"),
        ("5.7", "5.71 metres"),
        ("Harl", "Harlow"),
        ("Ember 2", "Ember 25"),
        ("£85", "£850"),
        ("5", "-5 degrees"),
        ("5", "it was \u22125 degrees"),
        ("5 km", ".5 km"),
        ("5 km", "only (.5 km) away"),
        ("37", ""),
    ],
)
def test_a_fact_is_not_found_inside_something_longer(value, text):
    assert not Fact(value=value).is_in(text)


def test_any_accepted_spelling_counts():
    fact = Fact(value="75 minutes", accept=("75 min", "an hour and a quarter"))

    assert fact.is_in("it takes an hour and a quarter")
    assert not fact.is_in("it takes an hour")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "Upper"},
        {"id": ""},
        {"question": " "},
        {"tags": ("a b",)},
        {"tags": ("a", "a")},
        {"language": "English"},
        {"expected": ({"value": ""},)},
        {"speed": 1},
    ],
)
def test_a_malformed_case_is_refused(change):
    good = {
        "id": "a",
        "question": "q?",
        "expected": ({"value": "x"},),
        "sources": ("https://a.example/",),
    }
    Case.model_validate(good)

    with pytest.raises(ValidationError):
        Case.model_validate(good | change)


@pytest.mark.parametrize(
    "fact", [" ", {"value": "7 m", "accept": [""]}, {"value": "7 m", "accept": ["\u3000"]}]
)
def test_a_blank_spelling_is_refused(fact):
    with pytest.raises(ValidationError, match="a spelling is blank"):
        Case(id="a", question="Q?", expected=(fact,))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("Case_1", "'Case_1' is not a text of lower-case .* for instance 'case-1'"),
        (7, "7 is not a text .* for instance '7'"),
        ("a\n", "for instance 'a'"),
        ("x.", "for instance 'x'"),
        ("aux", "a name that Windows gives no file"),
        ("com1", "a name that Windows gives no file"),
    ],
)
def test_an_id_that_cannot_be_one_is_refused_with_one_that_can(given, words):
    with pytest.raises(ValidationError, match=words):
        Case(id=given, question="Q?")


def test_a_tag_is_one_line():
    with pytest.raises(ValidationError, match="is not lower-case letters"):
        Case(id="a", question="Q?", tags=("x\n",))
