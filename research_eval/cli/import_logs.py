"""`research-eval import`: make a run of logs of agents that ran elsewhere."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from research_eval.errors import UsageError

if TYPE_CHECKING:
    from research_eval.logs import Imported

__all__ = ["import_logs"]


@click.command("import")
@click.argument("form", metavar="FORMAT")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The new run's folder.")
@click.option("--cases", "dataset", help="A dataset; logs of its questions alone are kept.")
@click.option("--mapping", type=click.Path(path_type=Path), help="TOML: what each tool does.")
@click.option(
    "--gate", "gate_name", default="default", show_default=True, help="Who judges the answers."
)
@click.option("--name", default="imported", show_default=True, help="A name for the report.")
def import_logs(
    form: str,
    files: tuple[Path, ...],
    out: Path,
    dataset: str | None,
    mapping: Path | None,
    gate_name: str,
    name: str,
) -> int:
    """Make a run of FILES, logs in one FORMAT of agents that ran elsewhere.

    FORMAT is openai, anthropic, claude-code, langgraph, chatml, inspect, otel, atif, responses, jsonl
    or reports.

    The ledger is rebuilt from what the log says, and the gate judges each answer again. What cannot be
    read is counted by reason. Exits 1 if a conversation could not be read.
    """
    from difflib import get_close_matches

    from research_eval.dataset import load_cases
    from research_eval.gate import load_gate
    from research_eval.logs import FORMATS, import_logs as make_run, load_mapping

    if form not in FORMATS:
        near = get_close_matches(form, FORMATS, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"import: {form!r} is no format; expected {', '.join(FORMATS)}{hint}")
    done = make_run(
        form,
        files,
        out,
        gate=load_gate(gate_name),
        tools=load_mapping(mapping, form),
        cases=load_cases(dataset) if dataset else (),
        name=name,
        progress=_progress if sys.stderr.isatty() else lambda _: None,
    )
    _print(done, out)
    return 1 if done.tally.refused else 0


def _progress(kept: int) -> None:
    click.echo(f"\r{kept} trials", nl=False, err=True)


def _print(done: "Imported", out: Path) -> None:
    tally = done.tally
    statuses = ", ".join(f"{status} {count}" for status, count in done.statuses.most_common())
    click.echo(f"kept: {tally.kept} trials ({statuses})")
    for label, reasons in (("skipped", tally.skipped), ("refused", tally.refused)):
        for reason, count in reasons.most_common():
            where = f", first in {tally.first[reason]}" if reason in tally.first else ""
            click.echo(f"{label}: {reason}: {count}{where}")
    ledgers = ", ".join(f"{name} in {count}" for name, count in done.fidelities.most_common())
    click.echo(f"how it is known what was opened: {ledgers}")
    click.echo(f"wrote {out}; go on with: research-eval report {out}")
