"""A benchmark runs on a fixed folder of documents: no key, no recording, no network."""

import json

from tests.replay.conftest import research_eval

EXPERIMENT = """
name = "own"
dataset = "cases.jsonl"
cassettes = "cassettes"
[[configuration]]
name = "honest"
model = "reference:honest"
search.chain = ["corpus:pages"]
"""


def test_a_folder_of_documents_is_the_web_of_an_experiment(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/lenz.md").write_text("# Lenz\n\nThe port of Lenz opened in 1907.\n")
    case = {"id": "a", "question": "When did the port of Lenz open?", "expected": [{"value": "1907"}],
            "sources": ["https://corpus.invalid/lenz.md"]}  # fmt: skip
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n")
    (tmp_path / "e.toml").write_text(EXPERIMENT)

    research_eval("run", "e.toml", "--no-report", "--out", "run", cwd=tmp_path)

    trial = json.loads((tmp_path / "run/trials.jsonl").read_text())
    assert trial["status"] == "completed"
    assert [source["url"] for source in trial["references"]] == ["https://corpus.invalid/lenz.md"]
    assert not (tmp_path / "cassettes").exists()
