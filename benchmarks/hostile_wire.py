"""Answer a real run with everything that servers and plug-ins can send: does each trial end as it must?

    python benchmarks/hostile_wire.py                              # 2,000 trials, about 15 minutes
    python benchmarks/hostile_wire.py --trials 340 --seed 7 --light
    python benchmarks/hostile_wire.py --channel chat --channel pages --keep FOLDER
    python benchmarks/hostile_wire.py --shapes FOLDER              # mutate recorded replies as well

Servers on 127.0.0.1 stand for chat completions, the responses API, Anthropic's messages and Gemini,
whole and streamed, for Serper, Brave and pages, and plug-ins raise and return what they must not.
What each trial meets is drawn from a catalogue of classes, with a seed; each class says what it must
come to. The experiment is recorded by the real command, replayed at two concurrencies, and reported.
It must hold: each planned trial has one record; each command ends with a documented exit status and
no traceback; no verdict was given on what is no answer; each class came to what it must; recording
and replays agree, and the replays' journals are the same bytes.
Exits 1 where one of these fails.
"""

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hostile_faults import Fault
from hostile_server import MODEL_CHANNELS, WEB_CHANNELS, Draws, HostileServer, cases, serving
from hostile_shapes import read_shapes, shape_faults
from hostile_web import PLUGINS

PROVIDERS = {
    "chat": ("openai", "/v1"),
    "responses": ("openai-responses", "/v1"),
    "messages": ("anthropic", ""),
    "gemini": ("google", ""),
}
CHANNELS = (*MODEL_CHANNELS, *WEB_CHANNELS)
CONTROLS = ("an invented page", "no page at all")
"""Classes whose names start with it are answers that break the rules: they must be rejected.

So are the few texts that plug-ins in the place of an agent return.
"""
MOST_S = 3_600
"""Seconds for one command: nothing may hang, on a busy machine either."""
KEY = "sk-of-nobody-at-all"
# Limits of time are long, so that a busy machine changes no outcome: `one byte a second` takes a minute.
DEFAULTS = """
name = "hostile"
dataset = "cases.jsonl"
cassettes = "cassettes/hostile"

[defaults]
fetch = {{ allow_private = ["127.0.0.1"], ports = [{port}, 80, 443], host_interval_s = 0, read_timeout_s = 120, deadline_s = 300 }}
"""


class Came(NamedTuple):
    """What a trial came to."""

    channel: str
    fault: Fault
    word: str
    verdicts: tuple[bool, ...]
    """Of each answer that was put to the gate, whether it passed."""

    @property
    def is_right(self) -> bool:
        """Whether that is what its class must come to."""
        is_control = self.fault.name.startswith(CONTROLS) or self.channel.endswith("agent")
        if not is_control and not all(self.verdicts):
            return False
        return any(_fits(self.word, one) for one in self.fault.comes_to.split(" | "))


def _fits(word: str, expected: str) -> bool:
    if expected == "*":
        return not word.startswith("rejected")
    if expected in {"refused", "rejected"}:
        return word.partition("/")[0].partition(" ")[0] == expected
    return fnmatch.fnmatchcase(word, expected)


def experiment(url: str, port: int, channels: tuple[str, ...]) -> str:
    """Return the experiment's file: one configuration for each channel."""
    return DEFAULTS.format(port=port) + "".join(
        "\n".join(("", "[[configuration]]", f'name = "{channel}"', *_settings(channel, url), ""))
        for channel in channels
    )


