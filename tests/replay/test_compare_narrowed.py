"""A run of fewer configurations meets the same recordings, and `compare` knows it."""

import json

from research_eval.schema import RunRecord
from tests.replay.conftest import research_eval

SMALL = ("run", "calibration", "--limit", "2", "--no-report", "--out")
FAIL = ("--fail-on", "regression")


def test_what_a_narrowed_run_lost_counts_as_worse(tmp_path):
    both = ("--configuration", "honest", "--configuration", "mixed-30")
    research_eval(*SMALL, "base", *both, cwd=tmp_path)
    research_eval(*SMALL, "head", "--configuration", "mixed-30", cwd=tmp_path)
    base, head = (
        RunRecord.model_validate_json((tmp_path / name / "manifest.json").read_text())
        for name in ("base", "head")
    )

    assert base.cassettes_sha256 != head.cassettes_sha256
    assert head.recordings.digest(["honest", "mixed-30"]) == base.cassettes_sha256
    assert head.recordings.digest(["mixed-30"]) == head.cassettes_sha256
    compare = ("compare", "base", "head", "--configuration", "mixed-30", *FAIL)
    compare = (*compare, "--coverage-floor", "0.5")
    assert "RESULT: NO REGRESSION" in research_eval(*compare, cwd=tmp_path).stdout
    journal = tmp_path / "head/trials.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-2]))
    done = research_eval(*compare, "--json", cwd=tmp_path, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["comparisons"][0]["measures"][0]["lost"] == 2
