"""The support check keeps to its floors, and the package says of it what was measured."""

import subprocess
import sys
from pathlib import Path

from research_eval.scorer.support_error import MEASURED
from research_eval.scorer.worthiness import MEASURED as WORTHINESS

ROOT = Path(__file__).parents[2]


def test_the_support_check_keeps_to_its_floors():
    command = [sys.executable, str(ROOT / "benchmarks" / "support.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    assert result.returncode == 0, result.stderr
    assert "own claims: 118 claims" in result.stdout


def test_the_measured_errors_stand_in_the_documentation():
    text = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8")

    for errors in MEASURED:
        for level in (errors.red, errors.green, errors.undecided):
            assert f"| {level.supported} | {level.unsupported} |" in text


def test_the_measured_agreement_on_check_worthiness_stands_in_the_documentation():
    text = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8")
    shares = (WORTHINESS.precision, WORTHINESS.recall)
    row = [str(WORTHINESS.total), f"{WORTHINESS.agreement:.0%}", f"{WORTHINESS.kappa:.2f}"]

    assert " | ".join([*row, *(f"{share:.0%}" for share in shares)]).replace("%", " %") in text
