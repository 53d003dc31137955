"""Ledgers for people: a JSON file or two lists of URLs in, a ledger out."""

import json

from pydantic import ValidationError

from research_eval.errors import UsageError
from research_eval.gate.citation import extract_citations
from research_eval.ledger import SourceRegistry, url_key
from research_eval.schema import Reference, SourceRecord, Verdict

__all__ = [
    "LISTS",
    "ledger_from_data",
    "ledger_from_json",
    "references_of",
    "register_given",
]


LISTS = ("fetched", "searched", "failed", "given")
"""Lists of URLs in which people say what a trial saw."""


def references_of(verdict: Verdict, ledger: SourceRegistry) -> tuple[Reference, ...]:
    """Return the opened sources that an answer cites, in citation order."""
    urls = [url for c in verdict.citations for url in (c.url, *c.readings)]
    return tuple(
        Reference(url=source.url, key=source.key, title=source.title)
        for source in ledger.references(urls)
        if source.state == "fetched"
    )


def register_given(question: str, ledger: SourceRegistry) -> None:
    """Note in a ledger each URL that a question gives."""
    for citation in extract_citations(question):
        ledger.add_given(citation.url)


_EXPECTED = 'a list of the URLs that were opened, or {"fetched": [URL, …], "searched": [URL, …]}'


def _encodable(url: str) -> str:
    """Return `url` without lone surrogates, which JSON can hold and UTF-8 cannot."""
    return url.encode("utf-8", "replace").decode("utf-8")


def ledger_from_json(content: str, name: str) -> SourceRegistry:
    """Return the ledger in `content`: a list of source records, or lists of URLs.

    Args:
        content: The JSON text.
        name: What to call it in an error.

    Raises:
        UsageError: If it is neither.
    """
    try:
        data = json.loads(content)
    except ValueError as exc:
        raise UsageError(f"{name}: not JSON: {exc}") from exc
    except RecursionError as exc:
        raise UsageError(f"{name}: not JSON: nested too deeply") from exc
    return ledger_from_data(data, name)


def ledger_from_data(data: object, name: str) -> SourceRegistry:
    """Return the ledger in a value that was JSON.

    A record needs no more than `url` and `state`, and a bare URL is a page that was opened; the
    other form is an object with the lists `fetched`, `searched`, `failed` and `given`.

    Args:
        data: The value.
        name: What to call it in an error.

    Raises:
        UsageError: If it is neither.
    """
    if isinstance(data, dict):
        _refuse_unknown(data, name)
        return SourceRegistry.from_urls(**{field: _urls(data, field, name) for field in LISTS})
    if not isinstance(data, list):
        raise UsageError(f"{name}: expected {_EXPECTED}")
    return SourceRegistry.from_records(
        _record(entry, f"{name}: record {number}") for number, entry in enumerate(data, start=1)
    )


def _refuse_unknown(data: dict[str, object], name: str) -> None:
    """Refuse a misspelled list, which would else read as nothing opened."""
    for field in data:
        if field not in LISTS:
            raise UsageError(f"{name}: {field}: unknown; expected {', '.join(LISTS)}")


def _urls(data: dict[str, object], field: str, name: str) -> list[str]:
    urls = data.get(field, [])
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
        raise UsageError(f"{name}: {field}: expected a list of URLs")
    return urls


def _record(entry: object, place: str) -> SourceRecord:
    if isinstance(entry, str):
        entry = {"url": _encodable(entry), "state": "fetched"}
    if not isinstance(entry, dict):
        raise UsageError(f"{place}: expected a URL or a source record with url and state")
    if isinstance(entry.get("url"), str):
        key = url_key(entry["url"])
        entry = {"key": key.value, "is_canonical": key.is_canonical, **entry}
    try:
        record = SourceRecord.model_validate(entry)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "record"
        raise UsageError(f"{place}: {field}: {first['msg']}") from exc
    if record.state == "fetched" and record.failure is not None:
        raise UsageError(f"{place}: failure: is of a page that was not opened, not of one fetched")
    return record
