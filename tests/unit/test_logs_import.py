"""Logs of agents that ran elsewhere: each format becomes a run whose counts are those of a hand count."""

import json
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from research_eval.errors import UsageError
from research_eval.gate import load_gate
from research_eval.journal import RunFolder
from research_eval.logs import FORMATS, import_logs, load_mapping
from research_eval.logs.document import MAX_LINE

TIDES, MOON, GHOST = (
    "https://harbour.example/tides",
    "https://sky.example/moon",
    "https://harbour.example/ghost",
)
QUESTION = "When is high water at the harbour?"
ANSWER = f"At noon, see {TIDES} and {MOON}."
HITS = json.dumps([{"title": "Tides", "url": TIDES}, {"title": "Moon", "url": MOON}])
PAGE = "High water is at noon. " * 20


def openai():
    def call(number, name, **arguments):
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"id": f"c{number}", "type": "function", "function": function}

    return {
        "id": "tides",
        "model": "some-model",
        "messages": [
            {"role": "system", "content": "You research."},
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": None, "tool_calls": [call(1, "web_search", query="tides")]},
            {"role": "tool", "tool_call_id": "c1", "content": HITS},
            {"role": "assistant", "content": "", "tool_calls": [call(2, "fetch", url=TIDES), call(3, "fetch", url=GHOST)]},
            {"role": "tool", "tool_call_id": "c2", "content": PAGE},
            {"role": "tool", "tool_call_id": "c3", "content": "Error: HTTP 404 for this page"},
            {"role": "assistant", "content": ANSWER, "finish_reason": "stop"},
        ],
    }  # fmt: skip


def anthropic():
    def use(number, name, **arguments):
        return {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}

    def result(number, content, *, failed=False):
        return {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "content": content,
            "is_error": failed,
        }

    return {
        "id": "tides",
        "model": "some-model",
        "messages": [
            {"role": "user", "content": QUESTION},
            {"role": "assistant", "content": [{"type": "text", "text": "I search."}, use(1, "web_search", query="tides")]},
            {"role": "user", "content": [result(1, [{"type": "text", "text": HITS}])]},
            {"role": "assistant", "content": [use(2, "fetch", url=TIDES), use(3, "fetch", url=GHOST)]},
            {"role": "user", "content": [result(2, PAGE), result(3, "gone", failed=True)]},
            {"role": "assistant", "content": [{"type": "text", "text": ANSWER}], "stop_reason": "end_turn"},
        ],
    }  # fmt: skip


def claude_code():
    lines, number = [], 0
    session = anthropic()["messages"]
    for turn, message in enumerate(session):
        blocks = message["content"]
        pieces = [blocks] if message["role"] == "user" else [[block] for block in blocks]
        for piece in pieces:  # a reply is written in as many entries as it has blocks
            number += 1
            text = (
                json.dumps(piece)
                .replace('"web_search"', '"WebSearch"')
                .replace('"fetch"', '"WebFetch"')
            )
            entry = {
                "role": message["role"],
                "content": json.loads(text),
                "id": f"m{turn}",
                "model": "some-model",
            }
            lines.append(
                {
                    "type": message["role"],
                    "uuid": f"u{number}",
                    "sessionId": "tides",
                    "message": entry,
                }
            )
    noise = [{"type": "progress", "data": {}}, {"type": "summary", "summary": "Tides"}]
    return [lines[0], *noise, *lines[1:]]


def langgraph():
    def ai(text, *calls):
        found = [{"id": n, "name": name, "args": args} for n, name, args in calls]
        about = {"model_name": "some-model", "finish_reason": "stop"}
        return {"type": "ai", "content": text, "tool_calls": found, "response_metadata": about}

    def tool(number, text):
        return {"type": "tool", "tool_call_id": number, "content": text, "status": "success"}

    messages = [
        {"type": "human", "content": [{"type": "text", "text": QUESTION}]},
        ai("", ("a", "web_search", {"query": "tides"})),
        tool("a", HITS),
        ai("", ("b", "web_fetch", {"url": TIDES}), ("c", "web_fetch", {"url": GHOST})),
        tool("b", PAGE),
        tool("c", "No content could be extracted from this page"),
        ai(ANSWER),
    ]
    return {"values": {"messages": messages}, "thread_id": "tides"}


