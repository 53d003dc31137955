"""A real run over servers that send everything: each trial ends in one record, as its class must."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "hostile_wire.py"


@pytest.mark.sockets
def test_a_part_of_the_hostile_wire_comes_to_what_it_must():
    """The whole, with 2,000 trials, is run by hand."""
    words = ("--trials", "68", "--seed", "5", "--light", "--quick")

    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words], capture_output=True, text=True, check=False
    )

    assert done.stdout.splitlines()[-1:] == ["68 trials over 17 channels, 0 complaints"], (
        done.stdout[-3000:] + done.stderr[-1000:]
    )
    assert done.returncode == 0
