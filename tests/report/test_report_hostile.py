"""Text from pages, models and other people's runs is data in every report, never a command."""

import csv
import io
from types import SimpleNamespace

import pytest

from research_eval.analysis.output import ScoreOutput
from research_eval.cli.score_text import every_measure
from research_eval.report.markdown import escape_markdown
from research_eval.report.scores_csv import render_csv
from research_eval.schema.display import visible

STEERING = "\x1b[31m\x1b]0;title\x07\x00\x9b\u202e\u2066"


def test_nothing_steers_a_terminal_or_turns_text_around() -> None:
    assert visible(f"a{STEERING}b\n\u202f\xa0") == visible(f"a{STEERING}b") + "\n\u202f\xa0"
    for text in (visible(STEERING), escape_markdown(STEERING)):
        assert not set(text) & set("\x1b\x07\x00\x9b\u202e\u2066")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\t=1", " =1", "\r=1", "\n=1"])
def test_no_cell_of_words_is_a_formula(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {text: text, "tags": (text, "b"), "number": -1.5}
    monkeypatch.setattr("research_eval.report.scores_csv.COLUMNS", ())
    view = SimpleNamespace(rows=SimpleNamespace(columns={k: [v] for k, v in facts.items()}))
    header, cells = csv.reader(io.StringIO(render_csv(view), newline=""))  # type: ignore[arg-type]  # what is read of a view
    found = dict(zip(header, cells, strict=True))
    assert found.pop("number") == "-1.5"
    assert all(cell.startswith("'") for pair in found.items() for cell in pair if cell != "tags")


def test_the_table_of_scores_steers_no_terminal() -> None:
    found = ScoreOutput(
        experiment=STEERING, dataset_is_synthetic=False, coverage_floor=0.9, configurations=()
    )
    assert not set("\n".join(every_measure(found))) & set("\x1b\x07\x00\x9b\u202e\u2066")
