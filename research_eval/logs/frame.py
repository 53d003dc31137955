"""Read what a tool gave of a page: as our own tool `fetch` shows one, or the bare text of another."""

import re

from research_eval.logs.step import Opened
from research_eval.schema import Evidence
from research_eval.tool.fetch.wording import NO_EVIDENCE_NOTES

__all__ = ["opening_of"]

_LINE = re.compile(r"(\w+): (.*)")
_COUNTS = {"content_length", "start_index", "has_more", "was_truncated"}
_ERROR = re.compile(r"error: (\w{1,40})\nurl: (\S+)")
_NOT_TRIED = {"invalid_arguments", "out_of_range"}
"""Failures of `fetch` in which no page was asked for."""


def opening_of(text: str, url: str, *, failed: bool, final_url: str | None) -> Opened | None:
    """Return what the result of a call says of the page at `url`; `None` if none was asked for.

    Args:
        text: The result, or the part of it that is about this page.
        url: The URL of the call.
        failed: Whether the log or the mapping says that it failed.
        final_url: Where redirects ended, if the log says so beside the text.
    """
    if failed:
        found = _ERROR.match(text)
        if found is None or found[2] not in url:
            error, asked = "failed", url
        else:
            error, asked = found.groups()
        return None if error in _NOT_TRIED else Opened(asked, ok=False, error=error)
    return _framed(text, url) or Opened(url, text=text, final_url=final_url)


def _framed(text: str, url: str) -> Opened | None:
    """Return the page of a result of our own `fetch`; `None` if it is none.

    A page of another tool can begin with the same words: the frame counts whole alone, and for the
    URL of its own call.
    """
    head, _, body = text.partition("\n\n")
    said: dict[str, str] = {}
    for line in head.split("\n"):
        found = _LINE.fullmatch(line)
        if found is None:
            return None
        said.setdefault(found[1], found[2])
    if "url" not in said or not said.keys() >= _COUNTS:
        return None
    asked = said.get("requested_url", said["url"])
    if asked not in url:  # `fetch` takes blanks and angle brackets off
        return None
    return Opened(
        asked, title=said.get("title"), text=body, final_url=said["url"], evidence=_evidence(head)
    )


def _evidence(head: str) -> Evidence:
    return next(
        (name for name, note in NO_EVIDENCE_NOTES.items() if f"\nnote: {note}" in head), "ok"
    )
