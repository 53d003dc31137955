"""`gate test` and the file of wanted flips: what a gate's owner runs first in CI."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from research_eval.cli.gate import gate
from research_eval.errors import UsageError
from research_eval.gate.expect import Expectations
from research_eval.gate.flip import Flip, sentence_of
from research_eval.gate.labelled import is_as_expected, read_labelled
from research_eval.schema import Verdict, Violation

PAGE = "https://a.example/page"
HIT = "https://a.example/hit"
LINES = [
    {"id": "good", "text": f"It is 4 ({PAGE}).", "fetched": [PAGE], "expected": "pass"},
    {"id": "made-up", "text": "First. It is 4 (https://b.example/x). Last.", "fetched": [PAGE],
     "expected": ["unknown_url https://b.example/x"]},
    {"id": "hit", "text": f"It is 4 ({HIT}).", "searched": [HIT], "expected": ["search_only"]},
    {"id": "silent", "text": "It is 4.", "expected": ["no_citation"], "note": "for people"},
]  # fmt: skip


@pytest.fixture
def call(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)

    def run(*words):
        done = CliRunner().invoke(gate, list(map(str, words)), standalone_mode=False)
        if done.exception is not None:
            raise done.exception
        return done.return_value, done.stdout, done.stderr

    return run


def write_lines(lines, name="answers.jsonl"):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    Path(name).write_text(text, encoding="utf-8")
    return name


def changed(**by_id):
    return [{**line, **by_id.get(line["id"].replace("-", "_"), {})} for line in LINES]


def test_answers_as_expected_pass(call):
    code, out, err = call("test", write_lines(LINES))

    assert (code, out) == (0, "4 answers, 0 not as expected\n")
    assert err == "result: done (exit 0): 4 answers, 0 not as expected\n"


def test_a_difference_fails_with_sentence_and_reason(call):
    wrong = changed(made_up={"expected": "pass"}, good={"expected": ["unknown_url"]})

    code, out, err = call("test", write_lines(wrong), "--junit", "junit.xml")

    assert code == 1
    assert "FAILED  made-up  expected pass  found unknown_url https://b.example/x" in out
    assert '"It is 4 (https://b.example/x)' in out
    assert "at answers.jsonl:2" in out
    assert err.startswith("result: failed (exit 1): 4 answers, 2 not as expected")
    root = ET.parse("junit.xml").getroot()
    assert [case.get("name") for case in root.iter("testcase") if len(case)] == ["good", "made-up"]
    assert (root.get("failures"), root.get("errors")) == ("2", "0")


def test_update_writes_what_came_and_leaves_other_lines_alone(call):
    name = write_lines(changed(made_up={"expected": "pass"}, silent={"expected": None}))
    before = Path(name).read_text("utf-8").splitlines()

    assert call("test", name, "--update")[0] == 0

    after = Path(name).read_text("utf-8").splitlines()
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, False]
    assert json.loads(after[1])["expected"] == ["unknown_url https://b.example/x"]
    assert call("test", name)[0] == 0


def test_csv_is_read_and_updated(call):
    Path("a.csv").write_text(
        "id,text,fetched,searched,expected\n"
        f'good,"It is 4, ({PAGE}).",{PAGE} {HIT},,pass\n'
        f"hit,It is 4 ({HIT}).,,{HIT},search_only {HIT}\n"
        "silent,It is 4.,,,pass\n",
        encoding="utf-8",
    )

    assert call("test", "a.csv")[0] == 1
    assert call("test", "a.csv", "--update")[0] == 0
    assert Path("a.csv").read_text("utf-8").splitlines()[-1] == "silent,It is 4.,,,no_citation"
    assert call("test", "a.csv")[0] == 0


def test_base_compares_two_gates_over_the_same_file(call):
    cut = {"id": "cut", "text": "(https://a.example/a_(b))", "fetched": ["https://a.example/a_(b)"]}

    code, out, _ = call("test", write_lines([cut]), "--base", "seed")
    assert code == 1
    assert "flip  cut: blocked_to_passed: unknown_url https://a.example/a_(b" in out

    code, out, _ = call("test", write_lines([{**cut, "expected": "pass"}]), "--base", "seed")
    assert (code, "1 flips" in out) == (0, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"id": "a", "text": "x"}', r":1: expected: is missing"),
        ('{"id": "a", "text": "x", "expeted": "pass"}', "did you mean 'expected'"),
        ('{"id": "a", "text": 1, "expected": "pass"}', ":1: text: expected text"),
        ('{"id": "a", "text": "x", "fetched": "u", "expected": "pass"}', "expected a list of URLs"),
        ('{"id": "a", "text": "x", "expected": []}', "a list of kinds"),
        ('{"id": "a", "text": "x", "expected": [1]}', "a list of kinds"),
        ("{", ":1: not JSON"),
        ("[]", ":1: expected an object"),
        ("\n\n", "holds no answer"),
        ('{"id":"a","text":"","expected":"pass"}\n' * 2, ":2: duplicate id 'a', first on line 1"),
    ],
)
def test_a_file_that_is_wrong_is_refused_with_its_line(call, text, words):
    Path("a.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=words):
        call("test", "a.jsonl")


def test_csv_with_a_missing_cell_is_refused():
    with pytest.raises(UsageError, match=r"a\.csv:2: expected a value a column"):
        read_labelled("id,text,expected\na,b\n", "a.csv")


@pytest.mark.parametrize(
    ("came", "expected", "is_right"),
    [
        ([], (), True),
        ([("a", "u")], (), False),
        ([], ("a",), False),
        ([("a", "u"), ("a", "v")], ("a",), True),
        ([("a", "u"), ("a", "v")], ("a u",), False),
        ([("a", "u"), ("a", "v")], ("a u", "a v"), True),
        ([("a", "u"), ("b", None)], ("a u", "b"), True),
        ([("a", "u")], ("a u", "b"), False),
    ],
)
def test_a_verdict_has_the_expected_violations_and_no_other(came, expected, is_right):
    verdict = Verdict(gate="g", violations=[Violation(kind=k, url=u) for k, u in came])
    assert is_as_expected(verdict, expected) is is_right


def test_annotations_and_summary_appear_by_themselves_on_github(call, monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    hostile = {"id": "a:b,c", "text": "x (https://b.example/|x%0A::error::y)\n::error::z"}

    code, out, err = call("test", write_lines([{**hostile, "expected": "pass"}]))

    assert code == 1
    (line,) = [line for line in err.splitlines() if line.startswith("::")]
    assert line.startswith("::error file=answers.jsonl,line=1,title=gate test%3A a%3Ab%2Cc::")
    assert not any(line.lstrip().startswith("::") for line in out.splitlines())
    summary = (tmp_path / "summary.md").read_text("utf-8")
    assert "1 answers, 1 not as expected" in summary
    assert "https\\://b.example/\\|x" in summary


def flip(
    case="c1", configuration="m", change="passed_to_blocked", reason="unknown_url https://x/?a"
):
    return Flip(case_id=case, configuration=configuration, trial=1, attempt=2, change=change, reason=reason)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "covers"),
    [
        ("c1 m 1 2 passed_to_blocked", True),
        ("* * * * *", True),
        ("c? mi* 1 2 *", False),
        ("c? m* * * passed_*", True),
        ("c1 m 1 2 passed_to_blocked\tunknown_url *", True),
        ("c1 m 1 2 passed_to_blocked\tunknown_url https://x/?a", True),
        ("c1 m 1 2 passed_to_blocked\tsearch_only *", False),
        ("c1 m 1 2 passed_to_blocked # wanted since May", True),
        ("c1 m 1 2 blocked_to_passed", False),
    ],
)
def test_a_line_covers_flips_by_patterns(line, covers):
    expected = Expectations(line, "e.txt")
    assert expected.covers(flip()) is covers
    assert (expected.stale == []) is covers


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c1 m 1 2", r"e.txt:1: expected case, configuration, trial, attempt, change"),
        ("garbage", "found 1 words"),
        ("c1 m 1 2 passed", "change 'passed' is none of passed_to_blocked"),
    ],
)
def test_a_line_that_is_no_expectation_is_refused(line, words):
    with pytest.raises(UsageError, match=words):
        Expectations(line, "e.txt")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("c9 m 1 2 *", "e.txt:1: there is no case 'c9'"),
        ("c1 x 1 2 *", "e.txt:1: there is no configuration 'x'"),
        ("c1 m 9 9 *", "e.txt:1: no flip is like this any more"),
    ],
)
def test_a_line_that_names_no_flip_is_refused(line, words):
    expected = Expectations(line, "e.txt")
    expected.covers(flip())
    with pytest.raises(UsageError, match=words):
        expected.refuse_stale(["c1"], ["m"])


def test_an_update_keeps_remarks_and_used_lines_and_drops_stale_ones():
    expected = Expectations("# why\nc1 * * * *\nc2 * * * *\n", "e.txt")
    expected.covers(flip())

    text = expected.updated([flip("c3")])

    assert text == "# why\nc1 * * * *\nc3 m 1 2 passed_to_blocked\tunknown_url https://x/?a\n"
    again = Expectations(text, "e.txt")
    assert [again.covers(flip()), again.covers(flip("c3"))] == [True, True]
    again.refuse_stale(["c1", "c3"], ["m"])


def test_a_sentence_is_cut_to_its_bounds():
    text = "One. Two is here (https://x). Three."
    assert (
        sentence_of(text, text.index("https"), text.index("https") + 9)
        == "Two is here (https://x)."
    )
