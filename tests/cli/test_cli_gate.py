"""`research-eval gate` as a person or a CI job calls it."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

from research_eval.cli.main import main
from research_eval.schema import AnswerChecked, Fetched, TrialRecord, Verdict

PAGE = "https://river.example.org/silt"


class Called(NamedTuple):
    code: int
    out: str
    err: str

    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


Call = Callable[..., Called]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Call:
    monkeypatch.chdir(tmp_path)

    def run(*words: str, stdin: bytes = b"") -> Called:
        monkeypatch.setattr(sys, "argv", ["research-eval", "gate", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsysbinary.readouterr()
        return Called(int(caught.value.code or 0), out.decode(), err.decode())

    return run


def _write(name: str, content: object) -> str:
    text = content if isinstance(content, str) else json.dumps(content)
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_check_says_passed_and_exits_0(call: Call) -> None:
    answer = _write("a.md", f"See {PAGE}.")
    ledger = _write("l.json", {"fetched": [PAGE]})

    assert call("check", answer, "--ledger", ledger) == (
        0,
        "passed: 1 citation, every page was opened\n",
        "",
    )


def test_check_says_where_and_why_and_exits_1(call: Call) -> None:
    answer = _write("a.md", f"Silt.\nSee {PAGE} and {PAGE}-2.")
    ledger = _write("l.json", [{"url": PAGE, "state": "fetched"}])

    called = call("check", answer, "--ledger", ledger)

    assert called.code == 1
    assert called.out.startswith(f"a.md:2:40: unknown_url: {PAGE}-2: you never opened this page.")


def test_check_without_citation_names_the_file_alone(call: Call) -> None:
    called = call("check", _write("a.md", "None."), "--ledger", _write("l.json", {}))

    assert called.out.startswith("a.md: no_citation: ")


def test_check_writes_the_verdict_as_json(call: Call) -> None:
    ledger = _write("l.json", {"searched": [PAGE]})

    called = call("check", "--json", "--ledger", ledger, stdin=PAGE.encode())

    (verdict,) = called.lines()
    assert called.code == 1
    assert (verdict["gate"], verdict["violations"][0]["kind"]) == ("default@3", "search_only")


def test_check_takes_another_gate(call: Call) -> None:
    ledger = _write("l.json", {"fetched": ["https://es.wikipedia.org/wiki/Espa"]})
    answer = "https://es.wikipedia.org/wiki/España".encode()

    assert call("check", "--ledger", ledger, stdin=answer).code == 1
    assert call("check", "--ledger", ledger, "--gate", "seed", stdin=answer).code == 0


def test_check_in_batch_writes_a_line_for_each(call: Call) -> None:
    cases = [
        {"id": "a", "text": PAGE, "fetched": [PAGE], "searched": []},
        {"id": 2, "text": f"{PAGE} {PAGE}-2", "searched": [PAGE]},
        {"id": "c", "text": "none\u2028"},
    ]
    name = _write("b.jsonl", "\n".join(json.dumps(case, ensure_ascii=False) for case in cases))

    called = call("check", "--batch", name)

    assert called.code == 0
    assert [(line["id"], line["verdict"]) for line in called.lines()] == [
        ("a", "pass"),
        (2, "rejected"),
        ("c", "rejected"),
    ]
    assert [line["kinds"] for line in called.lines()] == [
        [],
        ["search_only", "unknown_url"],
        ["no_citation"],
    ]
    assert called.lines()[1]["violations"][1]["nearest"] == PAGE
    assert call("check", "--batch", stdin=Path(name).read_bytes()).out == called.out


SEEN = {
    "opened": ({"fetched": [PAGE]}, []),
    "found": ({"searched": [PAGE]}, ["search_only"]),
    "failed": ({"failed": [PAGE], "searched": [PAGE]}, ["fetch_failed"]),
    "given": ({"given": [PAGE]}, ["user_given"]),
    "lists": ({"ledger": {"fetched": [PAGE]}}, []),
    "urls": ({"ledger": [PAGE]}, []),
    "a record": ({"ledger": [{"url": PAGE, "state": "fetched"}]}, []),
    "a redirect": (
        {"ledger": [{"url": f"{PAGE}-new", "observed": [PAGE], "state": "fetched"}]},
        [],
    ),
    "a wall": (
        {"ledger": [{"url": PAGE, "state": "fetched", "evidence": "login_wall"}]},
        ["not_evidence"],
    ),
    "what came": (
        {"ledger": [{"url": PAGE, "state": "failed", "failure": "http_410"}]},
        ["fetch_failed"],
    ),
    "the guard": (
        {"ledger": [{"url": PAGE, "state": "failed", "failure": "blocked"}]},
        ["fetch_blocked"],
    ),
}


@pytest.mark.parametrize("seen", SEEN)
def test_a_line_says_all_that_a_ledger_can(call: Call, seen: str) -> None:
    """Check in batch, check with --ledger and test read the same, and rule the same."""
    fields, kinds = SEEN[seen]
    line = {"id": "a", "text": PAGE, **fields}
    name = _write("b.jsonl", json.dumps(line))
    ledger = _write("l.json", fields.get("ledger", fields))
    labelled = _write("t.jsonl", json.dumps({**line, "expected": kinds or "pass"}))

    (batch,) = call("check", "--batch", name).lines()
    one = call("check", "--ledger", ledger, "--json", _write("a.md", PAGE)).lines()[0]

    assert (batch["kinds"], batch["verdict"]) == (kinds, "rejected" if kinds else "pass")
    assert batch["violations"] == one["violations"]
    assert call("test", labelled).code == 0


@pytest.mark.parametrize("command", [("check", "--batch"), ("test",)])
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"ftched": [PAGE]}, "b.jsonl:1: unknown field 'ftched'; did you mean 'fetched'?; known:"),
        ({"fetched": "x"}, "b.jsonl:1: fetched: expected a list of URLs"),
        ({"given": [1]}, "b.jsonl:1: given: expected a list of URLs"),
        ({"ledger": [], "fetched": []}, "b.jsonl:1: ledger: stands beside fetched"),
        ({"ledger": {"opened": []}}, "b.jsonl:1: ledger: opened: unknown; expected fetched"),
        ({"ledger": [{"url": PAGE, "state": "open"}]}, "b.jsonl:1: ledger: record 1: state: Input"),
        (
            {"ledger": [{"url": PAGE, "state": "fetched", "failure": "http_404"}]},
            "b.jsonl:1: ledger: record 1: failure: is of a page that was not opened",
        ),
        ({"id": True}, "b.jsonl:1: id: expected text or a whole number"),
        ({"id": 1.5}, "b.jsonl:1: id: expected text or a whole number"),
        ({"expected": [3]}, "b.jsonl:1: expected: give"),
    ],
)
def test_a_line_that_is_wrong_says_where(
    call: Call, command: tuple[str, ...], fields: dict[str, object], said: str
) -> None:
    line = {"id": "a", "text": PAGE, "expected": "pass", **fields}

    called = call(*command, _write("b.jsonl", json.dumps(line)))

    assert called[:2] == (2, "")
    assert called.err.startswith(f"research-eval: error: {said}")


def test_explain_shows_the_way_of_each_url(call: Call) -> None:
    answer = _write("a.md", f"See [it]({PAGE}/?utm_source=x)\nAnd (https://river.example.org/x). z")
    ledger = _write("l.json", {"fetched": [PAGE], "searched": ["https://river.example.org/x."]})

    called = call("explain", answer, "--ledger", ledger)

    assert called.code == 0
    assert called.out.splitlines() == [
        f"1:10: {PAGE}/?utm_source=x",
        f'  sentence  "See [it]({PAGE}/?utm_source=x)"',
        f"  read as   {PAGE}/?utm_source=x (markdown destination)",
        f"  key       {PAGE}",
        "  ledger    opened",
        "  ruling    may be cited",
        "2:6: https://river.example.org/x",
        '  sentence  "And (https://river.example.org/x)."',
        "  read as   https://river.example.org/x (bare URL)",
        "  key       https://river.example.org/x",
        "  ledger    not in the ledger",
        "  nearest   https://river.example.org/silt (another path)",
        *called.out.splitlines()[12:],
    ]
    assert called.out.splitlines()[12].startswith("  ruling    unknown_url: ")


def test_explain_says_of_what_is_no_citation_where_it_stands(call: Call) -> None:
    answer = _write("a.md", f"See {PAGE}\nor doi:10.1/x")
    ledger = _write("l.json", [PAGE])

    called = call("explain", answer, "--ledger", ledger, "--url", "10.1/x")

    assert called.code == 2
    assert "'10.1/x' stands at 2:8 and is read as no citation" in called.err
    damaged = _write("d.md", "See https：//a.example.org/x.")  # a full-width colon
    called = call("explain", damaged, "--ledger", ledger, "--url", "a.example.org")
    assert "is read as no citation (a damaged URL: scheme)" in called.err
    (found,) = call("explain", answer, "--ledger", ledger, "--url", "silt", "--json").lines()
    assert (found["violation"], found["lookups"][0]["record"]["state"]) == (None, "fetched")


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"state": "given"}, "in the question, never opened"),
        ({"state": "failed", "failure": "timeout"}, "tried without success: timeout"),
        ({"failure": "http_404"}, "a search hit, tried without success: http_404"),
        ({"state": "fetched", "alias_of": "https://b.example/"}, "opened, as an alias of https"),
        ({"state": "fetched", "evidence": "bot_wall"}, "opened, but no evidence: bot_wall"),
    ],
)
def test_explain_says_what_the_ledger_holds(call: Call, record: dict[str, str], said: str) -> None:
    ledger = _write("l.json", [{"url": PAGE, **record}])

    assert f"  ledger    {said}" in call("explain", "--ledger", ledger, stdin=PAGE.encode()).out


def test_cites_lists_each_url_once(call: Call) -> None:
    called = call("cites", _write("a.md", f"{PAGE}, [x](https://ja.example/日本) and {PAGE}."))

    assert called == (0, f"{PAGE}\nhttps://ja.example/日本\n", "")


def test_cites_writes_spans_as_json(call: Call) -> None:
    (found,) = call("cites", "--json", stdin=f"({PAGE}.)".encode()).lines()

    assert found == [{"url": PAGE, "start": 1, "end": 31, "form": "bare", "readings": [f"{PAGE}."]}]


def test_cites_in_batch(call: Call) -> None:
    called = call(
        "cites", "--batch", "-", stdin=b'{"id": 1, "text": "https://a.example/\\ud800"}\n\n'
    )

    assert called.lines() == [{"id": 1, "urls": ["https://a.example/"]}]


def test_key_prints_keys(call: Call) -> None:
    called = call("key", "HTTPS://www.a.example/b/", "urn:x")

    assert called.out == "https://a.example/b\nurn:x\n"
    assert call("key", stdin=b"https://a.example/%7e\n").out == "https://a.example/~\n"
    assert call("key", "--json", "urn:x").lines() == [
        {"url": "urn:x", "key": "urn:x", "is_canonical": False}
    ]


def test_key_in_batch(call: Call) -> None:
    line = b'{"id": "q", "a": "https://a.example/b/", "b": "https://a.example/b"}'

    assert call("key", "--batch", stdin=line).lines() == [{"id": "q", "same": True}]


@pytest.mark.parametrize(
    ("words", "stdin", "said"),
    [
        (("check", "none.md", "--ledger", "l.json"), b"", "l.json: No such file or directory"),
        (("check",), b"x", "gate check: give --ledger FILE"),
        (("check", "--ledger", "-"), b"x", "gate check: the answer and the ledger cannot both be"),
        (("check", "--gate", "none", "--batch"), b"", "unknown gate 'none'"),
        (("check", "--batch"), b"\n{", "-:2: not JSON"),
        (("check", "--batch"), b"[]", "-:1: expected an object with an id"),
        (("check", "--batch"), b'{"id": 1}', "-:1: text: expected text"),
        (("check", "--batch"), b'{"id": 1, "text": "", "fetched": "x"}', "-:1: fetched: expected"),
        (("cites",), b"\xff", "-: not UTF-8 at byte 0"),
        (("key", "--batch"), b'{"id": 1, "a": ""}', "-:1: b: expected text"),
        (("compare", "nowhere"), b"", "nowhere"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    call: Call, words: tuple[str, ...], stdin: bytes, said: str
) -> None:
    called = call(*words, stdin=stdin)

    assert called.code == 2
    assert called.out == ""
    assert called.err.startswith(f"research-eval: error: {said}")
    assert called.err.count("\n") == 1


@pytest.fixture
def run(tmp_path: Path) -> str:
    events = [
        Fetched(url=f"{PAGE}_(river)", ok=True),
        Fetched(url="https://a.example/x", ok=True),
        AnswerChecked(attempt=1, answer=f"({PAGE}_(river))", verdict=Verdict(gate="default@1")),
        AnswerChecked(
            attempt=2, answer="[x](https://a.example/x!)", verdict=Verdict(gate="default@1")
        ),
        AnswerChecked(attempt=3, answer="https://a.example/x", verdict=Verdict(gate="default@1")),
    ]
    trial = TrialRecord(
        case_id="c1",
        configuration="m",
        trial=1,
        question="?",
        status="completed",
        transcript=tuple(events),
    )
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "trials.jsonl").write_text(trial.model_dump_json() + "\n", encoding="utf-8")
    return str(folder)


FLIPS = ("c1 m 1 1 blocked_to_passed", "c1 m 1 2 passed_to_blocked")


def test_compare_prints_flips_and_fails(call: Call, run: str) -> None:
    called = call("compare", run)

    lines = [line for line in called.out.splitlines() if not line.startswith("  ")]
    assert called.code == 1
    assert [line.split("\t")[0] for line in lines[:2]] == list(FLIPS)
    assert lines[1].split("\t")[1] == "unknown_url https://a.example/x!"
    assert lines[2:] == [
        "blocked_to_passed: 1 by unknown_url",
        "passed_to_blocked: 1 by unknown_url (another path)",
        "3 attempts, 2 flips, 2 not expected",
    ]
    assert "  unknown_url https://a.example/x!; nearest page https://a.example/x, " in called.out
    assert called.err == "result: failed (exit 1): 3 attempts, 2 flips, 2 not expected\n"


def test_compare_accepts_its_own_lines_as_expected(call: Call, run: str) -> None:
    printed = [line for line in call("compare", run).out.splitlines() if "\t" in line]
    expect = _write("expect.txt", "# wanted\n" + "\n".join(printed) + "\n")

    called = call("compare", run, "--expect", expect)

    assert called.code == 0
    assert called.out.endswith("3 attempts, 2 flips, 0 not expected\n")


def test_compare_of_a_gate_with_itself_is_quiet(call: Call, run: str) -> None:
    called = call("compare", run, "--base", "default", "--head", "default@3")

    assert called[:2] == (0, "3 attempts, 0 flips, 0 not expected\n")
    assert "note: base default and head default@3 are the same code" in called.err


@pytest.mark.parametrize(
    ("by", "group"),
    [
        ("reason", "unknown_url (another path)"),
        ("kind", "unknown_url"),
        ("url", "https://a.example/x!"),
        ("host", "a.example"),
        ("case", "c1"),
        ("configuration", "m"),
    ],
)
def test_compare_groups_for_a_reviewer(call: Call, run: str, by: str, group: str) -> None:
    called = call("compare", run, "--group-by", by)

    lines = called.out.splitlines()
    at = lines.index(f"passed_to_blocked: 1 by {group}")
    assert called.code == 1
    assert lines[at + 1] == f"  {FLIPS[1]}"
    assert lines[at + 2].endswith('; in "[x](https://a.example/x!)"')
    assert lines[-1] == "3 attempts, 2 flips, 2 not expected"

    found = {one["change"]: one for one in call("compare", run, "--group-by", by, "--json").lines()}
    assert (found["passed_to_blocked"]["group"], found["passed_to_blocked"]["flips"]) == (group, 1)
    (finding,) = found["passed_to_blocked"]["examples"][0]["findings"]
    assert finding["sentence"] == "[x](https://a.example/x!)"
    assert (finding["nearest"], finding["difference"]) == ("https://a.example/x", "path")


def test_compare_writes_json_and_junit(call: Call, run: str) -> None:
    expect = _write("expect.txt", FLIPS[0])

    called = call("compare", run, "--json", "--junit", "j.xml", "--expect", expect)

    assert [(line["change"], line["expected"]) for line in called.lines()] == [
        ("blocked_to_passed", True),
        ("passed_to_blocked", False),
    ]
    root = ET.parse("j.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("3", "1")
