"""`research-eval extract`: what the fetch tool makes of a document that lies in a file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from research_eval.errors import DatasetError, UsageError

if TYPE_CHECKING:
    from research_eval.tool.fetch.page import ExtractedPage

__all__ = ["extract"]


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--url", help="Where the document was found.")
@click.option("--content-type", default="", help="The Content-Type header of the response.")
@click.option("--status", default=200, show_default=True, help="The HTTP status.")
@click.option(
    "--header", "headers", multiple=True, metavar="'K: V'", help="A header of the response."
)
@click.option("--extractor", default="default", show_default=True, help="The content extractor.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the text.")
@click.option(
    "--batch",
    type=click.Path(path_type=Path),
    help="Read documents from JSON Lines: id, file, url, content_type, status, headers.",
)
def extract(
    file: Path | None,
    url: str | None,
    content_type: str,
    status: int,
    headers: tuple[str, ...],
    extractor: str,
    as_json: bool,
    batch: Path | None,
) -> None:
    """Show what the fetch tool would give a model for the document in FILE."""
    if batch is not None:
        if file is not None:
            raise UsageError("give FILE or --batch, not both")
        for line in _batch(batch, extractor):
            click.echo(line)
        return
    if file is None or url is None:
        raise UsageError("give FILE and --url, or --batch")
    page = _page(
        _bytes(file), url, content_type, status=status, headers=_pairs(headers), extractor=extractor
    )
    click.echo(_as_json(page) if as_json else _as_text(page))


def _batch(path: Path, extractor: str) -> Iterator[str]:
    """Yield one result for each line of the file at `path`."""
    lines = _bytes(path).decode("utf-8", "replace").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        entry = _entry(line, where)
        body = _bytes(path.parent / entry["file"], where)
        page = _page(
            body,
            entry["url"],
            entry.get("content_type") or "",
            status=entry.get("status") or 200,
            headers=entry.get("headers") or {},
            extractor=extractor,
        )
        yield _as_json(page, entry.get("id"))


def _entry(line: str, where: str) -> dict[str, Any]:
    try:
        entry = json.loads(line)
    except ValueError as exc:
        raise DatasetError(f"{where}: not a JSON object: {exc}") from exc
    except RecursionError as exc:
        raise DatasetError(f"{where}: not a JSON object: nested too deeply") from exc
    if not isinstance(entry, dict):
        raise DatasetError(f"{where}: not a JSON object")
    for name, kind, is_needed in (
        ("file", str, True),
        ("url", str, True),
        ("content_type", str, False),
        ("status", int, False),
        ("headers", dict, False),
    ):
        value = entry.get(name)
        if (value is None and is_needed) or (value is not None and not isinstance(value, kind)):
            raise DatasetError(f"{where}: field {name!r} is missing or not of type {kind.__name__}")
    return entry


def _bytes(path: Path, where: str | None = None) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        prefix = f"{where}: " if where else ""
        raise UsageError(f"{prefix}{path}: {exc.strerror}") from exc
    except ValueError as exc:  # a name with a NUL in it
        prefix = f"{where}: " if where else ""
        raise UsageError(f"{prefix}{str(path)!r}: {exc}") from exc


def _pairs(headers: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for header in headers:
        name, colon, value = header.partition(":")
        if not colon or not name.strip():
            raise UsageError(f"--header {header!r}: expected 'Name: value'")
        pairs[name.strip()] = value.strip()
    return pairs


def _page(
    body: bytes,
    url: str,
    content_type: str,
    *,
    status: int,
    headers: dict[str, str],
    extractor: str,
) -> "ExtractedPage":
    from research_eval.tool.fetch.extraction import extract as read

    return read(
        body,
        url=url,
        content_type=content_type,
        status=status,
        headers={str(name): str(value) for name, value in headers.items()},
        extractor=extractor,
    )


def _as_json(page: "ExtractedPage", identifier: object = None) -> str:
    fields = page.model_dump(mode="json")
    named = fields if identifier is None else {"id": identifier, **fields}
    return json.dumps(named, ensure_ascii=False)


def _as_text(page: "ExtractedPage") -> str:
    from research_eval.schema.display import visible

    lines = [
        f"{name}: {value}"
        for name, value in page.model_dump(mode="json", exclude={"content"}).items()
        if value is not None and value != []
    ]
    return visible("\n".join([*lines, "", page.content]))