def chatml():
    def call(name, **arguments):
        return f"<think>hm</think><tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"

    found = f"A search found 2 results:\n1. [Tides]({TIDES})\n2. [Moon]({MOON})"
    visited = f"The useful information in {TIDES} is: {PAGE}\n\n{GHOST}: the webpage content could not be accessed"
    texts = [
        ("user", QUESTION),
        ("assistant", call("search", query=["tides"])),
        ("user", f"<tool_response>\n{found}\n</tool_response>"),
        ("assistant", call("visit", url=[TIDES, GHOST], goal="tides")),
        ("user", f"<tool_response>\n{visited}\n</tool_response>"),
        ("assistant", f"<think>done</think><answer>{ANSWER}</answer>"),
    ]
    return {"id": "tides", "messages": [{"role": r, "content": t} for r, t in texts]}


def inspect():
    messages = openai()["messages"]
    for message in messages:
        for call in message.get("tool_calls") or []:
            call["arguments"] = json.loads(call["function"]["arguments"])
            call["function"] = call["function"]["name"]
    output = {
        "choices": [{"stop_reason": "stop"}],
        "usage": {"input_tokens": 9, "output_tokens": 4},
    }
    sample = {"id": "tides", "epoch": 1, "messages": messages, "output": output}
    return {"version": 2, "eval": {"model": "some-model"}, "samples": [sample]}


def span(number, operation, **attributes):
    named = {f"gen_ai.{name.replace('__', '.')}": value for name, value in attributes.items()}
    named["gen_ai.operation.name"] = operation
    return {
        "name": operation,
        "start_time": number,
        "context": {"trace_id": 2**100, "span_id": number},
        "status": {"status_code": "ok"},
        "attributes": named,
    }


def otel():
    asked = json.dumps([{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}])
    calls = json.dumps(
        [{"role": "assistant", "parts": [{"type": "tool_call", "name": "web_search"}]}]
    )
    said = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}])

    def tool(number, name, arguments, result):
        return span(number, "execute_tool", tool__name=name, tool__call__arguments=json.dumps(arguments),
                    tool__call__result=result)  # fmt: skip

    failed = tool(5, "fetch", {"url": GHOST}, "gone") | {"status": {"status_code": "ERROR"}}
    return {
        "spans": [
            span(6, "chat", output__messages=said, request__model="some-model"),
            span(
                1,
                "chat",
                input__messages=asked,
                output__messages=calls,
                request__model="some-model",
            ),
            tool(2, "web_search", {"query": "tides"}, HITS),
            span(3, "chat", output__messages=calls, request__model="some-model"),
            tool(4, "fetch", {"url": TIDES}, PAGE),
            failed,
        ]
    }


def atif():
    def step(message, calls=(), results=()):
        made = [
            {"tool_call_id": n, "function_name": name, "arguments": args} for n, name, args in calls
        ]
        given = [{"source_call_id": n, "content": text} for n, text in results]
        return {
            "source": "agent",
            "message": message,
            "tool_calls": made,
            "observation": {"results": given},
        }

    return {
        "schema_version": "ATIF-v1.4",
        "session_id": "tides",
        "agent": {"name": "mine", "version": "1", "model_name": "some-model"},
        "steps": [
            {"step_id": 1, "source": "user", "message": QUESTION},
            step("", [("a", "web_search", {"query": "tides"})], [("a", HITS)]),
            step("", [("b", "fetch", {"url": TIDES}), ("c", "fetch", {"url": GHOST})],
                 [("b", PAGE), ("c", "Error: not found")]),
            step(ANSWER),
        ],
    }  # fmt: skip


def responses():
    def search(**action):
        return {"type": "web_search_call", "status": "completed", "action": action}

    sources = [{"type": "url", "url": url} for url in (TIDES, MOON)]
    failed = search(type="open_page", url=GHOST) | {"status": "failed"}
    text = [{"type": "output_text", "text": ANSWER, "annotations": []}]
    return {
        "id": "resp_1",
        "object": "response",
        "model": "some-model",
        "input": QUESTION,
        "metadata": {"case_id": "tides"},
        "output": [
            search(type="search", query="tides", sources=sources),
            search(type="open_page", url=TIDES),
            failed,
            {"type": "message", "role": "assistant", "content": text},
        ],
    }


def plain():
    return {"id": "tides", "question": QUESTION, "text": ANSWER, "model": "some-model",
            "searched": [TIDES, MOON], "fetched": [TIDES], "failed": [GHOST]}  # fmt: skip


