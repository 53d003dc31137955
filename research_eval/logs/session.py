"""Sessions of Claude Code: one entry a line, replies in pieces, results in entries of the user."""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from research_eval.logs.chat import anthropic_steps
from research_eval.logs.document import Piece, pieces
from research_eval.logs.step import Broken, Log, PersonSaid, Result, Said, Step, Tally, text_of

__all__ = ["read_session"]

_NOT_OF_PERSON = (
    "<command-",
    "<local-command-",
    "<system-reminder",
    "<bash-",
    "[Request interrupted",
)
"""How words of a user's entry begin that no person wrote as a question."""


def read_session(path: Path, tally: Tally) -> Iterator[Log]:
    """Yield the session of a file; one that a sub-agent wrote is a session of its own."""
    entries = (p for p in pieces(path, ("item",), tally) if isinstance(p.value, Mapping))
    said = (p for p in entries if p.value.get("type") in {"user", "assistant"})
    first = next(said, None)
    if first is None:
        tally.refuse("no entry of a user or an assistant", str(path))
        return
    is_side = first.value.get("isSidechain") is True
    name = first.value.get("agentId") if is_side else first.value.get("sessionId")
    yield Log(
        id=text_of(name) or path.stem,
        place=first.place,
        steps=_steps(itertools.chain([first], said), tally, all_side=is_side),
    )


def _steps(entries: Iterator[Piece], tally: Tally, *, all_side: bool) -> Iterator[Step]:
    seen: set[str] = set()
    message_id = ""
    for piece in entries:
        entry = piece.value
        message = entry.get("message")
        if not isinstance(message, Mapping) or entry.get("isMeta") or entry.get("isCompactSummary"):
            continue
        uuid = text_of(entry.get("uuid"))
        if uuid and uuid in seen:
            tally.skip("entries that stand twice")
            continue
        seen.add(uuid)
        if entry.get("isApiErrorMessage"):
            yield Broken(text_of(message.get("content")))
            continue
        side = entry.get("isSidechain") is True and not all_side
        for step in anthropic_steps(message, tally):
            if isinstance(step, Said):
                here = text_of(message.get("id"))
                yield step._replace(is_side=side, continues=bool(here) and here == message_id)
                message_id = here
            elif isinstance(step, Result):
                yield _result(step, entry.get("toolUseResult"))
            elif not isinstance(step, PersonSaid):
                yield step
            elif not side and not step.text.lstrip().startswith(_NOT_OF_PERSON):
                message_id = ""
                yield step


def _result(step: Result, said: object) -> Result:
    """Return a result with what the entry says of it beside its text."""
    if not isinstance(said, Mapping) or "code" not in said:
        return step
    code: Any = said.get("code")
    failed = isinstance(code, int) and code >= 400  # HTTP
    return step._replace(
        is_error=step.is_error or failed, final_url=text_of(said.get("url")) or None
    )
