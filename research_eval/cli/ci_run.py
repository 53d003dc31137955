"""`research-eval ci run`: test, replay and compare with the base, each by its own command."""

import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.experiment import Experiment

__all__ = ["run"]

MARK = "<!-- research-eval -->"
"""What the comment on a pull request begins with, so that the next one takes its place."""
MOST_COMMENT_CHARS = 60_000
"""A comment on GitHub holds 65,536."""
ORDER = (2, 141, 130, 4, 1, 3, 0)
"""The exit status of the whole is the first of these that a step ended with."""


class Plan(NamedTuple):
    """What is asked for."""

    experiment: Path | None
    answers: Path | None
    gate: str | None
    base: str | None
    expect: Path | None
    expect_update: bool
    out: Path


class Step(NamedTuple):
    """One command that ran, or why it did not."""

    name: str
    command: str
    status: int | None
    """Its exit status; `None` if it did not run."""
    why: str = ""


_PATH = click.Path(path_type=Path)


def _given(_: click.Context, parameter: click.Parameter, value: str | None) -> object:
    """Take an empty value, as a variable that is not set gives it, for none."""
    if not value:
        return None
    return Path(value) if parameter.name not in {"gate", "base"} else value


@click.command()
@click.argument("experiment", default="", callback=_given)
@click.option("--answers", metavar="FILE", callback=_given, help="Answers for `gate test`.")
@click.option(
    "--gate",
    metavar="GATE",
    callback=_given,
    help="The gate to test; default: the one of the experiment's configurations.",
)
@click.option(
    "--base",
    metavar="REV",
    callback=_given,
    help="The revision to compare with: a commit, branch or tag that git has here.",
)
@click.option(
    "--expect",
    metavar="FILE",
    callback=_given,
    help="A file of expected flips, for `gate compare`.",
)
@click.option(
    "--expect-update", is_flag=True, help="Write the flips of today into the --expect file."
)
@click.option(
    "--out",
    type=_PATH,
    default=Path("reports/ci"),
    show_default=True,
    help="The folder for results.",
)
def run(
    experiment: Path | None,
    answers: Path | None,
    gate: str | None,
    base: str | None,
    expect: Path | None,
    expect_update: bool,
    out: Path,
) -> int:
    """Test ANSWERS, replay EXPERIMENT, and compare with the revision --base, offline.

    Prints each command before it runs; an empty EXPERIMENT or option is one that is not given.
    The run of the base happens in a worktree, in a process that gets no key of the environment.
    Cases and configurations that the change leaves out are named and are no regression.
    Writes run/, base/, junit/, summary.md and comment.md into the folder --out.
    Exits with the first of 2, 141, 130, 4, 1, 3 and 0 that a command ended with.
    """
    if experiment is None and answers is None:
        raise UsageError("ci run: nothing to do: give EXPERIMENT or --answers FILE")
    if expect_update and expect is None:
        raise UsageError("--expect-update: name the file with --expect")
    plan = Plan(experiment, answers, gate, base, expect, expect_update, out)
    steps = list(_steps(_cleared(plan)))
    status = next(one for one in ORDER if one in {step.status for step in steps})
    _write(plan, steps, status)
    return _close(steps, status)


def _cleared(plan: Plan) -> Plan:
    """Remove what an earlier call left, and nothing else; leave out a file of flips that is not there.

    Raises:
        UsageError: If a file stands in the way.
    """
    try:
        (plan.out / "junit").mkdir(parents=True, exist_ok=True)
        for path in [*plan.out.glob("*.md"), *(plan.out / "junit").glob("*.xml")]:
            path.unlink()
        if (plan.out / "base/manifest.json").is_file():
            shutil.rmtree(plan.out / "base")
    except OSError as exc:
        raise UsageError(f"{plan.out}: cannot be written: {exc.strerror}") from exc
    return plan


def _steps(plan: Plan) -> Iterator[Step]:
    from research_eval.cli.run import read_and_choose

    if plan.experiment is None:
        yield _test(plan, plan.gate)
        return
    experiment = read_and_choose(plan.experiment, {})[0]
    own = _gates(experiment)
    gate = plan.gate or (own[0] if len(own) == 1 else None)
    if plan.answers is not None:
        yield _test(plan, gate)
    yield _replay(plan)
    if plan.base is not None:
        yield from _compare(plan, plan.base, experiment, gate, is_only=own == [gate])


def _gates(experiment: "Experiment") -> list[str]:
    return list(dict.fromkeys(one.gate for one in experiment.settings.configuration))


def _test(plan: Plan, gate: str | None) -> Step:
    words = ["gate", "test", str(plan.answers), "--gate", gate or "default"]
    if plan.base is not None and gate is not None and ":" in gate:
        words += ["--base", f"git:{plan.base}:{gate}"]
    return _call("answers", *words, *_outputs(plan, "answers"))


def _outputs(plan: Plan, name: str) -> list[str]:
    junit, summary = plan.out / "junit" / f"{name}.xml", plan.out / f"{name}.md"
    return ["--junit", str(junit), "--markdown", str(summary)]


def _replay(plan: Plan) -> Step:
    folder = plan.out / "run"
    done = _call("run", "run", str(plan.experiment), "--out", str(folder), "--overwrite")
    if (folder / "junit.xml").is_file():
        shutil.copyfile(folder / "junit.xml", plan.out / "junit" / "run.xml")
    return done


