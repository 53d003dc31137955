"""A dry run tells what a run would meet: its size, its price, and what would stop it."""

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from research_eval.cassette import ModelCassettes
from research_eval.cli.main import main
from research_eval.clock import VirtualClock
from research_eval.schema import TrialKey

EXPERIMENT = """name = "mine"
dataset = "cases.jsonl"
cassettes = "c"
[defaults]
search.chain = ["{provider}"]
[[configuration]]
name = "small"
model = "{model}"
"""

Ask = Callable[..., tuple[int, str]]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "SERPER_API_KEY"):
        monkeypatch.setenv(name, "a-key-that-opens-nothing")
    line = {"id": "a", "question": "When?"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(line), encoding="utf-8")

    def run(*words: str, provider: str = "serper", model: str = "openai:gpt-5-mini"):
        text = EXPERIMENT.format(provider=provider, model=model)
        (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
        argv = ["research-eval", "record", "mine.toml", "--dry-run", *words]
        monkeypatch.setattr(sys, "argv", argv)
        with pytest.raises(SystemExit) as caught:
            main()
        return int(caught.value.code or 0), capsys.readouterr().out

    return run


def test_a_sound_experiment_is_counted_and_priced(ask: Ask, tmp_path: Path) -> None:
    code, said = ask()

    assert code == 0
    assert "1 cases x 1 configurations x 1 trials = 1 trials" in said
    assert "what searches cost is not in it" in said
    assert "refused" not in said
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"provider": "serpper"}, "unknown search 'serpper'; did you mean 'serper'?; known: "),
        ({"model": "opneai:gpt-5-mini"}, "opneai"),
        ({"provider": "searxng"}, "needs an `endpoint`"),
    ],
)
def test_what_would_be_refused_is_said_and_fails(ask: Ask, settings: dict, words: str) -> None:
    code, said = ask(**settings)

    assert code == 2
    assert "would be refused: " in said
    assert words in said


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "SERPER_API_KEY"])
def test_a_missing_key_is_said_and_fails_nothing(
    ask: Ask, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(name)
    code, said = ask()

    assert code == 0
    assert "would be refused: " in said
    assert name in said


def test_a_limit_below_the_estimate_is_said(ask: Ask) -> None:
    assert "--max-cost $0.0010 would end the run" in ask("--max-cost", "0.001")[1]
    assert "would end the run" not in ask("--max-cost", "50")[1]
    assert "cannot hold" in ask("--max-cost", "5", model="openai:my-own-model")[1]


def refused(request: httpx2.Request) -> httpx2.Response:
    raise httpx2.ConnectError("no server", request=request)


async def record(folder: Path, case: str, answer: Callable[..., httpx2.Response]) -> None:
    """Record a trial of one call."""
    cassettes = ModelCassettes(folder, mode="record")
    session = cassettes.session(TrialKey(case, "small", 1), VirtualClock())
    transport = session.transport(httpx2.MockTransport(answer))
    with suppress(httpx2.ConnectError):
        async with httpx2.AsyncClient(transport=transport) as client:
            await client.post("https://m.example/v1", json={"messages": [case]})
    session.close()
    cassettes.close()


@pytest.mark.parametrize(
    ("words", "sent", "kept", "left"),
    [
        ([], 2, 1, 1),
        (["--stale"], 3, 1, 0),
        (["--case", "kept"], 0, 1, 0),
        (["--case", "absent"], 1, 0, 0),
    ],
    ids=str,
)
def test_only_what_would_be_sent_is_counted_and_priced(
    ask: Ask, tmp_path: Path, words: list[str], sent: int, kept: int, left: int
) -> None:
    names = ("kept", "absent", "damaged", "refused")
    lines = (json.dumps({"id": name, "question": f"When, {name}?"}) for name in names)
    (tmp_path / "cases.jsonl").write_text("\n".join(lines), encoding="utf-8")
    place = tmp_path / "c" / "small"
    for case in ("kept", "damaged", "refused"):
        answer = refused if case == "refused" else lambda _: httpx2.Response(200, json={})
        asyncio.run(record(place, case, answer))
    (place / "damaged" / "1.json").write_bytes(b"<<<<<<< ours")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.json")}

    code, said = ask(*words)

    total = sent + kept + left
    assert code == 0
    assert f"estimate for {sent} trials: {6 * sent} calls" in said
    assert f"estimate for all: {6 * sent} calls" in said
    assert (f"recorded: {kept} of {total} trials" in said) == bool(kept)
    assert (f"{left} of {total} trials have no usable recording" in said) == bool(left)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == before
