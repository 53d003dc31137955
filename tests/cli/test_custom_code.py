"""Code of the user's own that fails is one line and exit status 2, from wherever it is loaded."""

import json
import sys
from pathlib import Path

import pytest

from research_eval.cli.main import main

BROKEN = {
    "syntax": ("def f(:\n", "SyntaxError: invalid syntax, at {}.py:1"),
    "raises": ("\nraise RuntimeError('no\\nluck')\n", "RuntimeError: no luck, at {}.py:2"),
    "exits": ("import sys\nsys.exit(0)\n", "SystemExit: 0, at {}.py:2"),
    "lacks": (
        "import json\nimport no_such_module\n",
        "No module named 'no_such_module', at {}.py:2",
    ),
    "no name": ("x = 1\n", "has no attribute 'f'"),
}

CALLED = {
    "divides": ("1 / 0", "ZeroDivisionError: division by zero, at {}.py:4"),
    "exits": ("raise SystemExit(0)", "SystemExit: 0, at {}.py:4"),
    "in a library": ("import json; json.loads('{')", "JSONDecodeError: .*, at {}.py:4"),
}

GATE = """\
from research_eval.gate import CitationGate
class Strict:
    id = "strict@1"
    def check(self, answer, ledger):
        {body}
    def corrective(self, verdict):
        return "no"
"""


@pytest.fixture
def call(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["research-eval", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capfd.readouterr()
        return int(caught.value.code or 0), out, err

    return run


@pytest.fixture
def module(tmp_path, request):
    """Write a module of a name that no other test loads, into the working folder."""
    written = []

    def write(text):
        name = f"own_{abs(hash(request.node.name))}_{len(written)}"
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
        written.append(name)
        return name

    yield write
    for name in written:
        sys.modules.pop(name, None)


def said(err):
    (line,) = err.splitlines()
    return line


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("kind", ["scorer", "gate"])
def test_a_module_that_cannot_be_imported_is_one_line(call, module, make_run, what, kind):
    text, words = BROKEN[what]
    name = module(text)
    make_run("run", {"a": ["1"]})
    (Path("a.md")).write_text("x", "utf-8")
    Path("l.json").write_text("[]", "utf-8")
    command = (
        ("score", "run", "--scorer", f"{name}:f")
        if kind == "scorer"
        else ("gate", "check", "a.md", "--ledger", "l.json", "--gate", f"{name}:f")
    )

    code, _, err = call(*command)

    assert code == 2
    assert said(err).startswith(f"research-eval: error: cannot load {kind} '{name}:f': ")
    assert words.format(name) in err


@pytest.mark.parametrize("name", [":f", "a:", ".a:f", "a..b:f", "a.:f"])
def test_a_path_without_module_or_name_says_what_is_expected(call, make_run, name):
    make_run("run", {"a": ["1"]})

    code, _, err = call("score", "run", "--scorer", name)

    assert code == 2
    assert "expected package.module:name" in said(err)


def test_what_stands_nowhere_says_where_it_was_looked_for(call, make_run):
    make_run("run", {"a": ["1"]})

    code, _, err = call("score", "run", "--scorer", "no_such_module:f")

    assert code == 2
    assert "neither installed nor in the working folder" in said(err)


def test_an_unknown_scorer_is_told_of_the_judge_too(call, make_run):
    make_run("run", {"a": ["1"]})

    code, _, err = call("score", "run", "--scorer", "jugde")

    assert code == 2
    assert ", judge, " in said(err)


def test_a_module_of_the_working_folder_is_found_and_the_path_stays(call, module, make_run):
    name = module(
        "from research_eval.schema import Scored\n"
        "from research_eval.scorer import Measure, declares\n"
        "@declares(Measure('mine', 'yes_no', 'higher', 'mine', 'For tests.'))\n"
        "def f(c, t, p):\n    yield Scored(name='mine', value=1)\n"
    )
    make_run("run", {"a": ["1"]})
    before = list(sys.path)

    assert call("score", "run", "--scorer", f"{name}:f")[0] == 0
    assert sys.path == before


def test_a_module_that_is_found_elsewhere_is_not_taken_from_the_working_folder(call, make_run):
    Path("json.py").write_text("raise RuntimeError('taken')\n", "utf-8")
    make_run("run", {"a": ["1"]})
    before = sys.modules["json"]

    code, _, err = call("score", "run", "--scorer", "json:no_such_name")

    assert code == 2
    assert "taken" not in err
    assert sys.modules["json"] is before


@pytest.mark.parametrize("what", CALLED)
def test_a_scorer_that_fails_names_the_trial_and_the_line(call, module, make_run, what):
    body, words = CALLED[what]
    declared = (
        "from research_eval.scorer import Measure, declares\n"
        "@declares(Measure('mine', 'yes_no', 'higher', 'mine', 'For tests.'))\n"
    )
    name = module(f"{declared}def f(case, trial, pages):\n    {body}\n")
    make_run("run", {"a": ["1"]})

    code, _, err = call("score", "run", "--scorer", f"{name}:f")

    assert code == 2
    assert (line := said(err)).endswith(" (case-1, a, trial 1)")
    assert line.startswith(f"research-eval: error: scorer '{name}:f': ")
    first, _, last = words.format(name).partition(".*")
    assert first in line
    assert last in line
    assert not Path("run/scores.jsonl").exists()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("1 / 0", "check: ZeroDivisionError: division by zero, at {}.py:5"),
        ("return None", "check: expected a Verdict, not None"),
    ],
)
def test_a_gate_that_fails_names_the_answer(call, module, make_run, body, words):
    name = module(GATE.format(body=body))
    words = words.format(name)
    make_run("run", {"a": ["1"]})
    Path("a.md").write_text("x", "utf-8")
    Path("l.json").write_text("[]", "utf-8")
    Path("b.jsonl").write_text(json.dumps({"id": 1, "text": "x"}) + "\n", "utf-8")
    gate = ("--gate", f"{name}:Strict")

    for place, command in {
        "a.md": ("check", "a.md", "--ledger", "l.json", *gate),
        "b.jsonl:1": ("check", "--batch", "b.jsonl", *gate),
        "case-1, a, trial 1, attempt 1": ("compare", "run", "--head", f"{name}:Strict"),
    }.items():
        code, _, err = call("gate", *command)
        assert code == 2
        assert said(err) == f"research-eval: error: gate '{name}:Strict': {words} ({place})"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def Strict():\n    return 1 / 0\n", "cannot be made: ZeroDivisionError"),
        ("def Strict(a):\n    pass\n", "cannot be made without arguments: TypeError"),
        (GATE.format(body="pass").replace('"strict@1"', "1"), "id: expected a str, not 1"),
        (GATE.format(body="pass").replace('"strict@1"', '""'), "its id is empty"),
    ],
)
def test_a_gate_that_cannot_be_made_is_one_line(call, module, text, words):
    name = module(text)
    Path("b.jsonl").write_text("", "utf-8")

    code, _, err = call("gate", "check", "--batch", "b.jsonl", "--gate", f"{name}:Strict")

    assert code == 2
    assert words in said(err)


def test_a_ledger_beside_a_batch_is_refused(call):
    Path("b.jsonl").write_text("", "utf-8")

    code, out, err = call("gate", "check", "--batch", "b.jsonl", "--ledger", "l.json")

    assert (code, out) == (2, "")
    assert "--ledger is not for --batch" in said(err)
