"""A run opens as a pandas table with one row a trial."""

from research_eval.report.frame import trials_frame
from tests.replay.conftest import research_eval


def test_a_run_is_a_table_with_one_row_a_trial(tmp_path):
    research_eval("run", "bundled", "--limit", "2", "--configuration", "honest", "--configuration",
                  "fabricator-fetch-only", "--no-report", "--out", "run", cwd=tmp_path)  # fmt: skip

    frame = trials_frame(tmp_path / "run")

    assert len(frame) == 2 * 2 * 3
    passed = frame.groupby("configuration")["first_attempt_passed"].mean()
    assert passed.to_dict() == {"honest": 1.0, "fabricator-fetch-only": 0.0}
