"""A gate of one's own names its own kinds of violation: one file, and every place that shows them knows."""

import json

import pytest

from research_eval.errors import ConfigError
from research_eval.gate import load_gate
from research_eval.gate.kind import KINDS, kinds_of
from research_eval.ledger import SourceRegistry
from research_eval.report.aggregate import build_view
from research_eval.report.html import render_html
from research_eval.report.junit import render_junit
from research_eval.report.markdown import render_markdown
from research_eval.report.pack import unpack
from research_eval.schema import RunRecord
from research_eval.scorer import no_pages, registry, score_trial, scorers_for
from research_eval.scorer.outcome import gate_outcome

GATE = """
from research_eval.schema import Verdict, Violation, ViolationKind

class Strict:
    id = "strict@1"
    kinds = (
        ViolationKind(name="stale_page", label="stale page",
                      meaning="Answers with a page that is older than a year.",
                      words="{url}: this page is older than a year."),
    )

    def check(self, answer, ledger):
        found = () if "fresh" in answer else (Violation(kind=KIND, message="too old"),)
        return Verdict(gate=self.id, violations=found)

    def corrective(self, verdict):
        return "again"
"""


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """Write the gate's one file and load it as `--set gate=strict_gate:Strict` does."""

    def load(kind="stale_page"):
        name = f"strict_gate_{kind}"
        (tmp_path / f"{name}.py").write_text(GATE.replace("=KIND", f"={kind!r}"))
        monkeypatch.chdir(tmp_path)
        return load_gate(f"{name}:Strict")

    return load


def test_a_kind_that_a_gate_declares_is_ruled_with(gate):
    verdict = gate().check("Old.", SourceRegistry())

    assert [one.kind for one in verdict.violations] == ["stale_page"]
    assert gate().check("fresh", SourceRegistry()).passed


def test_a_kind_that_nobody_declared_is_refused_with_the_way_out(gate):
    with pytest.raises(ConfigError, match="does not declare the kind of violation 'blocked_host'"):
        gate("blocked_host").check("Old.", SourceRegistry())


def test_reports_scores_and_scripts_show_it_by_its_declaration(gate, made, make_folder):
    kinds = kinds_of(gate())
    record = made.manifest(
        [made.configuration("alpha", violation_kinds=kinds)], ["case-1", "case-2"]
    )
    trials = [
        made.trial([made.checked(1, "See", "stale_page")], case_id="case-1"),
        made.trial([made.checked(1, "fresh")], case_id="case-2"),
    ]
    known = registry(record)
    bound = scorers_for(record, [gate_outcome])
    view = build_view(record, trials, score=lambda t: score_trial(None, t, no_pages, bound))
    measure = known.of("first_stale_page")

    assert (measure.better, measure.unit, measure.heading) == ("lower", "yes_no", "stale page")
    labels = [*(kind.label for kind in KINDS.values()), "stale page"]
    assert f"| configuration | {' | '.join(labels)} |" in render_markdown(view)
    found = {v.kind: (v.first.k, v.first.n) for v in view.configurations[0].violations}
    assert found == {**dict.fromkeys(KINDS, (0, 2)), "stale_page": (1, 2)}
    assert b"no attempt passed the gate: stale_page" in render_junit(view)
    page = render_html(view, make_folder(record, trials), plots={})
    packed = page.partition('id="rows">')[2].partition("</script>")[0]
    assert {"name": "stale_page", "label": "stale page", "meaning": kinds[0].meaning} in unpack(
        packed
    )["kinds"]


def test_the_manifest_keeps_what_a_gate_declares_and_nothing_where_it_does_not(gate, made):
    own = made.configuration("alpha", violation_kinds=kinds_of(gate()))
    plain = made.configuration("beta")
    text = made.manifest([own, plain], ["case-1"]).model_dump_json()
    alpha, beta = json.loads(text)["configurations"]

    assert alpha["violation_kinds"][0]["name"] == "stale_page"
    assert "violation_kinds" not in beta
    assert (
        RunRecord.model_validate_json(text).configurations[0].violation_kinds == own.violation_kinds
    )