def _compare(
    plan: Plan, revision: str, experiment: "Experiment", gate: str | None, *, is_only: bool
) -> Iterator[Step]:
    """Replay the base, judge its answers by the gate on trial, and compare both runs."""
    done = _replay_base(plan, revision, experiment)
    yield done
    folder = plan.out / "base"
    if done.status is None or not (folder / "trials.jsonl").is_file():
        return
    if gate is None:
        yield Step("gate", "", None, "the configurations have several gates; name one with --gate")
    else:
        before = "recorded" if is_only or ":" not in gate else f"git:{revision}:{gate}"
        words = ["gate", "compare", str(folder), "--base", before, "--head", gate]
        if plan.expect is not None and (plan.expect.exists() or plan.expect_update):
            words += ["--expect", str(plan.expect)]
        words += ["--expect-update"] if plan.expect_update else []
        yield _call("gate", *words, *_outputs(plan, "gate"))
    if (plan.out / "run/trials.jsonl").is_file():
        words = [str(folder), str(plan.out / "run"), "--shared"]
        if _has_same_gates(folder, plan.out / "run"):
            words += ["--fail-on", "regression"]
        yield _call("compare", "compare", *words, *_outputs(plan, "compare"))


def _has_same_gates(base: Path, head: Path) -> bool:
    """Return whether no gate differs, so that `compare` rules; where one does, `gate compare` ruled."""
    ours, theirs = map(_gate_codes, (base, head))
    return all(ours[name] == theirs[name] for name in ours.keys() & theirs.keys())


def _gate_codes(folder: Path) -> dict[str, str]:
    """Return the gate of each configuration, and the code of each gate of the user's own."""
    from research_eval.journal import RunFolder

    manifest = RunFolder(folder).manifest()
    codes = {k: code.sha256 for k, code in manifest.plugins.items() if k.startswith("gate ")}
    return {**codes, **{one.name: one.gate for one in manifest.configurations}}


def _replay_base(plan: Plan, revision: str, experiment: "Experiment") -> Step:
    """Run the experiment as the base has it, with the base's code; its thresholds are its own affair."""
    from research_eval.revision import worktree

    path, out = experiment.path.resolve(), (plan.out / "base").resolve()
    with worktree(revision, f"--base {revision}") as tree:
        if not path.is_relative_to(tree.top) or not tree.folder_of(path).is_file():
            return Step("base", "", None, f"{revision} has no {plan.experiment}")
        here = tree.folder_of(Path.cwd())
        here.mkdir(parents=True, exist_ok=True)
        words = ["run", str(tree.folder_of(path)), "--out", str(out), "--no-report"]
        modules = [name.partition(":")[0] for name in _gates(experiment) if ":" in name] or [""]
        done = _call("base", *words, environment=tree.environment(modules), folder=here)
    if done.status == 2:
        return done._replace(status=3, why="the base cannot be run")
    return done._replace(status=done.status if done.status in {130, 141} else 0)


def _call(
    name: str,
    *words: str,
    environment: dict[str, str] | None = None,
    folder: Path | None = None,
) -> Step:
    """Run a command of this program, and say which."""
    command = shlex.join(["research-eval", *words])
    with _grouped(f"$ {command}"):
        done = subprocess.run(  # noqa: S603  # our own command
            [sys.executable, *(["-P"] if environment else []), "-m", "research_eval", *words],
            env=environment,
            cwd=folder,
            check=False,
        )
    return Step(name, command, done.returncode)


@contextmanager
def _grouped(title: str) -> Iterator[None]:
    """Print a title; on GitHub what follows folds under it."""
    from research_eval.cli.github import on_github

    click.echo(f"::group::{title}" if on_github() else title, err=True)
    sys.stdout.flush()
    yield
    if on_github():
        click.echo("::endgroup::", err=True)


def _write(plan: Plan, steps: Sequence[Step], status: int) -> None:
    """Write the summary and the comment, which a second job may publish."""
    from research_eval.cli.github import tell
    from research_eval.journal import write_whole

    text = _table(steps, status)
    tell(text, None)
    parts = [plan.out / f"{step.name}.md" for step in steps]
    text += "".join(f"\n{path.read_text('utf-8')}" for path in parts if path.is_file())
    write_whole(plan.out / "summary.md", text.encode("utf-8", "replace"))
    cut = text[:MOST_COMMENT_CHARS] + ("\n\n… cut\n" if len(text) > MOST_COMMENT_CHARS else "")
    content = f"{MARK}\n{cut}{_advice(plan, steps)}"
    write_whole(plan.out / "comment.md", content.encode("utf-8", "replace"))


def _table(steps: Sequence[Step], status: int) -> str:
    from research_eval.cli.github import markdown_table

    rows = [
        (step.name, "skipped" if step.status is None else _word(step.status), step.why)
        for step in steps
    ]
    return f"## research-eval: {_word(status)}\n\n{markdown_table(('step', 'result', 'why'), rows)}"


def _word(status: int) -> str:
    from research_eval.cli.closing import OUTCOMES

    return f"{OUTCOMES.get(status, 'error')} (exit {status})"


def _advice(plan: Plan, steps: Sequence[Step]) -> str:
    """Say what makes wanted flips pass."""
    found = next((step for step in steps if step.name == "gate"), None)
    if found is None or found.status != 1:
        return ""
    expect = plan.expect or Path("expected-flips.txt")
    given = {
        "--answers": plan.answers,
        "--gate": plan.gate,
        "--base": plan.base,
        "--expect": expect,
    }
    words = [str(plan.experiment)]
    words += [str(word) for key, value in given.items() if value for word in (key, value)]
    line = shlex.join(["research-eval", "ci", "run", *words, "--expect-update"])
    return f"\nAre these flips wanted? Read them, then commit what this writes:\n\n    {line}\n"


def _close(steps: Sequence[Step], status: int) -> int:
    """Say how the whole ended; an error was said by its command."""
    counts = ", ".join(
        f"{step.name} {'skipped' if step.status is None else step.status}" for step in steps
    )
    click.echo(f"result: {_word(status)}: {counts}", err=True)
    return status