LOGS = {
    "openai": (openai, 3), "anthropic": (anthropic, 3), "claude-code": (claude_code, 3),
    "langgraph": (langgraph, 3), "chatml": (chatml, 3), "inspect": (inspect, 3), "otel": (otel, 3),
    "atif": (atif, 3), "responses": (responses, 1), "jsonl": (plain, 1),
}  # fmt: skip
"""Of each format one log of the same work, and how many turns it tells of."""


def run_of(form, tmp_path, content, *, name="log.json", **options):
    file = tmp_path / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    else:
        lines = content if isinstance(content, list) else [content]
        file.write_text("\n".join(json.dumps(line) for line in lines))
    tools = load_mapping(options.pop("mapping", None), form)
    out = tmp_path / "run"
    done = import_logs(form, [file], out, gate=load_gate("default"), tools=tools, **options)
    return done, list(RunFolder(out).trials())


def counts(trial):
    found = Counter(event.kind for event in trial.transcript)
    opened = sum(event.kind == "fetch" and event.ok for event in trial.transcript)
    return found["model"], found["search"], opened, found["fetch"] - opened


@pytest.mark.parametrize("form", LOGS)
def test_every_format_gives_the_counts_of_a_hand_count(tmp_path, form):
    make, turns = LOGS[form]
    content = make()
    _, (trial,) = run_of(
        form, tmp_path, content, name="log.jsonl" if isinstance(content, list) else "log.json"
    )

    assert trial.question == QUESTION
    assert counts(trial) == (turns, 1, 1, 1)
    assert trial.status == "rejected"
    (attempt,) = trial.attempts
    assert [citation.url for citation in attempt.verdict.citations] == [TIDES, MOON]
    assert [(v.kind, v.url) for v in attempt.verdict.violations] == [("search_only", MOON)]
    assert trial.fidelity.ledger == ("summary" if form in {"chatml", "claude-code"} else "claimed")
    (opened,) = [source for source in trial.sources if source.state == "fetched"]
    assert (opened.url, opened.fidelity) == (TIDES, trial.fidelity.ledger)
    if form not in {"otel", "claude-code"}:
        assert trial.case_id == "tides"


@pytest.mark.parametrize("form", [form for form in LOGS if form not in {"claude-code", "otel"}])
def test_lines_one_document_and_a_list_are_read_alike(tmp_path, form):
    content = LOGS[form][0]()
    several = {"jsonl": json.dumps(content) + "\n" + json.dumps(content) + "\n",
               "json": json.dumps(content, indent=1)}  # fmt: skip
    for suffix, text in several.items():
        place = tmp_path / suffix
        place.mkdir()
        if form == "inspect" and suffix == "jsonl":
            continue
        _, trials = run_of(form, place, text.encode(), name=f"log.{suffix}")
        assert {counts(trial)[1:] for trial in trials} == {(1, 1, 1)}
        assert len(trials) == (2 if suffix == "jsonl" else 1)


def test_an_inspect_archive_is_read_as_its_json(tmp_path):
    content = inspect()
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": content["eval"]}))
        archive.writestr("samples/tides_epoch_1.json", json.dumps(content["samples"][0]))
    done = import_logs("inspect", [tmp_path / "log.eval"], tmp_path / "run",
                       gate=load_gate("default"), tools=load_mapping(None, "inspect"))  # fmt: skip

    (trial,) = RunFolder(tmp_path / "run").trials()
    assert (counts(trial), trial.configuration) == ((3, 1, 1, 1), "some-model")
    assert not done.tally.refused


def test_a_click_opens_what_the_page_before_lists(tmp_path):
    content = inspect()
    (sample,) = content["samples"]
    listed = f'[12] link "Moon"  [url: {MOON}]\n[13] StaticText "Tides"'
    call = {"id": "k", "function": "web_browser_click", "arguments": {"element_id": 12}}
    go = {"id": "g", "function": "web_browser_go", "arguments": {"url": TIDES}}
    sample["messages"] = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "", "tool_calls": [go]},
        {"role": "tool", "tool_call_id": "g", "content": listed},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "k", "content": "the moon"},
        {"role": "assistant", "content": ANSWER},
    ]
    _, (trial,) = run_of("inspect", tmp_path, content)

    assert trial.status == "completed"
    assert [event.url for event in trial.transcript if event.kind == "fetch"] == [TIDES, MOON]


