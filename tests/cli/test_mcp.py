"""`research-eval mcp`: a trial whose client starts the server itself and speaks with it over stdio."""

import asyncio
import json
import re
import sys

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from research_eval.cli.main import cli
from research_eval.errors import UsageError
from research_eval.experiment import bundled_experiment

pytestmark = pytest.mark.sockets

EXPERIMENT = """
name = "assistant"
dataset = "cases.jsonl"
cassettes = "cassettes"
record_from = "world"

[defaults]
search.chain = ["serper"]

[[configuration]]
name = "assistant"
agent.mcp_client = []
agent.files = ["settings.json"]

[[configuration]]
name = "started"
agent.mcp_client = ["some-cli", "{question}", "{mcp_config}"]

[[configuration]]
name = "program"
agent.command = ["true"]
"""


async def converse(folder, case):
    words = ["-m", "research_eval", "mcp", "e.toml", "--case", case, "--web", "record"]
    with (folder / "stderr").open("w") as errors:
        server = StdioServerParameters(
            command=sys.executable, args=[*words, "--out", "run"], cwd=folder
        )
        async with Client(stdio_client(server, errlog=errors)) as session:
            question = session.instructions.rpartition("\n\n")[2]
            found = await session.call_tool("web_search", {"query": question})
            url = re.search(r"URL: (\S+)", found.content[0].text)[1]
            answer = {"answer": f"See {url} and https://invented.example/a"}
            first = await session.call_tool("submit_answer", answer)
            page = await session.call_tool("fetch", {"url": url})
            last = await session.call_tool("submit_answer", {"answer": f"See {url}"})
    return question, url, [first.is_error, page.is_error, last.is_error]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("mcp")
    (place / "e.toml").write_text(EXPERIMENT)
    (place / "settings.json").write_text("{}")
    cases = bundled_experiment().with_name("cases.jsonl").read_text("utf-8").splitlines()[:2]
    (place / "cases.jsonl").write_text("\n".join(cases) + "\n")
    return place


@pytest.fixture(scope="module")
def spoken(folder):
    case = json.loads((folder / "cases.jsonl").read_text().splitlines()[0])
    return case, asyncio.run(converse(folder, case["id"]))


def test_a_client_over_stdio_leaves_a_trial_like_any_other(folder, spoken):
    case, (question, url, wrong) = spoken
    trial = json.loads((folder / "run" / "trials.jsonl").read_text("utf-8"))
    assert question == trial["question"] == case["question"]
    assert wrong == [True, False, False]
    assert trial["status"] == "completed"
    assert [one["url"] for one in trial["references"]] == [url]
    kinds = [event["kind"] for event in trial["transcript"]]
    assert kinds == ["search", "tool", "model", "gate", "fetch", "tool", "model", "gate"]
    assert trial["replay"]["recorded"] == 2
    manifest = json.loads((folder / "run" / "manifest.json").read_text("utf-8"))
    assert len(manifest["configurations"][0]["agent_code"]) == 64
    assert "an MCP client may connect: standard input" in (folder / "stderr").read_text()


def test_a_cited_page_that_the_clients_own_tools_may_have_opened_is_shown(folder, spoken, capsys):
    trial = json.loads((folder / "run" / "trials.jsonl").read_text("utf-8"))
    assert trial["fidelity"] == {
        "ledger": "opened",
        "model": "unseen",
        "unseen_urls": ["https://invented.example/a"],
    }
    cli.main(["show", str(folder / "run"), trial["case_id"]], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "never saw https://invented.example/a: invented, or opened with the agent's own" in shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run"], "connects by itself: measure it with research-eval mcp"),
        (["mcp", "--case", "{case}", "--configuration", "started"], "which run and record start"),
        (["mcp", "--case", "{case}", "--configuration", "program"], "agent.mcp_client: is not set"),
        (["mcp", "--case", "*"], "--case and --configuration name one each"),
        (["mcp", "--case", "{case}", "--out", "run"], "assistant/1 already; give another --out"),
        (["mcp", "--case", "nobody"], "nobody"),
    ],
)
def test_what_could_not_be_measured_is_refused(folder, spoken, monkeypatch, words, said):
    monkeypatch.chdir(folder)
    case, _ = spoken
    filled = [word.replace("{case}", case["id"]) for word in words[1:]]
    filled += ["--web", "record"] if words[0] == "mcp" else ["--configuration", "assistant"]
    with pytest.raises(UsageError, match=re.escape(said)):
        cli.main([words[0], "e.toml", *filled], standalone_mode=False)
    assert not (folder / "reports").exists()
