"""One agent, written without research_eval, measured in every way and by its own log."""

import json
import subprocess
import sys
import time
from collections import Counter

import pytest

from research_eval.experiment import bundled_experiment

pytestmark = pytest.mark.sockets

AGENT = r"""
import json, re, sys, zlib
from pathlib import Path
from urllib.request import ProxyHandler, Request, build_opener
class Agent:
    def __init__(self, way="callable", tool=None):
        self.way, self.tool, self.messages = way, tool, []
    def use(self, name, **given):
        call = {"id": str(len(self.messages)), "type": "function"}
        call["function"] = {"name": name, "arguments": json.dumps(given)}
        self.messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = str(self.tool(name, given))
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
        return text
    def answer(self, question, corrective):
        self.messages.append({"role": "user", "content": corrective or question})
        urls = re.findall(r"URL: (\S+)", self.use("web_search", query=question))
        gone, invented = "https://nowhere.example/gone", "https://invented.example/a"
        for url in [f" <{urls[0]}> ", *urls[1:3], gone, "", f"{gone}#{question[:9]}"]:
            self.use("fetch", url=url)
        habits = [urls[:3], urls[2:5], [gone], [invented]]
        cited = urls[:1] if corrective else habits[len(question) % 4]
        text = "Found: " + "; ".join(f"[page {n}]({url})" for n, url in enumerate(cited))
        self.messages.append({"role": "assistant", "content": text})
        log = {"model": self.way, "messages": self.messages}
        Path(f"{self.way}-{zlib.crc32(question.encode())}.json").write_text(json.dumps(log))
        return text
    def __call__(self, question, tools, corrective):
        self.tool = lambda name, given: tools.call(name, **given)
        return self.answer(question, corrective)
def over_pipes(name, given):
    over_pipes.calls += 1
    say(type="tool_call", call=str(over_pipes.calls), name=name, arguments=given)
    return json.loads(sys.stdin.readline())["text"]
def say(**message): print(json.dumps(message), flush=True)
class Mcp:
    def __init__(self, url):
        self.url, self.head = url, {"content-type": "application/json"}
        self.head["accept"] = "application/json, text/event-stream"
        who = {"name": "own", "version": "1"}
        self.post("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=who)
    def post(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        request = Request(self.url, body.encode(), self.head)
        with build_opener(ProxyHandler({})).open(request) as reply:
            self.head.setdefault("mcp-session-id", reply.headers["mcp-session-id"])
            return json.loads(reply.read().decode().split("data: ")[-1])["result"]
    def use(self, name, given):
        result = self.post("tools/call", name=name, arguments=given)
        return result["content"][0]["text"], result["isError"]
def over_mcp(question, place):
    mcp = Mcp(json.loads(Path(place).read_text())["mcpServers"]["research_eval"]["url"])
    agent, corrective = Agent("mcp", lambda *call: mcp.use(*call)[0]), None
    while True:
        text = agent.answer(question, corrective)
        corrective, is_wrong = mcp.use("submit_answer", {"answer": text})
        if not is_wrong: break
if __name__ == "__main__" and sys.argv[1:]: over_mcp(*sys.argv[1:])
elif __name__ == "__main__":
    over_pipes.calls, agent, asked = 0, Agent("command", over_pipes), json.loads(sys.stdin.readline())
    question, name = asked["question"], asked["id"]
    while asked["type"] != "end":
        say(type="answer", id=name, text=agent.answer(question, asked.get("text")))
        asked = json.loads(sys.stdin.readline())
"""
EXPERIMENT = f"""
name = "same"
dataset = "cases.jsonl"
cassettes = "cassettes"
record_from = "world"

[defaults]
search.chain = ["serper"]
agent.max_retries = 1

[[configuration]]
name = "callable"
agent.callable = "own_agent:Agent"

[[configuration]]
name = "command"
agent.command = ["{sys.executable}", "own_agent.py"]

[[configuration]]
name = "mcp"
agent.mcp_client = ["{sys.executable}", "own_agent.py", "{{question}}", "{{mcp_config}}"]
"""
WAYS = ("callable", "command", "mcp")
CASES = {
    "quillvane-licence",  # its first page is a login form
    "tarncliff-last-train",  # a redirect
    "saltpan-tour",  # a short link and a fragment
    "tidewatch-nether-soke",  # a page that does not open
    "skerravoe-yacht-dues",
    "skerravoe-bulky-north",
    "harrowmere-ferry-record",
    "lindmark-cars",
}