def test_a_report_that_a_tool_wrote_is_the_answer(tmp_path):
    content = langgraph()
    messages = content["values"]["messages"]
    call = {"id": "w", "name": "write_file", "args": {"path": "/out/report.md", "content": ANSWER}}
    messages[-1:] = [
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "tool", "tool_call_id": "w", "content": "OK"},
        {"type": "ai", "content": "The report is ready.", "tool_calls": []},
    ]
    _, (trial,) = run_of("langgraph", tmp_path, content)

    assert trial.answer == ANSWER


def test_questions_of_one_conversation_share_its_ledger(tmp_path):
    content = openai()
    content["messages"] += [
        {"role": "user", "content": "Say it again."},
        {"role": "assistant", "content": f"At noon: {TIDES}"},
    ]
    _, trials = run_of("openai", tmp_path, content)

    assert [(t.case_id, t.status) for t in trials] == [
        ("tides", "rejected"),
        ("tides-2", "completed"),
    ]


def test_a_corrective_begins_the_next_attempt_of_the_same_question(tmp_path):
    content = openai()
    content["messages"] += [
        {"role": "user", "content": "Your answer cites pages that you did not open."},
        {"role": "assistant", "content": f"At noon: {TIDES}"},
    ]
    (tmp_path / "map.toml").write_text('corrective = "^Your answer cites"\n')
    _, (trial,) = run_of("openai", tmp_path, content, mapping=tmp_path / "map.toml")

    assert trial.status == "completed"
    assert [bool(attempt.verdict.violations) for attempt in trial.attempts] == [True, False]
    assert trial.attempts[0].corrective == "Your answer cites pages that you did not open."


def test_tools_that_nobody_knows_are_named_and_nothing_is_written(tmp_path):
    text = json.dumps(openai()).replace('"fetch"', '"look_at"').encode()
    with pytest.raises(UsageError, match=r"what these tools do: look_at \(2\)"):
        run_of("openai", tmp_path, text)
    assert not (tmp_path / "run").exists()

    (tmp_path / "map.toml").write_text('[tools.look_at]\ndoes = "open"\ngives = "summary"\n')
    _, (trial,) = run_of("openai", tmp_path, text, mapping=tmp_path / "map.toml")
    assert counts(trial) == (3, 1, 1, 1)
    assert trial.fidelity.ledger == "summary"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tool = 1", "tool: unknown; did you mean tools?"),
        ('[tools.x]\ndoes = "opens"', "tools.x.does"),
        ('failures = ["("]', "is no pattern"),
        ("x", "not TOML"),
    ],
)
def test_a_mapping_with_a_mistake_is_refused_by_place(tmp_path, text, words):
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(UsageError, match=words.replace("?", r"\?")):
        load_mapping(tmp_path / "map.toml", "openai")


ENDS = {
    "cut": {"role": "assistant", "content": ANSWER[:20], "finish_reason": "length"},
    "refused": {"role": "assistant", "content": "", "refusal": "I will not."},
    "empty": {"role": "assistant", "content": ""},
}


@pytest.mark.parametrize("status", ENDS)
def test_what_is_no_answer_is_not_judged(tmp_path, status):
    content = openai()
    content["messages"][-1] = ENDS[status]
    _, (trial,) = run_of("openai", tmp_path, content)

    assert (trial.status, trial.attempts) == (status, ())


def test_a_log_that_ends_before_an_answer_reached_its_limit(tmp_path):
    content = openai()
    del content["messages"][-1]
    _, (trial,) = run_of("openai", tmp_path, content)

    assert (trial.status, trial.failure.kind) == ("limit", "log_ended")


def test_an_error_of_the_infrastructure_is_no_answer(tmp_path):
    entries = claude_code()
    entries.append({"type": "assistant", "uuid": "e", "isApiErrorMessage": True,
                    "message": {"role": "assistant", "content": [{"type": "text", "text": "API Error: 529"}]}})  # fmt: skip
    _, (trial,) = run_of("claude-code", tmp_path, entries, name="log.jsonl")

    assert (trial.status, trial.failure.message) == ("error", "API Error: 529")


