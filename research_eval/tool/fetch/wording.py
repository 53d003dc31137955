"""The words that a model reads: the tool's description, the frame of a page, errors.

Recorded model exchanges hold these words; changing one of them makes recordings stale.
"""

from research_eval.schema import Evidence, ToolSpec
from research_eval.tool.fetch.page import ExtractedPage
from research_eval.tool.protocol import ToolOutcome

__all__ = ["NO_EVIDENCE_NOTES", "error_outcome", "frame", "tool_spec"]

_DESCRIPTION = (
    "Open a web page or document and read its text as Markdown. Reads HTML, PDF, JSON, XML, CSV "
    "and plain text. Returns a part of the text, from `start_index` on, at most `max_length` "
    "characters long. If `has_more` is true, follow `next_hint` to read on."
)

_HELP = {
    "invalid_arguments": "Call fetch again with arguments of the form that its description asks for.",
    "invalid_url": "Give one complete address that begins with http:// or https://.",
    "blocked": "This address cannot be opened from here; use another source.",
    "robots": "The site asks programs not to read this page; use another source.",
    "unknown_host": "No site has this name; check its spelling, or use another source.",
    "connection": "The site could not be reached; try once more, or use another source.",
    "timeout": "The site took too long to answer; try once more, or use another source.",
    "too_many_redirects": "The site sends visitors round in circles; use another source.",
    "host_busy": "The site asked to be left alone for a while; use another source meanwhile.",
    "bad_coding": "The site sent its answer in a form that cannot be read; use another source.",
    "too_large": "The document is too large to be read; look for a shorter version of it.",
    "too_heavy": "The document could not be read within the limits; use another source.",
    "extractor_failed": "The page could not be read here; use another source.",
    "binary": "It holds no text to read; look for a page that describes it.",
    "damaged": "The document is damaged; look for another copy of it.",
    "encrypted": "The document is locked with a password; look for an open copy of it.",
    "scanned": "The document holds pictures of pages without text; look for a version with text.",
    "out_of_range": "Use a start_index below content_length.",
    "unrecorded": "This page is not available in this session; use another source.",
    "http_401": "The site wants a login; use another source.",
    "http_402": "The site wants payment; use another source.",
    "http_403": "The site refuses to show this page; use another source.",
    "http_404": "There is no page at this address; check it for mistakes, or use another source.",
    "http_410": "The page was removed; look for an archived copy, or use another source.",
    "http_429": "The site had too many requests; use another source meanwhile.",
    "http_451": "The page is withheld for legal reasons; use another source.",
}
_HELP_4XX = "The site did not accept the request; check the address, or use another source."
_HELP_5XX = "The site has a fault of its own; try once more, or use another source."
_HELP_OTHER = "Use another source."

_NO_EVIDENCE: dict[Evidence, str] = {
    "soft_404": "the site shows an error page instead of content (page not found)",
    "bot_wall": "the site shows a check for robots instead of content",
    "consent_wall": "the site shows a consent form instead of content",
    "login_wall": "the site shows a login form instead of content",
    "empty_shell": "the page holds no content without JavaScript",
}
"""Why a page that was opened is no evidence, in words."""

NO_EVIDENCE_NOTES = {
    name: f"This page is no evidence: {why}. Do not cite it; use another source."
    for name, why in _NO_EVIDENCE.items()
}
_PAYWALL_NOTE = "Only the free part of the page is shown; the rest is behind a paywall."
_LOW_YIELD_NOTE = (
    "The page is large, but only this little text could be read from it; what else it shows may need "
    "scripts or clicks. If it lacks what you look for, use another source."
)
_CUT_NOTE = "The document is longer than can be read; its end is missing."


def tool_spec(*, max_length: int, max_length_limit: int) -> ToolSpec:
    """Return the tool as a model sees it."""
    return ToolSpec(
        name="fetch",
        description=_DESCRIPTION,
        parameters={
            "type": "object",
            "properties": {
                "url": {"type": "string", "description": "The complete http or https address."},
                "max_length": {
                    "type": "integer",
                    "description": "Most characters to return.",
                    "default": max_length,
                    "minimum": 1,
                    "maximum": max_length_limit,
                },
                "start_index": {
                    "type": "integer",
                    "description": "Where in the text to begin, in characters.",
                    "default": 0,
                    "minimum": 0,
                },
            },
            "required": ["url"],
            "additionalProperties": False,
        },
    )


def frame(
    page: ExtractedPage, *, start: int, end: int, requested: str, remarks: tuple[str, ...] = ()
) -> str:
    """Return the slice of `page` from `start` to `end` with what a model must know about it."""
    total = len(page.content)
    lines = [f"url: {page.url}"]
    if requested != page.url:
        lines.append(f"requested_url: {requested}")
    for name in ("title", "author", "published"):
        value = getattr(page, name)
        if value:
            lines.append(f"{name}: {value}")
    lines += [f"content_length: {total}", f"start_index: {start}"]
    lines += [f"has_more: {_word(end < total)}", f"was_truncated: {_word(page.truncated)}"]
    if end < total:
        lines.append(f"next_hint: call fetch with start_index {end} to read on")
    lines += [f"note: {note}" for note in (*_notes(page), *remarks)]
    return "\n".join([*lines, "", page.content[start:end]])


def _word(value: bool) -> str:
    return "true" if value else "false"


def _notes(page: ExtractedPage) -> list[str]:
    notes = []
    if page.evidence != "ok":
        notes.append(NO_EVIDENCE_NOTES[page.evidence])
    if "paywall" in page.flags:
        notes.append(_PAYWALL_NOTE)
    if "low_yield" in page.flags:
        notes.append(_LOW_YIELD_NOTE)
    if page.truncated:
        notes.append(_CUT_NOTE)
    return notes


def error_outcome(kind: str, *, url: str, detail: str = "") -> ToolOutcome:
    """Return what a model reads after a failure: the error, what it was, what to try instead."""
    lines = [f"error: {kind}", f"url: {url}"]
    if detail:
        lines.append(f"detail: {detail}")
    lines.append(f"help: {_help(kind)}")
    return ToolOutcome(text="\n".join(lines), ok=False, error=kind)


def _help(kind: str) -> str:
    if kind in _HELP:
        return _HELP[kind]
    if kind.startswith("http_4"):
        return _HELP_4XX
    return _HELP_5XX if kind.startswith("http_5") else _HELP_OTHER
