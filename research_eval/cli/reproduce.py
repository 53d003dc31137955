"""`research-eval reproduce`: the commands that make a run again, and what is not the same here."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from research_eval.schema import Execution, RunRecord

__all__ = ["reproduce"]

GOES_ON = ("--retry-errors", "--overwrite", "--no-report", "--stale")
"""Options that speak of the folder as it was, and of no result."""


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
def reproduce(run: Path) -> int:
    """Print the commands that repeat the run in folder RUN and compare both.

    Lines that begin with # say what it was made with, and what differs here. Nothing is executed.
    """
    from research_eval.errors import RecordError
    from research_eval.journal import RunFolder

    folder = RunFolder(run)
    manifest, executions = folder.manifest(), folder.executions()
    if not executions:
        raise RecordError(f"{run}: does not say how it was made; its version kept no executions")
    for line in _lines(run, manifest, executions):
        click.echo(line)
    return 0


def _lines(run: Path, manifest: "RunRecord", executions: "list[Execution]") -> "Iterator[str]":
    first = executions[0]
    again = f"{run}-again"
    yield f"# {manifest.experiment}: {manifest.planned} trials, executed {len(executions)} times"
    yield f"# cases {manifest.dataset_sha256}"
    yield f"# recordings {manifest.cassettes_sha256 or 'none'}"
    for name, code in manifest.plugins.items():
        yield f"# code of {name} {code.sha256}"
    yield from _differences(first, executions)
    if first.git is not None:
        yield f"git checkout {first.git.commit}"
        if first.folder != ".":
            yield f"cd {shlex.quote(first.folder)}"
    wanted = {"research-eval": manifest.code_version, **manifest.packages}
    pinned = (f"{name}=={version}" for name, version in wanted.items() if version != "unknown")
    yield f"pip install {' '.join(pinned)}"
    yield f"research-eval {shlex.join(_command(first, again))}"
    yield f"research-eval compare {shlex.quote(str(run))} {shlex.quote(again)} --fail-on regression"


def _command(first: "Execution", again: str) -> list[str]:
    """Return a command that replays what was recorded, into another folder."""
    words, kept = list(first.command), list[str]()
    if words[:1] == ["demo"]:
        words[0] = "run"
    while words:
        word = words.pop(0)
        if word in {"--out", "--model", "--web"}:
            words = words[1:]
        elif word not in GOES_ON and not word.startswith(("--out=", "--model=", "--web=")):
            kept.append(word)
    if kept == ["run"]:
        kept.append("bundled")
    if kept[:1] in (["record"], ["replay"]):
        kept[0] = "run"
    return [*kept, "--out", again]


def _differences(first: "Execution", executions: "list[Execution]") -> "Iterator[str]":
    """Say what differs between executions, and from here."""
    from research_eval.runner.identity import execution_now

    if first.git is None:
        yield "# made outside of a git repository, or without git"
    elif not first.git.is_clean:
        yield "# files differed from that commit: it alone may not make the same run"
    if len({one.git and one.git.commit for one in executions}) > 1:
        yield "# its executions ran at different commits"
    here = execution_now((), Path.cwd())
    for name, then, now in (
        ("Python", first.python, here.python),
        ("platform", first.platform, here.platform),
    ):
        yield f"# {name} {then}" + ("" if then == now else f"; here it is {now}")
    changed = [n for n, version in first.packages.items() if here.packages.get(n) != version]
    if changed:
        shown = ", ".join(changed[:5]) + (", …" if len(changed) > 5 else "")
        yield f"# {len(changed)} installed packages differ here: {shown}"
