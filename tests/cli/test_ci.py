"""A project's CI: every line of the Action and of the GitLab template, over a gate that a branch changed."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.forge import ROOT, Runner, action_steps, gitlab_job, tiny_wheel
from tests.repository import Repository

GATE = """
from acme.rules import LETS_PASS
from research_eval.gate import CitationGate
from research_eval.schema import Verdict

class Strict(CitationGate):
    id = "strict@1"

    def check(self, answer, ledger):
        found = super().check(answer, ledger)
        kept = tuple(v for v in found.violations if v.kind not in LETS_PASS)
        return Verdict(gate=self.id, citations=found.citations, violations=kept)
"""
EXPERIMENT = """
name = "mine"
dataset = "cases.jsonl"
cassettes = "cassettes"
synthetic = true
record_from = "world"

[defaults]
gate = "acme.gates:Strict"
agent.max_retries = 0
search.chain = ["serper"]

[[configuration]]
name = "silent"
model = "reference:no-citer"

[[configuration]]
name = "honest"
model = "reference:honest"
"""
CASES = [{"id": f"toll-{n}", "question": f"What is the toll number {n}?"} for n in (1, 2, 3)]
ANSWERS = [
    {"id": "guess", "text": "It is 4 (https://a.example/x).", "expected": ["unknown_url"]},
]
KEY = "s3cret-of-the-environment"


def write_lines(repository, name, lines):
    repository.write(name, "".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A project whose branch `change` has another gate than `main`, so that two verdicts flip."""
    made = Repository(tmp_path_factory.mktemp("ci") / "origin")
    made.write("src/acme/__init__.py", "")
    made.write("src/acme/gates.py", GATE)
    made.write("src/acme/rules.py", "LETS_PASS = ['no_citation']\n")
    made.write("mine.toml", EXPERIMENT)
    write_lines(made, "cases.jsonl", CASES)
    write_lines(made, "answers.jsonl", ANSWERS)
    made.write(".gitignore", "reports\n__pycache__\n")
    done = made.run("record", "mine.toml", "--no-report")
    assert done.returncode == 0, done.stderr
    made.commit("three cases")
    made.git("tag", "three")
    write_lines(made, "cases.jsonl", CASES[:2])
    made.commit("base")
    made.git("checkout", "-q", "-b", "change")
    made.write("src/acme/rules.py", "LETS_PASS = []\n")
    made.commit("stricter")
    return made


@pytest.fixture(scope="module")
def runner(origin):
    """A shallow clone of the branch, as the runner of a forge makes it."""
    work = origin.root.parent / "work"
    site = origin.root.parent / "site"
    words = ["--depth=1", "--branch", "change", f"file://{origin.root}", str(work)]
    subprocess.run(["git", "clone", "-q", *words], check=True)
    return Runner(work, site)


def test_the_action_names_the_flips_of_a_change_everywhere(origin, runner):
    base = origin.git("rev-parse", "main")
    wheels = [tiny_wheel(origin.root.parent, name) for name in ("ours", "theirs")]
    summary, output = (origin.root.parent / name for name in ("summary.md", "output"))
    github = {
        "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(runner.folder), "SERPER_API_KEY": KEY,
        "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output),
    }  # fmt: skip
    steps = action_steps(
        ROOT / "action.yml", experiment="mine.toml", answers="answers.jsonl", base=base,
        expect="expected.txt", install=str(wheels[1]), research_eval=str(wheels[0]),
    )  # fmt: skip

    said = {name: runner.run(script, **env, **github) for name, script, env in steps}

    assert {name: done.returncode for name, done in said.items()} == {
        "Install": 0, "Get the base": 0, "Run": 1,
    }, said["Run"].stderr  # fmt: skip
    assert {path.name for path in runner.site.glob("*.py")} == {"ours.py", "theirs.py"}
    assert output.read_text() == "status=1\n"
    last = said["Run"].stderr.splitlines()[-1]
    assert last == "result: failed (exit 1): answers 0, run 0, base 0, gate 1, compare 0"
    flips = [f"passed_to_blocked: {case} silent" for case in ("toll-1", "toll-2")]
    annotations = [line for line in said["Run"].stderr.splitlines() if line.startswith("::error")]
    place = "::error file=src/acme/gates.py,line=6,title="
    assert [line.split("::")[1] + "::" for line in annotations] == [
        f"{place[2:]}{flip.replace(':', '%3A')}::" for flip in flips
    ]
    comment = (runner.folder / "reports/ci/comment.md").read_text("utf-8")
    for text in (summary.read_text("utf-8"), comment):
        assert [f"toll-{n} silent #1.1 | passed\\_to\\_blocked" in text.replace("\\-", "-").replace("\\#", "#") for n in (1, 2)] == [True, True]  # fmt: skip
    assert "ci run mine.toml --answers answers.jsonl" in comment
    junit = ET.parse(runner.folder / "reports/ci/junit/gate.xml").getroot()
    failed = [f"{c.get('classname')} {c.get('name')}" for c in junit.iter("testcase") if len(c)]
    assert failed == [f"silent toll-{n} trial 1 attempt 1" for n in (1, 2)]
    everything = [path for path in (runner.folder / "reports/ci").rglob("*") if path.is_file()]
    assert not any(KEY.encode() in path.read_bytes() for path in everything)