def cli(folder, *words):
    """Run the command line in `folder`; it ends well."""
    done = subprocess.run(
        [sys.executable, "-m", "research_eval", *map(str, words)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("same")
    (place / "own_agent.py").write_text(AGENT)
    (place / "same.toml").write_text(EXPERIMENT)
    (place / "map.toml").write_text('corrective = "^Your answer was not accepted"\n')
    cases = bundled_experiment().with_name("cases.jsonl").read_text("utf-8").splitlines()
    kept = [line for line in cases if json.loads(line)["id"] in CASES]
    (place / "cases.jsonl").write_text("\n".join(kept) + "\n")
    cli(place, "record", "same.toml", "--no-report", "--out", "first")
    cli(place, "run", "same.toml", "--no-report", "--out", "again", "--concurrency", 1)
    cli(place, "run", "same.toml", "--no-report", "--out", "third")
    logs = sorted(path.name for way in WAYS for path in place.glob(f"{way}-*"))
    options = ("--cases", "cases.jsonl", "--mapping", "map.toml", "--out", "logs")
    cli(place, "import", "openai", *logs, *options)
    return place


def found(folder, run, way):
    """Return by case what a run says of an agent: verdicts, ledger and citations."""
    lines = map(json.loads, (folder / run / "trials.jsonl").read_text("utf-8").splitlines())
    return {
        one["case_id"]: {
            "ending": (one["status"], one["answer"], one["references"]),
            "attempts": [
                (event["answer"], event["verdict"], event.get("corrective"))
                for event in one["transcript"]
                if event["kind"] == "gate"
            ],
            "ledger": {
                source["key"]: (source["state"], source.get("evidence"))
                for source in one["sources"]
            },
        }
        for one in lines
        if one["configuration"] == way
    }


@pytest.mark.parametrize(
    ("run", "way"),
    [("again", "command"), ("again", "mcp"), *(("logs", way) for way in WAYS)],
)
def test_every_way_gives_the_same_verdicts_ledgers_and_citations(folder, run, way):
    callable_ = found(folder, "again", "callable")
    other = found(folder, run, way)
    assert other.keys() == callable_.keys()
    for name, one in other.items():
        assert one == callable_[name], name


def test_the_agent_does_what_such_agents_do(folder):
    trials = found(folder, "again", "callable").values()
    kinds = Counter(
        violation["kind"]
        for trial in trials
        for _, verdict, _ in trial["attempts"]
        for violation in verdict["violations"]
    )
    assert {"search_only", "unknown_url", "fetch_failed", "not_evidence"} <= kinds.keys()
    assert {trial["ending"][0] for trial in trials} == {"completed", "rejected"}
    assert {len(trial["attempts"]) for trial in trials} == {1, 2}
    assert len(AGENT.split()) < 600


def test_what_the_agent_cites_and_our_tools_never_saw_is_listed(folder):
    lines = map(json.loads, (folder / "again" / "trials.jsonl").read_text("utf-8").splitlines())
    listed = Counter(tuple(one["fidelity"].get("unseen_urls", ())) for one in lines)
    assert listed.keys() == {(), ("https://invented.example/a",)}
    assert all(count % len(WAYS) == 0 for count in listed.values())


def test_a_run_of_clients_that_was_killed_is_gone_on_with(folder):
    words = ["run", "same.toml", "--configuration", "mcp", "--no-report", "--out", "killed"]
    command = [sys.executable, "-m", "research_eval", *words, "--concurrency", "2"]
    journal = folder / "killed" / "trials.jsonl"
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (journal.exists() and b"\n" in journal.read_bytes()):
            time.sleep(0.001)
        process.kill()
    assert len(journal.read_bytes().splitlines()) < len(CASES)
    cli(folder, *words)
    whole = (folder / "again" / "trials.jsonl").read_text("utf-8").splitlines()
    kept = [line for line in whole if json.loads(line)["configuration"] == "mcp"]
    assert journal.read_text("utf-8").splitlines() == kept


def test_an_offline_replay_has_the_same_bytes(folder):
    again, third = ((folder / run / "trials.jsonl").read_bytes() for run in ("again", "third"))
    assert again == third
