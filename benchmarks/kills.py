"""Kill real runs at random moments and resume them: is a trial lost or doubled, do bytes differ?

Runs a part of the calibration, one run in four with its report, as processes of the command
line, and sends SIGKILL, SIGINT or SIGTERM at random moments, to the process or to it and its children.
After each signal the journal must hold whole lines, each once, each as the undisturbed run wrote it, and each
report file must be absent or whole. A run that came to its end must have the same bytes in all its
files; then the next begins. Ends with exit status 1 at the first difference.
With --agent mcp the runs are 100 trials of an MCP client, 8 at a time, without reports.
Run: python benchmarks/kills.py [--kills 50] [--seed 1] [--agent mcp]
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from research_eval.experiment import bundled_experiment

COMMAND = [sys.executable, "-m", "research_eval"]
NAMES = ("honest", "honest-serper-flaky", "mixed-30")
PART = ["run", "calibration", "--limit", "6"]
PART += [word for name in NAMES for word in ("--configuration", name)]
CLIENT = """
import json, re, sys
from urllib.request import ProxyHandler, Request, build_opener
question, url = sys.argv[1:]
head = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
def post(method, **params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    with build_opener(ProxyHandler({})).open(Request(url, body.encode(), head)) as reply:
        head.setdefault("mcp-session-id", reply.headers["mcp-session-id"])
        return json.loads(reply.read().decode().split("data: ")[-1])["result"]
def use(name, **given):
    return post("tools/call", name=name, arguments=given)["content"][0]["text"]
who = {"name": "own", "version": "1"}
post("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=who)
url_found = re.search(r"URL: (\\S+)", use("web_search", query=question))[1]
use("submit_answer", answer=f"See {url_found}")
use("fetch", url=url_found)
use("submit_answer", answer=f"See {url_found}")
"""
MCP = f"""
name = "clients"
dataset = "cases.jsonl"
cassettes = "cassettes"
record_from = "world"
trials = 5
[defaults]
search.chain = ["serper"]
[[configuration]]
name = "client"
agent.mcp_client = ["{sys.executable}", "-S", "-E", "client.py", "{{question}}", "{{mcp_url}}"]
"""
MCP_CASES = 20
REPORTS = ("report.html", "report.md", "scores.csv", "junit.xml")
OF_EXECUTIONS = ("executions.jsonl", "spending.jsonl", "timing.jsonl")
"""Files that tell how often a run was begun, and how long it took."""
SIGNALS = {"SIGKILL": 2, "SIGINT": 1, "SIGTERM": 1}
"""And how often each is drawn."""
EXPECTED_CODES = {0, 130, -signal.SIGKILL, -signal.SIGINT, -signal.SIGTERM, 3}


def record_clients(folder: Path) -> list[str]:
    """Write and record the experiment of an MCP client; return the words that run it."""
    cases = bundled_experiment().with_name("cases.jsonl").read_text("utf-8").splitlines(True)
    (folder / "cases.jsonl").write_text("".join(cases[:MCP_CASES]), "utf-8")
    (folder / "clients.toml").write_text(MCP, "utf-8")
    (folder / "client.py").write_text(CLIENT, "utf-8")
    words = ["record", "clients.toml", "--no-report", "--out", "recorded"]
    subprocess.run([*COMMAND, *words], cwd=folder, check=True, capture_output=True)
    return ["run", str(folder / "clients.toml"), "--concurrency", "8"]


def start(folder: Path, *, reports: bool) -> subprocess.Popen[bytes]:
    words = [] if reports else ["--no-report"]
    return subprocess.Popen(
        [*COMMAND, *PART, "--out", "run", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def disturb(
    folder: Path, rng: random.Random, longest: float, *, reports: bool
) -> tuple[str, int | None]:
    """Start or resume a run and send one signal; return what was sent and how it ended."""
    process = start(folder, reports=reports)
    code = wait_a_little(process, folder / "run", rng, longest)
    if code is not None:
        return complain(process, code, "nothing")
    (word,) = rng.choices(list(SIGNALS), list(SIGNALS.values()))
    number = getattr(signal, word)
    if rng.random() < 0.5:
        os.killpg(process.pid, number)
        word += " to all"
    else:
        process.send_signal(number)
    return complain(process, process.wait(timeout=120), word)


def wait_a_little(
    process: subprocess.Popen[bytes], run: Path, rng: random.Random, longest: float
) -> int | None:
    """Wait for a random time, or for a random number of trials; return how it ended, if it did."""
    if rng.random() < 0.4:
        try:
            return process.wait(timeout=rng.uniform(0.05, longest))
        except subprocess.TimeoutExpired:
            return None
    wanted = trials_in(run) + rng.randint(1, 25)
    while process.poll() is None and trials_in(run) < wanted:
        time.sleep(0.001)
    return process.poll()


def complain(process: subprocess.Popen[bytes], code: int, word: str) -> tuple[str, int]:
    _, errors = process.communicate()
    if code not in EXPECTED_CODES or b"Traceback" in errors:
        raise SystemExit(f"exit status {code} after {word}: {errors.decode()[-2000:]}")
    return word, code


def faults(run: Path, whole: Path) -> list[str]:
    """Return what is wrong in a disturbed run's folder."""
    journal = run / "trials.jsonl"
    if not journal.exists():
        return []
    content = journal.read_bytes()
    good = {key(line): line for line in (whole / "trials.jsonl").read_bytes().splitlines(True)}
    lines = [line for line in content.splitlines(True) if line.endswith(b"\n")]
    found = [f"{key(line)} differs" for line in lines if good.get(key(line)) != line]
    doubled = [name for name, number in Counter(map(key, lines)).items() if number > 1]
    found += [f"{name} is there more than once" for name in doubled]
    for name in REPORTS:
        path = run / name
        if path.exists() and not path.read_bytes().rstrip().endswith(ENDS[name]):
            found.append(f"{name} is cut")
    return found


ENDS = {"report.html": b"</html>", "report.md": b"", "scores.csv": b"", "junit.xml": b">"}


def key(line: bytes) -> tuple[str, str, int]:
    data = json.loads(line)
    return data["case_id"], data["configuration"], data["trial"]


def differing(run: Path, whole: Path, *, reports: bool) -> list[str]:
    """Return the files of a finished run that are not as the undisturbed run's."""
    left_out = {*OF_EXECUTIONS, *(() if reports else REPORTS)}
    names = {p.relative_to(b).as_posix() for b in (run, whole) for p in b.rglob("*") if p.is_file()}
    ours = {n for n in names if not n.startswith(".") and "/." not in n} - left_out
    return sorted(
        n
        for n in ours
        if not (run / n).exists()
        or not (whole / n).exists()
        or (run / n).read_bytes() != (whole / n).read_bytes()
    )


def trials_in(run: Path) -> int:
    journal = run / "trials.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def tokens(run: Path) -> int:
    used = [json.loads(line)["usage"] for line in (run / "trials.jsonl").open("rb")]
    return sum(one["input_tokens"] + one["output_tokens"] for one in used)


def undisturbed(calm: Path, *, with_reports: bool) -> dict[bool, float]:
    """Run without signals; return the seconds that it takes without and with reports."""
    began = time.perf_counter()
    start(calm, reports=False).communicate()
    longest = {False: time.perf_counter() - began}
    if with_reports:
        start(calm, reports=True).communicate()
        longest[True] = time.perf_counter() - began
    return longest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--agent", choices=("built-in", "mcp"), default="built-in")
    options = parser.parse_args()
    is_mcp = options.agent == "mcp"
    rng = random.Random(options.seed)
    sent: Counter[str] = Counter()
    endings = kept = 0
    reports = not is_mcp
    with tempfile.TemporaryDirectory() as name:
        folder, calm = Path(name) / "disturbed", Path(name) / "undisturbed"
        folder.mkdir()
        calm.mkdir()
        if is_mcp:
            PART[:] = record_clients(Path(name))
        whole = calm / "run"  # reports name the folder, so both are called the same
        longest = undisturbed(calm, with_reports=not is_mcp)
        run = folder / "run"
        while sent.total() < options.kills or run.exists():
            if not run.exists():
                reports = not is_mcp and rng.random() < 0.25
            word, code = (
                disturb(folder, rng, longest[reports], reports=reports)
                if sent.total() < options.kills
                else (complain(p := start(folder, reports=reports), p.wait(), "nothing"))
            )
            if word != "nothing":
                sent[word] += 1
            print(f"{sent.total():3} {word}: {trials_in(run)} trials are kept", flush=True)
            wrong = faults(run, whole)
            if code == 0:
                wrong += [f"{name} differs" for name in differing(run, whole, reports=reports)]
                endings += 1
                kept += tokens(run)
                shutil.rmtree(run)
            if wrong:
                print(f"after {word}, exit status {code}: {'; '.join(wrong[:5])}")
                return 1
        expected = endings * tokens(whole)
        trials = trials_in(whole)
    print(f"{sent.total()} signals: " + ", ".join(f"{n} {w}" for w, n in sorted(sent.items())))
    print(f"{endings} runs of {trials} trials came to their end, each with the undisturbed bytes")
    print(f"tokens of all: {kept:,} of {expected:,}")
    return int(kept != expected)


if __name__ == "__main__":
    sys.exit(main())