def _settings(channel: str, url: str) -> Iterator[str]:
    name, _, streamed = channel.partition("-")
    if channel.endswith("agent"):
        names = {"agent": "ask", "async-agent": "ask_async", "class-agent": "Agent"}
        yield f'agent.callable = "hostile_plugins:{names[channel]}"'
        return
    yield "agent = { max_turns = 6, max_retries = 1 }"
    if channel in {"serper", "brave"}:
        yield f'search.chain = [{{ provider = "{channel}", endpoint = "{url}/{channel}/search", timeout_s = 40 }}]'
        none = ", ".join(
            f'{one} = "none"' for one in ("rate_per_s", "failure_threshold", "quota_cooldown_s")
        )
        yield f"search.resilience = {{ {none}, request_retries = 0 }}"
    if channel == "search":
        yield 'search.chain = ["hostile_plugins:Search"]'
        yield 'search.resilience = { rate_per_s = "none", failure_threshold = "none", request_retries = 0 }'
    if channel == "extractor":
        yield 'fetch.extractor = "hostile_plugins:extract"'
    if channel == "gate":
        yield 'gate = "hostile_plugins:Gate"'
    provider, path = PROVIDERS.get(name, PROVIDERS["chat"])
    yield "[configuration.model]"
    yield f'name = "{provider}:port-1"'
    yield f'base_url = "{url}/{channel}{path}"'
    yield 'api_key_env = "HOSTILE_API_KEY"'
    yield f"stream = {'true' if streamed == 'streamed' else 'false'}"
    yield "timeout_s = 45"
    yield "request_retries = 1"


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str | None:
        """What is wrong about it."""
        if "Traceback" in self.err or "Traceback" in self.out:
            return f"a traceback: {self.err[-1500:]}"
        if self.code not in {0, 3}:
            return f"exit status {self.code}: {self.err[-1500:]}"
        return None


def research_eval(folder: Path, *words: str) -> Ended:
    """Run a command as a process of its own."""
    keys = dict.fromkeys(("HOSTILE_API_KEY", "SERPER_API_KEY", "BRAVE_API_KEY"), KEY)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "research_eval", *words],
            cwd=folder,
            env={**os.environ, **keys},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=MOST_S,
        )
    except subprocess.TimeoutExpired as exc:
        return Ended(-1, "", f"still at work after {MOST_S} s: {exc.stderr!r:.3000}")
    return Ended(done.returncode, done.stdout, done.stderr)


def records(run: Path) -> list[dict[str, Any]]:
    """Return the records of a journal; none where there is no run."""
    if not (run / "trials.jsonl").exists():
        return []
    return [json.loads(line) for line in (run / "trials.jsonl").read_bytes().splitlines()]


def came_to(record: dict[str, Any], draws: Draws) -> Came:
    """Return what a trial came to, in one line."""
    channel = record["configuration"]
    fault = draws.fault(channel, int(record["case_id"].partition("-")[2]))
    marks = sorted(set(_marks(record["transcript"])))
    failure = record.get("failure")
    word = record["status"] + (f"/{failure['kind']}" if failure else "")
    verdicts = tuple(
        not e["verdict"].get("violations") for e in record["transcript"] if e["kind"] == "gate"
    )
    return Came(channel, fault, f"{word} + {', '.join(marks)}" if marks else word, verdicts)


def _marks(transcript: list[dict[str, Any]]) -> Iterator[str]:
    for entry in transcript:
        match entry["kind"]:
            case "model":
                yield from entry.get("notes") or ()
                if entry.get("request_retries"):
                    yield "retried"
            case "search":
                yield from (one["error"] for one in entry["tries"] if one.get("error"))
            case "tool" if not entry["ok"]:
                yield str(entry["error"])


def same(recorded: dict[str, Any], replayed: dict[str, Any]) -> bool:
    """Return whether a recording and its replay tell the same, but for what only one of them knows."""
    return _told(recorded) == _told(replayed)


def _told(value: Any) -> Any:  # any JSON
    if isinstance(value, dict):
        left_out = ("replay", "latency_s", "at_s", "waited_s")
        return {name: _told(item) for name, item in value.items() if name not in left_out}
    return [_told(item) for item in value] if isinstance(value, list) else value


def show(found: list[Came]) -> None:
    """Print the table of classes."""
    rows: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    wrong: set[tuple[str, str]] = set()
    for came in found:
        key = (came.fault.name, came.fault.comes_to)
        rows[key][came.word] += 1
        if not came.is_right:
            wrong.add(key)
    print(f"{'class':48} {'n':>4}  {'must come to':44} came to")
    for (name, expected), words in sorted(rows.items()):
        said = "; ".join(
            f"{word} ({n})" if len(words) > 1 else word for word, n in words.most_common()
        )
        mark = "  WRONG" if (name, expected) in wrong else ""
        print(f"{name[:48]:48} {words.total():4}  {expected[:44]:44} {said}{mark}")


