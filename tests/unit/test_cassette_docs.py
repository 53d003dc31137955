"""The page about recordings: every test that it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_lesson_names_a_test_that_exists():
    page = (ROOT / "docs" / "cassettes.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*cassette*.py")
        for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))
    }

    assert len(named) >= 45
    assert named - defined == set()