def test_reports_without_a_ledger_are_not_judged(tmp_path):
    reports = [{"id": n, "prompt": QUESTION + str(n), "article": ANSWER} for n in range(3)]
    done, trials = run_of("reports", tmp_path, reports, name="log.jsonl")

    assert dict(done.statuses) == {"unjudged": 3}
    assert {trial.fidelity.ledger for trial in trials} == {"none"}
    done = command("score", tmp_path / "run", "--all", "--json")
    found = {m["measure"]: m for m in json.loads(done.stdout)["configurations"][0]["measures"]}
    assert found["final_citations"]["value"] == 2
    assert found["final_passed"]["scored"] == 0
    assert (found["cited_sites"]["scored"], found["front_pages"]["scored"]) == (3, 3)


def test_files_that_name_no_model_are_compared_by_their_names(tmp_path):
    lines = [json.dumps({"id": n, "prompt": f"{QUESTION} {n}", "article": ANSWER}) for n in (1, 2)]
    files = [tmp_path / "Agent A.jsonl", tmp_path / "agent_b.jsonl"]
    for file in files:
        file.write_text("\n".join(lines))

    done = command("import", "reports", *files, "--out", tmp_path / "run")

    assert done.returncode == 0
    configurations = {trial.configuration for trial in RunFolder(tmp_path / "run").trials()}
    assert configurations == {"agent-a", "agent-b"}


def test_cases_of_a_dataset_keep_their_logs_and_others_are_counted(tmp_path):
    from research_eval.dataset import Case

    logs = [plain(), plain() | {"id": "other", "question": "What else?"}]
    cases = [Case(id="high-water", question=QUESTION, expected=("noon",))]
    done, (trial,) = run_of("jsonl", tmp_path, logs, name="log.jsonl", cases=cases)

    assert trial.case_id == "high-water"
    assert done.tally.skipped == {"questions that the dataset does not have": 1}


HOSTILE = {
    "cut": json.dumps(plain()).encode() + b'\n{"id": "x", "text": "cut of',
    "deep": json.dumps(plain()).encode() + b"\n" + b"[" * 100_000,
    "digits": json.dumps(plain()).encode() + b'\n{"id": ' + b"9" * 5000 + b"}",
    "bytes": json.dumps(plain()).encode() + b"\n\xff\xfe\x00",
    "no object": json.dumps(plain()).encode() + b"\n[1]\n7\nnull",
    "long": json.dumps(plain()).encode() + b'\n{"text": "' + b"x" * (MAX_LINE + 5) + b'"}\n' + json.dumps(plain()).encode(),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_cannot_be_read_is_counted_and_the_rest_is_kept(tmp_path, kind):
    done, trials = run_of("jsonl", tmp_path, HOSTILE[kind], name="log.jsonl")

    assert len(trials) == (2 if kind == "long" else 1)
    assert sum(done.tally.refused.values()) >= 1
    assert all(
        ":2" in place or ":3" in place or ":4" in place for place in done.tally.first.values()
    )


def test_surrogates_doubled_ids_lost_results_and_loops_of_parents_are_kept_and_counted(tmp_path):
    content = openai()
    content["messages"][-1]["content"] += " \ud83d"
    content["messages"][4]["tool_calls"].append(content["messages"][4]["tool_calls"][0])
    content["messages"].insert(3, {"role": "tool", "tool_call_id": "nobody", "content": "?"})
    done, (trial,) = run_of("openai", tmp_path, content)

    assert trial.answer.endswith("\N{REPLACEMENT CHARACTER}")
    assert done.tally.skipped == {
        "ids of tool calls that stand twice": 1,
        "results without a call": 1,
        "tool calls without a result": 1,
    }
    entries = claude_code()
    for entry in entries:
        entry["parentUuid"] = entry.get("uuid")
    (tmp_path / "loop").mkdir()
    _, (trial,) = run_of("claude-code", tmp_path / "loop", [*entries, *entries], name="log.jsonl")
    assert counts(trial) == (3, 1, 1, 1)


def test_a_log_that_an_agent_library_wrote_gives_the_counts_of_a_hand_count(tmp_path):
    log = Path(__file__).parents[1] / "data" / "logs" / "openai_agents.json"
    done, (trial,) = run_of("openai", tmp_path, log.read_bytes())

    assert (done.tally.kept, done.tally.skipped) == (1, {})
    assert counts(trial) == (4, 1, 2, 1)  # the third page failed in the library's own words
    (search,) = (event for event in trial.transcript if event.kind == "search")
    assert len(search.hits) == 4
    (attempt,) = trial.attempts
    assert [one.kind for one in attempt.verdict.violations] == ["search_only", "fetch_failed"]
    assert len(attempt.verdict.citations) == 3


def test_parents_in_a_circle_end_no_reading(tmp_path):
    entries = claude_code()
    names = [entry["uuid"] for entry in entries if "uuid" in entry]
    for entry in entries:
        entry["parentUuid"] = names[1] if entry.get("uuid") == names[0] else names[0]
    done, (trial,) = run_of("claude-code", tmp_path, entries, name="log.jsonl")

    assert done.tally.kept == 1
    assert counts(trial) == (3, 1, 1, 1)


def test_a_result_of_ten_megabytes_is_a_page_that_was_opened_and_cut(tmp_path):
    content = openai()
    for message in content["messages"]:
        if message["role"] == "tool":
            message["content"] = message["content"].replace(PAGE, PAGE + " more" * 2_000_000)
    assert len(json.dumps(content)) > 10_000_000
    _, (trial,) = run_of("openai", tmp_path, content)

    assert counts(trial) == (3, 1, 1, 1)
    assert max(one.content_chars or 0 for one in trial.sources) == 200_000


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "messages",
                    "role",
                    "type",
                    "content",
                    "tool_calls",
                    "id",
                    "name",
                    "function",
                    "steps",
                    "arguments",
                    "args",
                    "text",
                    "output",
                    "values",
                    "samples",
                    "spans",
                    "attributes",
                    "message",
                    "source",
                    "action",
                    "url",
                    "input",
                    "question",
                    "fetched",
                    "uuid",
                ]
            ),
            inner | st.sampled_from(["user", "assistant", "tool", "ai", "human", "agent", TIDES]),
            max_size=6,
        )
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=40, deadline=None)
@given(value=JSON, is_list=st.booleans())
def test_no_json_of_any_shape_is_more_than_refused(form, tmp_path_factory, value, is_list):
    place = tmp_path_factory.mktemp("hostile")
    try:
        run_of(
            form,
            place,
            [value, value] if is_list else value,
            name="log.jsonl" if is_list else "log.json",
        )
    except UsageError:
        assert not (place / "run").exists()


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "research_eval", *map(str, words)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