def test_the_gitlab_job_fails_then_passes_with_what_was_expected_and_rot_is_refused(origin, runner):
    def job():
        script, env = gitlab_job(
            "research-eval", EXPERIMENT="mine.toml", EXPECT="expected.txt", OUT="reports/gitlab",
            RESEARCH_EVAL=str(tiny_wheel(origin.root.parent, "ours")),
            CI_PROJECT_DIR=str(runner.folder), CI_MERGE_REQUEST_DIFF_BASE_SHA=origin.git("rev-parse", "main"),
        )  # fmt: skip
        return runner.run(script, **env)

    first = job()
    advice = (runner.folder / "reports/gitlab/comment.md").read_text("utf-8").splitlines()[-1]
    accepted = runner.run(advice.strip())
    expected = runner.folder / "expected.txt"
    written = expected.read_text("utf-8")
    expected.write_text(written + "toll-1 honest 1 1 passed_to_blocked\n", encoding="utf-8")
    rotten = job()

    assert first.returncode == 1, first.stderr
    assert accepted.returncode == 0, accepted.stderr
    assert len(written.splitlines()) == 2
    assert rotten.returncode == 2
    assert "expected.txt:3: no flip is like this any more" in rotten.stderr
    assert rotten.stderr.splitlines()[-1].startswith("result: error (exit 2)")


def test_what_a_change_leaves_out_on_purpose_is_no_regression(origin):
    origin.git("checkout", "-q", "-B", "smaller", "main")
    origin.write("mine.toml", EXPERIMENT.partition('[[configuration]]\nname = "honest"')[0])

    done = origin.run("ci", "run", "mine.toml", "--base", "three")

    assert done.returncode == 0, done.stderr
    assert "left out by reports/ci/run: 1 cases: toll-3" in done.stderr
    assert "left out by reports/ci/run: 1 configurations: honest" in done.stderr


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        ((), 2, "nothing to do"),
        (("", "--answers", ""), 2, "nothing to do"),
        (("no.toml",), 2, "no.toml"),
        (("", "--answers", "answers.jsonl", "--expect-update"), 2, "name the file with --expect"),
    ],
)
def test_what_cannot_be_done_is_refused(origin, words, status, said):
    done = origin.run("ci", "run", *words)

    assert done.returncode == status
    assert said in done.stderr


def test_a_base_without_the_experiment_is_no_failure(origin):
    origin.git("checkout", "-q", "-B", "renamed", "main")
    origin.write("other.toml", EXPERIMENT)

    done = origin.run("ci", "run", "other.toml", "--base", "main")
    origin.git("checkout", "-q", "-f", "main")

    assert done.returncode == 0, done.stderr
    assert "run 0, base skipped" in done.stderr


@pytest.mark.parametrize("name", ["action.yml", ".ci/comment/action.yml"])
def test_an_action_is_valid_by_githubs_schema_and_its_scripts_hold_no_expression(name):
    checked("vendor.github-actions", ROOT / name)
    for step in yaml.safe_load((ROOT / name).read_text("utf-8"))["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_the_gitlab_template_is_valid_by_its_schema():
    checked("vendor.gitlab-ci", ROOT / ".ci/gitlab.yml", "--data-transform", "gitlab-ci")


DOCUMENTED = re.findall(r"```yaml\n# (\S+)\n(.*?)```", (ROOT / "docs/ci.md").read_text("utf-8"), re.DOTALL)  # fmt: skip


@pytest.mark.parametrize(("name", "text"), DOCUMENTED, ids=[name for name, _ in DOCUMENTED])
def test_a_file_of_the_document_is_valid_and_sets_what_there_is(name, text, tmp_path):
    path = tmp_path / Path(name).name
    path.write_text(text, encoding="utf-8")
    found = yaml.safe_load(text)
    if name.startswith(".github"):
        checked("vendor.github-workflows", path)
        (job,) = found["jobs"].values()
        given = job["steps"][-1].get("with", {})
        place = ROOT / ".ci/comment/action.yml" if "comment" in name else ROOT / "action.yml"
        assert given.keys() <= yaml.safe_load(place.read_text("utf-8"))["inputs"].keys()
        assert "pull_request_target" not in text
        assert "write" not in str(found["permissions"]) or "comment" in name
    elif name.startswith(".gitlab"):
        checked("vendor.gitlab-ci", path, "--data-transform", "gitlab-ci")
        job = yaml.safe_load((ROOT / ".ci/gitlab.yml").read_text("utf-8"))["research-eval"]
        assert found["research-eval"]["variables"].keys() <= job["variables"].keys()
    else:
        hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
        assert found["repos"][0]["hooks"][0]["id"] == hooks[0]["id"]


def checked(schema, path, *more):
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *more, str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_pre_commit_hook_judges_a_file_of_answers(tmp_path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert {"id", "name", "entry", "language"} <= set(hook)
    lines = "".join(json.dumps({**line, "expected": "pass"}) + "\n" for line in ANSWERS)
    (tmp_path / "answers.jsonl").write_text(lines, encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"

    words = [*hook["entry"].split(), "answers.jsonl"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, env={"PATH": path})  # fmt: skip

    assert hook["pass_filenames"] is False
    assert done.returncode == 1
    assert "FAILED  guess  expected pass" in done.stdout