def complaints(folder: Path, draws: Draws, planned: int, ends: dict[str, Ended]) -> Iterator[str]:
    """Yield what does not hold."""
    yield from (f"{name}: {ended.complaint}" for name, ended in ends.items() if ended.complaint)
    recorded = records(folder / "recorded")
    keys = {(one["case_id"], one["configuration"]) for one in recorded}
    if len(recorded) != planned or len(keys) != planned:
        yield f"{len(recorded)} records of {len(keys)} trials, {planned} were planned"
        yield from ends["record"].err.splitlines()[-3:] if "record" in ends else ()
    for came in (came_to(record, draws) for record in recorded):
        if not came.is_right:
            judged = f", verdicts {came.verdicts}" if not all(came.verdicts) else ""
            yield f"{came.channel}: {came.fault.name}: {came.word}{judged}, must be {came.fault.comes_to}"
    journals = [folder / name / "trials.jsonl" for name in ("replayed", "again")]
    if all(map(Path.exists, journals)) and journals[0].read_bytes() != journals[1].read_bytes():
        yield "two replays differ in bytes"
    for first, second in zip(recorded, records(folder / "replayed"), strict=False):
        if not same(first, second):
            fault = came_to(first, draws).fault.name
            was, now = came_to(first, draws).word, came_to(second, draws).word
            yield f"{first['configuration']}/{first['case_id']} ({fault}): recorded {was}, replayed {now}"


def run_in(
    folder: Path, server: HostileServer, number: int, channels: tuple[str, ...], *, is_quick: bool
) -> dict[str, Ended]:
    """Record, replay and report, each as a process; return how they ended."""
    (folder / "cases.jsonl").write_text(cases(number), encoding="utf-8")
    (folder / "hostile_plugins.py").write_text(PLUGINS, encoding="utf-8")
    text = experiment(server.url, server.server_port, channels)
    (folder / "hostile.toml").write_text(text, encoding="utf-8")
    mine = ("hostile.toml", "--no-report", "--concurrency")
    ends = {
        "record": research_eval(folder, "record", *mine, "48", "--out", "recorded"),
        "replay": research_eval(folder, "run", *mine, "16", "--out", "replayed"),
    }
    if not is_quick:
        again = research_eval(folder, "run", *mine, "1", "--out", "again")
        files = ("--format", "html,md,csv,junit,json")
        report = research_eval(folder, "report", "replayed", *files)
        ends |= {"replay, one by one": again, "report": report}
    return ends


def main() -> int:
    """Run and say what does not hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--light", action="store_true", help="leave out what takes long")
    parser.add_argument("--quick", action="store_true", help="replay once, and make no report")
    parser.add_argument("--channel", action="append", choices=CHANNELS)
    parser.add_argument("--keep", type=Path, help="a folder that keeps everything")
    parser.add_argument("--shapes", type=Path, help="a folder of recorded replies, mutated as well")
    options = parser.parse_args()
    channels = tuple(options.channel or CHANNELS)
    number = -(-options.trials // len(channels))
    shapes = read_shapes(options.shapes) if options.shapes else {}
    recorded = {channel: shape_faults(found) for channel, found in shapes.items()}
    draws = Draws(options.seed, number, channels, heavy=not options.light, recorded=recorded)
    with tempfile.TemporaryDirectory() as name, serving(draws) as server:
        folder = options.keep or Path(name)
        folder.mkdir(exist_ok=True)
        ends = run_in(folder, server, number, channels, is_quick=options.quick)
        wrong = list(complaints(folder, draws, number * len(channels), ends))
        show([came_to(record, draws) for record in records(folder / "recorded")])
    for line in wrong:
        print(line)
    print(f"{number * len(channels)} trials over {len(channels)} channels, {len(wrong)} complaints")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
