"""The command line: finds the command, and turns a `UsageError` into a line for each mistake and exit status 2."""

import io
import os
import sys
from importlib import import_module
from typing import TextIO

import click
from typing_extensions import override

from research_eval.errors import UsageError

__all__ = ["cli", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("research_eval.cli.run:demo", "compare the bundled models, offline"),
    "run": ("research_eval.cli.run:run", "run an experiment and report on it"),
    "init": ("research_eval.cli.init:init", "write a small experiment that runs at once"),
    "check": (
        "research_eval.cli.check:check",
        "ask each model, search provider and page once, before a run",
    ),
    "replay": (
        "research_eval.cli.replay:replay",
        "list trials that diverged from their recordings",
    ),
    "import": ("research_eval.cli.import_logs:import_logs", "make a run of logs of other agents"),
    "mcp": (
        "research_eval.cli.mcp:mcp",
        "offer the tools of one trial to an MCP client",
    ),
    "merge": ("research_eval.cli.merge:merge", "put the shards of a run together"),
    "record": (
        "research_eval.cli.run:record",
        "record what an experiment's cassettes do not hold yet",
    ),
    "report": (
        "research_eval.cli.report:report",
        "write the reports of a run again, from its records",
    ),
    "show": ("research_eval.cli.show:show", "print a trial of a run in the terminal"),
    "verify": (
        "research_eval.cli.verify:verify",
        "check a results bundle that somebody published",
    ),
    "cassette": (
        "research_eval.cli.cassette:cassette",
        "look at recordings, check and exchange them",
    ),
    "reproduce": (
        "research_eval.cli.reproduce:reproduce",
        "print the commands that make a run again",
    ),
    "score": ("research_eval.cli.score:score", "add scores to a stored run"),
    "compare": ("research_eval.cli.compare:compare", "say what changed from one run to another"),
    "plan": ("research_eval.cli.plan:plan", "say what a number of cases can show"),
    "dataset": (
        "research_eval.cli.dataset:dataset",
        "list, check and count the cases of a dataset",
    ),
    "local-model": ("research_eval.cli.local_model:local_model", "serve a small real model"),
    "world": ("research_eval.cli.world:world", "serve or list the bundled web"),
    "gate": ("research_eval.cli.gate:gate", "judge answers, list citations, compare gates"),
    "ci": ("research_eval.cli.ci:ci", "check a change against the branch it goes to"),
    "fetch": ("research_eval.cli.fetch:fetch", "open a page and show what a model would read"),
    "extract": (
        "research_eval.cli.extract:extract",
        "show what fetch makes of a document in a file",
    ),
    "search": (
        "research_eval.cli.search:search",
        "search the web and show what a model would read",
    ),
    "failover": (
        "research_eval.cli.failover:failover",
        "measure how a chain of search providers copes",
    ),
}
"""Command name: where it stands as `module:name`, and its line in `--help`."""


MAX_COMPLAINT_CHARS = 1000
"""How much of an error is shown; a damaged file may stand in its text."""


MAX_FAULTS = 50
"""How many mistakes of a file are shown."""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called, so that `--help` answers at once."""

    def __init__(self, *, commands_at: dict[str, tuple[str, str]], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]  # click's own keyword arguments
        self._commands_at = commands_at

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return [*self._commands_at, *super().list_commands(ctx)]

    @override
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command called `cmd_name`."""
        if cmd_name not in self._commands_at:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._commands_at[cmd_name][0].partition(":")
        command = getattr(import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}:{attribute} is not a command")
        return command

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of commands without importing any."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._commands_at.items()])


def _print_version(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if not is_asked or ctx.resilient_parsing:
        return
    from research_eval.distribution import code_version

    click.echo(f"research-eval, version {code_version()}")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option(
    "--secret",
    "secrets",
    multiple=True,
    metavar="NAME",
    help="Keep the value of the environment variable NAME out of everything that is written.",
)
def cli(secrets: tuple[str, ...]) -> None:
    """Measure whether research agents cite only pages that they really opened."""
    if secrets:
        from research_eval.secret import insist_on_secrets

        insist_on_secrets(secrets)


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        _escape_what_it_lacks(stream)
    sys.stdout, sys.stderr = _without_secrets(sys.stdout), _without_secrets(sys.stderr)
    try:
        code = _call_command()
    except UsageError as exc:
        for fault in exc.faults[:MAX_FAULTS]:
            _complain(fault)
        if len(exc.faults) > MAX_FAULTS:
            _complain(f"and {len(exc.faults) - MAX_FAULTS} more mistakes")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as exc:
        _complain(f"{exc.filename or 'input or output'}: {exc.strerror or exc}")
        sys.exit(2)
    except click.ClickException as exc:
        shown = io.StringIO()
        exc.show(shown)
        click.echo(_clean(shown.getvalue()), err=True, nl=False)
        sys.exit(exc.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("research-eval: interrupted", err=True)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _call_command() -> object:
    """Call the command; in the light distribution, say what a command needs that is left out."""
    try:
        return cli.main(prog_name="research-eval", standalone_mode=False)
    except ModuleNotFoundError as exc:
        from research_eval.distribution import LIGHT, WHOLE, is_whole

        if is_whole():
            raise
        words = f"this needs {exc.name}, which {LIGHT} leaves out: install {WHOLE} instead"
        raise UsageError(words) from exc


def _escape_what_it_lacks(stream: TextIO) -> None:
    """Have a character that the stream's encoding lacks written as an escape, not as a traceback."""
    if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
        stream.reconfigure(errors="backslashreplace")


class _CleanStream(io.TextIOWrapper):
    """A stream that no secret of the environment goes through."""

    @override
    def write(self, text: str, /) -> int:
        from research_eval.secret import last_scrub

        super().write(last_scrub().scrub(text))
        return len(text)

    @override
    def close(self) -> None:
        """Leave the stream below open: it is not this one's."""
        if not self.buffer.closed:
            self.flush()


def _without_secrets(stream: TextIO) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.flush()
    return _CleanStream(
        stream.buffer,
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _complain(text: str) -> None:
    """Say in one line what is wrong."""
    line = _clean(" ".join(text.split()))
    shown = line if len(line) <= MAX_COMPLAINT_CHARS else f"{line[:MAX_COMPLAINT_CHARS]}…"
    click.echo(f"research-eval: error: {shown}", err=True)


def _clean(text: str) -> str:
    """Return `text` without keys of the environment and without what steers a terminal."""
    from research_eval.secret import last_scrub

    shown = last_scrub().scrub(text)
    keep = (sign if sign.isprintable() or sign == "\n" else f"\\x{ord(sign):02x}" for sign in shown)
    return "".join(keep)
