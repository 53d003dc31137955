"""What a renderer links in an answer that passes leads to an opened page, or is a listed exception."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import pytest

from research_eval.gate import CitationGate, SeedGate

ROOT = Path(__file__).parents[2]


def _load(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_load("mutation")
ORACLE = _load("gate_oracle")
GOLDEN = _load("gate_golden")


def _findings(gate, answers) -> tuple[list, Counter]:
    counts: Counter[str] = Counter()
    found = [one for source, text in answers for one in ORACLE.check(gate, text, source, counts)]
    return found, counts


def test_no_labelled_answer_passes_with_a_link_to_an_unopened_page() -> None:
    found, counts = _findings(CitationGate(), ORACLE.labelled())

    assert found == []
    assert counts["links"] > 700


@pytest.mark.parametrize("seed", [1, 2])
def test_no_generated_answer_passes_with_a_link_to_an_unopened_page(seed: int) -> None:
    found, counts = _findings(CitationGate(), ORACLE.generated(2500, seed))

    assert found == []
    assert counts["links"] > 2500


def test_no_template_of_an_answer_gives_more_than_a_twentieth() -> None:
    assert min(len(ORACLE.SENTENCES), len(ORACLE.FORMS), len(ORACLE.PATHS)) >= 20


def test_the_oracle_finds_the_holes_of_the_plain_gate() -> None:
    found, _ = _findings(SeedGate(), ORACLE.generated(500, 1))

    assert len(found) > 10


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("www.fab.example/x", ["http://www.fab.example/x"]),
        ("[r](//fab.example/x)", ["https://fab.example/x"]),
        ("https://ok.example。fab.example/x", ["https://ok.example.fab.example/x"]),
        ("x <base href='//fab.example/'> [r](x)", ["https://fab.example/x"]),
        ("`https://fab.example/x` [r](x) mail@fab.example", []),
    ],
)
def test_links_are_resolved_as_a_browser_does(text: str, links: list[str]) -> None:
    assert ORACLE.rendered_links(text) == links


def test_verdicts_that_change_demand_a_new_version(capsys: pytest.CaptureFixture[str]) -> None:
    sys.argv = ["gate_golden.py"]

    assert GOLDEN.main() == 0, capsys.readouterr().out


def test_a_version_whose_verdicts_change_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pinned = tmp_path / "golden.json"
    pinned.write_text(GOLDEN.PINNED.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(GOLDEN, "PINNED", pinned)
    monkeypatch.setattr(CitationGate, "corrective", lambda *_: "other words")
    monkeypatch.setattr(sys, "argv", ["gate_golden.py", "--update"])

    assert GOLDEN.main() == 1
    assert "give it a new version" in capsys.readouterr().out
