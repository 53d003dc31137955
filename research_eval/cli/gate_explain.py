"""`research-eval gate explain`: how each URL of an answer was read, keyed, looked up and judged."""

import click

from research_eval.cli.lines import json_text, print_text, read_text
from research_eval.errors import UsageError

__all__ = ["explain"]


@click.command()
@click.argument("answer", default="-")
@click.option(
    "--ledger",
    "ledger_file",
    required=True,
    metavar="FILE",
    help="A JSON file of what was opened, as for `gate check`.",
)
@click.option("--url", metavar="TEXT", help="Only the citations that contain this text.")
@click.option(
    "--gate",
    "gate_name",
    default="default",
    show_default=True,
    help="The gate: a name, name@version, or package.module:name.",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON, a citation a line.")
def explain(
    answer: str, ledger_file: str, url: str | None, gate_name: str, *, as_json: bool
) -> int:
    """Show how each URL of ANSWER was read, keyed, looked up and judged, a line a step.

    Exits 2 if no citation contains the text of --url.
    """
    from research_eval.gate import load_gate
    from research_eval.gate.explain import explain as explained, places_of, steps
    from research_eval.gate.malformed import find_malformed
    from research_eval.gate.source import ledger_from_json

    if ledger_file == "-" and answer == "-":
        raise UsageError("gate explain: the answer and the ledger cannot both be standard input")
    judge = load_gate(gate_name)
    ledger = ledger_from_json(read_text(ledger_file), ledger_file)
    text = read_text(answer)
    found = [
        one
        for one in explained(judge, text, ledger)
        if url is None or url in one.written or any(url in look.url for look in one.lookups)
    ]
    if not found and url is not None:
        places = ", ".join(f"{line}:{column}" for line, column in places_of(url, text)[:5])
        damaged = next((one.reason for one in find_malformed(text) if url in one.text), None)
        why = f" (a damaged URL: {damaged})" if damaged else ""
        where = f"stands at {places} and is read as no citation{why}" if places else "is not there"
        raise UsageError(f"{answer}: {url!r} {where}; `gate cites` lists what is cited")
    for one in found:
        if as_json:
            print_text(json_text(one.model_dump(mode="json")))
        else:
            print_text("\n".join(steps(one, text)))
    if not found and not as_json:
        print_text("no URL is cited")
    return 0