MEASURED = """
import pathlib, re
from research_eval.cli.main import main
try:
    main()
except SystemExit as exc:
    code = exc.code
status = pathlib.Path("/proc/self/status").read_text()  # rusage counts what the parent held, too
print("peak", int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) // 1024, code)
"""


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_log_of_fifty_megabytes_is_read_in_bounded_memory(tmp_path, suffix):
    question, *middle, answer = langgraph()["values"]["messages"]
    file = tmp_path / f"log.{suffix}"
    with file.open("w") as out:
        out.write('{"values": {"messages": [' if suffix == "json" else "")
        out.write(json.dumps(question))
        for number in range(40):
            for message in middle:
                text = json.dumps(message).replace('"b"', f'"b{number}"')
                if text.count(PAGE):
                    text = text.replace(PAGE, PAGE + f"{number} " * 400_000)
                out.write((",\n" if suffix == "json" else "\n") + text)
        out.write((",\n" if suffix == "json" else "\n") + json.dumps(answer))
        out.write("]}}" if suffix == "json" else "\n")
    assert file.stat().st_size > 40_000_000

    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "import", "langgraph", str(file), "--out", str(tmp_path / "run")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "kept: 1 trials" in done.stdout, done.stderr
    peak, code = done.stdout.split()[-2:]
    assert code == "0"
    assert int(peak) < 300


def test_everything_behind_works_on_an_imported_run(tmp_path):
    (tmp_path / "log.json").write_text(json.dumps(openai()))
    run = tmp_path / "run"
    done = command("import", "openai", tmp_path / "log.json", "--out", run)
    assert (done.returncode, done.stderr) == (0, "")
    assert "kept: 1 trials (rejected 1)" in done.stdout
    for words in (("report", run), ("score", run), ("gate", "compare", "--base", "recorded", run)):
        after = command(*words)
        assert "Traceback" not in after.stderr
        assert after.returncode == 0, (words, after.stderr)
    assert "what was opened is what they say" in (run / "report.md").read_text()

    again = command("import", "openai", tmp_path / "log.json", "--out", run)
    assert (again.returncode, again.stderr.count("\n")) == (2, 1)
    unknown = command("import", "opena", tmp_path / "log.json", "--out", tmp_path / "other")
    assert unknown.returncode == 2
    assert "did you mean openai?" in unknown.stderr
