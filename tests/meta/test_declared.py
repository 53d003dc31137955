"""Each fact is declared once, and documented: measures, kinds of violation, endings, commands, forms of JSON."""

import json
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest

from research_eval.cassette.verdict import ReplayWord
from research_eval.errors import ModelErrorKind
from research_eval.experiment.settings import ExperimentSettings
from research_eval.gate.kind import KINDS
from research_eval.report.aggregate import STATUSES
from research_eval.report.junit import OUTCOMES
from research_eval.report.score_section import SECTIONS
from research_eval.schema import ENDINGS, Evidence, LedgerFidelity, Record, SourceState, TrialStatus
from research_eval.schema.record import records_in
from research_eval.scorer import BUILT_IN, no_pages, registry, score_trial
from research_eval.scorer.measure import measures_of
from research_eval.tool.search.protocol import SearchErrorKind
from tests.story import Story

ROOT = Path(__file__).resolve().parents[2]
MADE = {"commands.md", "settings.md"}
"""Pages that hold every name anyhow; the names must stand in a page that somebody wrote."""
DOCS = "\n".join(
    path.read_text("utf-8")
    for path in sorted((ROOT / "docs").glob("*.md"))
    if path.name not in MADE
)
PLACED = {*SECTIONS, "violations-first", "violations-final", "work", "failover", "usage", ""}


MADE = {
    script: runpy.run_path(str(ROOT / "docs" / script))
    for script in ("measures.py", "reference.py")
}


@pytest.mark.parametrize("script", MADE)
def test_the_pages_that_are_made_from_declarations_are_up_to_date(script):
    made = MADE[script]["contents"]()

    assert [path.name for path, text in made.items() if path.read_text("utf-8") != text] == []


def trials():
    told = Story().search("https://a.example/1").fetch("https://b.example/2", "The toll is 4.50.")
    told.fetch("https://c.example/3", error="http_404")
    yield told.answer("It is 4 (https://b.example/2). Confidence: 80 %").answer("No.").record()
    for status in get_args(TrialStatus):
        yield Story().answer("It is 4 (https://b.example/2).").record(status=status)
    yield Story().record(status="error", error="timeout")


@pytest.mark.parametrize("name", BUILT_IN)
def test_whatever_a_scorer_gives_it_has_declared(name):
    declared = registry()
    own = {one.name for one in measures_of(BUILT_IN[name])}
    for trial in trials():
        for score in score_trial(None, trial, no_pages, [BUILT_IN[name]]):
            found = declared.find(score.name)
            assert found is not None, score.name
            assert score.name in own or any(score.name.startswith(one[:-1]) for one in own)


def test_every_measure_says_in_full_what_it_is():
    for one in registry():
        assert one.heading
        assert one.meaning.endswith(".")
        assert one.section in PLACED, one.name
        assert f"`{one.name}`" in DOCS


def test_no_name_is_declared_twice_and_no_two_columns_of_a_section_have_one_heading():
    names = [one.name for scorer in BUILT_IN.values() for one in measures_of(scorer)]
    columns = [(one.section, one.heading) for one in registry() if one.section]

    assert len(names) == len(set(names))
    assert len(columns) == len(set(columns))


def test_few_measures_come_first():
    assert 8 <= sum(one.headline for one in registry()) <= 11


@pytest.mark.parametrize("kind", KINDS.values(), ids=str)
def test_every_kind_of_violation_is_told_to_model_and_reader(kind):
    assert kind.label
    assert kind.words
    assert kind.meaning.endswith(".")
    assert registry().find(f"first_{kind.name}").better == kind.better
    assert kind.better == ("neither" if kind.name == "fetch_blocked" else "lower")
    assert registry().find(f"final_{kind.name}").heading == kind.label


def test_every_ending_is_declared_for_scores_reports_and_ci():
    assert set(get_args(TrialStatus)) == set(ENDINGS)
    assert set(STATUSES) == set(OUTCOMES)
    for status in STATUSES:
        assert f"`{status}`" in DOCS
    for status, ending in ENDINGS.items():
        assert f"| `{status}` | {ending.meaning}" in DOCS


def commands(group: click.Command, words: tuple[str, ...] = ()):
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield from commands(group.get_command(context, name), (*words, name))
    else:
        yield words, group


def test_every_command_is_named_in_the_documents():
    told = (ROOT / "README.md").read_text("utf-8") + DOCS
    missing = [words for words, _ in commands(entry()) if words[-1] not in told]

    assert missing == []


def entry() -> click.Group:
    import research_eval.cli.main as module

    return next(one for one in vars(module).values() if isinstance(one, click.Group))


def test_a_json_form_says_its_version():
    for name in MADE["measures.py"]["SCHEMAS"]:
        text = (ROOT / "docs" / "schemas" / f"{name}.json").read_text("utf-8")
        assert json.loads(text)["properties"]["schema_version"]["const"] == 1


def settings(record: type[Record], at: str = "") -> Iterator[str]:
    """Return the names of all settings below a record, with their place."""
    for name, field in record.model_fields.items():
        yield f"{at}{name}"
        for one in records_in(field.annotation):
            yield from settings(one, f"{at}{name}.")


@pytest.mark.parametrize("setting", sorted(settings(ExperimentSettings)))
def test_every_setting_of_an_experiment_is_documented(setting):
    name = setting.rpartition(".")[2]
    shown = rf"`(?:[\w.]+\.)?{name}`|\b{name} *=|\.{name}\b|\b{name}\.|\[{name}\]"

    assert re.search(shown, DOCS)


WORDS = {
    "kinds of model errors": ModelErrorKind,
    "kinds of search errors": SearchErrorKind,
    "outcomes of a replay": ReplayWord,
    "what a ledger rests on": LedgerFidelity,
    "states of a source": SourceState,
    "evidence of a page": Evidence,
}


@pytest.mark.parametrize("what", WORDS)
def test_every_word_of_a_record_is_documented(what):
    assert [word for word in get_args(WORDS[what]) if f"`{word}`" not in DOCS] == []
