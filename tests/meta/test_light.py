"""What judges answers runs with the dependencies of the light distribution alone."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHOLE, LIGHT = (
    tomllib.loads((ROOT / name).read_text("utf-8"))["project"]
    for name in ("pyproject.toml", "core/pyproject.toml")
)
BLOCK = """
import importlib.abc, sys

class Block(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Block())
sys.argv = ["research-eval", *{words!r}]
from research_eval.cli.main import main
main()
"""
MODULE_OF = {
    "faust-cchardet": "cchardet",
    "genai-prices": "genai_prices",
    "pydantic-ai-slim": "pydantic_ai",
    "pyyaml": "yaml",
    "vcrpy": "vcr",
}


def names(project):
    return {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}


def blocked():
    left_out = names(WHOLE) - names(LIGHT)
    return {MODULE_OF.get(name, name) for name in left_out} | {"numpy", "openai"}


def test_both_distributions_have_one_version_and_the_same_bounds():
    assert set(LIGHT["dependencies"]) <= set(WHOLE["dependencies"])
    assert {
        key: LIGHT[key] for key in ("version", "requires-python", "scripts", "entry-points")
    } == {key: WHOLE[key] for key in ("version", "requires-python", "scripts", "entry-points")}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--help"], 0, "Usage:"),
        (["gate", "check", "answer.md", "--ledger", "ledger.json"], 1, "unknown_url"),
        (["gate", "test", "answers.jsonl"], 0, "1 answers, 0 not as expected"),
        (["import", "openai", "log.jsonl", "--out", "r"], 0, "kept: 1 trials"),
    ],
    ids=lambda words: " ".join(words[:2]) if isinstance(words, list) else None,
)
def test_what_judges_answers_needs_nothing_else(tmp_path, words, code, says):
    answer = "It is 4 (https://a.example/x)."
    (tmp_path / "answer.md").write_text(answer)
    (tmp_path / "ledger.json").write_text('{"fetched": ["https://a.example/"]}')
    line = {"id": "a", "text": answer, "fetched": ["https://a.example/x"], "expected": "pass"}
    (tmp_path / "answers.jsonl").write_text(json.dumps(line) + "\n")
    said = [{"role": "user", "content": "When?"}, {"role": "assistant", "content": answer}]
    (tmp_path / "log.jsonl").write_text(json.dumps({"messages": said}) + "\n")
    program = BLOCK.format(blocked=blocked(), words=words)

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False
    )

    assert (done.returncode, done.stderr.count("Traceback")) == (code, 0), done.stderr
    assert says in done.stdout
