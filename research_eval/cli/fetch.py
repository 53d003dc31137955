"""`research-eval fetch`: open a page as an agent's tool would, and show what the model would read."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from research_eval.schema import Event
    from research_eval.tool.fetch.settings import FetchSettings
    from research_eval.tool.protocol import ToolOutcome

__all__ = ["fetch"]


@click.command()
@click.argument("url")
@click.option("--max-length", type=int, help="Show at most this many characters.")
@click.option("--start-index", type=int, help="First character of the text to show.")
@click.option(
    "--allow-private", multiple=True, metavar="HOST", help="Allow this private host; repeatable."
)
@click.option("--any-port", is_flag=True, help="Allow ports other than 80 and 443.")
@click.option("--robots", is_flag=True, help="Obey robots.txt.")
@click.option("--user-agent", help="The User-Agent header of requests.")
@click.option("--extractor", default="default", show_default=True, help="The content extractor.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the text.")
@click.pass_context
def fetch(
    context: click.Context,
    url: str,
    max_length: int | None,
    start_index: int | None,
    allow_private: tuple[str, ...],
    any_port: bool,
    robots: bool,
    user_agent: str | None,
    extractor: str,
    as_json: bool,
) -> None:
    """Open URL and show what a model would read.

    Exits 1 if nothing was opened.
    """
    from research_eval.tool.fetch.settings import FetchSettings

    settings = FetchSettings(allow_private=allow_private, robots=robots, extractor=extractor)
    changes: dict[str, Any] = {"user_agent": user_agent} if user_agent else {}
    if any_port:
        changes["ports"] = None
    arguments = {"url": url, "max_length": max_length, "start_index": start_index}
    outcome, events, text = asyncio.run(_open(settings.model_copy(update=changes), arguments))
    from research_eval.schema.display import visible

    shown = _as_json(outcome, events, text) if as_json else visible(outcome.text)
    click.echo(_clean(shown))
    if not outcome.ok:
        context.exit(1)


def _clean(text: str) -> str:
    """Return `text` without keys of the environment, which a URL may have carried."""
    from research_eval.cassette import Redactor
    from research_eval.secret import known_secrets

    return Redactor(known_secrets()).text(text)


async def _open(
    settings: "FetchSettings", arguments: dict[str, Any]
) -> "tuple[ToolOutcome, list[Event], str | None]":
    import httpx

    from research_eval.clock import SystemClock
    from research_eval.ledger import SourceRegistry
    from research_eval.tool.fetch import FetchTool, guarded_transport

    events: list[Event] = []
    ledger = SourceRegistry()
    transport = guarded_transport(settings)
    async with httpx.AsyncClient(transport=transport, trust_env=False) as http:
        tool = FetchTool(
            settings, http=http, ledger=ledger, clock=SystemClock(), emit=events.append
        )
        outcome = await tool(arguments)
    return outcome, events, ledger.text(arguments["url"])


def _as_json(outcome: "ToolOutcome", events: "list[Event]", text: str | None) -> str:
    """Return the fields by which `extract` shows a document, and what the model was given."""
    fields = events[0].model_dump(mode="json") if events else {}
    shown = {
        "url": fields.get("final_url"),
        "title": fields.get("title"),
        "content": text,
        "encoding": fields.get("encoding"),
        "flags": fields.get("flags", []),
        "truncated": "truncated" in fields.get("flags", []),
        "citable": outcome.ok and fields.get("evidence") == "ok",
        "error": outcome.error,
        "event": fields,
        "given_to_model": outcome.text,
    }
    return json.dumps(shown, ensure_ascii=False)
