"""Documents of a collection: files of several kinds in, pages with an address and a text out."""

import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from research_eval.errors import ConfigError
from research_eval.tool.search.query import clean_text

__all__ = ["CorpusPage", "document_files", "pages_in"]

_FRONT_MATTER = re.compile(r"\A---\s*\n(.*?)\n---\s*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(\w+):\s*[\"']?(.*?)[\"']?\s*$", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_TEXT_KEYS = ("text", "content", "body", "contents", "markdown")
_SUFFIXES = (".html", ".htm", ".md", ".markdown", ".txt", ".jsonl", ".warc", ".warc.gz")


class CorpusPage(NamedTuple):
    """One page of a collection."""

    url: str
    title: str
    text: str
    date: str
    content_type: str
    body: bytes
    """What is served to whoever opens the page."""


def document_files(folder: Path) -> list[Path]:
    """Return the files of a collection in the order of their paths; hidden ones are left out.

    Raises:
        ConfigError: If there is no such folder or file, or it holds no document.
    """
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise ConfigError(f"corpus {str(folder)!r}: no such folder")
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.name.lower().endswith(_SUFFIXES)
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )
    if not found:
        kinds = " ".join(_SUFFIXES)
        raise ConfigError(f"corpus {str(folder)!r}: no document; these are read: {kinds}")
    return found


def pages_in(path: Path, *, base_url: str, name: str) -> Iterator[CorpusPage]:
    """Yield the pages of one file.

    Args:
        path: The file.
        base_url: What the address begins with of a document that names none of its own.
        name: The file's path inside the collection, with slashes.

    Raises:
        ConfigError: If the file cannot be read; the message names file and line.
    """
    lower = path.name.lower()
    address = base_url + quote(name)
    reader = next((read for suffix, read in _READERS.items() if lower.endswith(suffix)), _plain)
    try:
        yield from reader(path, address)
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError(f"{path}: cannot be read: {exc}") from exc


def _html(path: Path, address: str) -> Iterator[CorpusPage]:
    yield from _page(path.read_bytes(), address, "text/html", takes_canonical=True)


def _page(
    body: bytes, address: str, content_type: str, *, takes_canonical: bool = False
) -> Iterator[CorpusPage]:
    """Read a document as the tool `fetch` would; one without text is no page."""
    from research_eval.tool.fetch import extract  # noqa: PLC0415  # brings parsers with it

    read = extract(body, url=address, content_type=content_type, status=200, headers={})
    if not read.content.strip():
        return
    url = read.canonical if takes_canonical and read.canonical else address
    date = clean_text(read.published or "")
    yield CorpusPage(url, clean_text(read.title or ""), read.content, date, content_type, body)


def _markdown(path: Path, address: str) -> Iterator[CorpusPage]:
    text = path.read_text(encoding="utf-8-sig")
    front = _FRONT_MATTER.match(text)
    fields = dict(_FIELD.findall(front[1])) if front else {}
    content = text[front.end() :] if front else text
    heading = _HEADING.search(content)
    yield CorpusPage(
        fields.get("url") or address,
        clean_text(fields.get("title") or (heading[1] if heading else path.stem)),
        content,
        clean_text(fields.get("date", "")),
        "text/markdown; charset=utf-8",
        content.encode(),
    )


def _plain(path: Path, address: str) -> Iterator[CorpusPage]:
    text = path.read_text(encoding="utf-8-sig")
    kind = "text/plain; charset=utf-8"
    yield CorpusPage(address, path.stem, text, "", kind, text.encode())


def _json_lines(path: Path, address: str) -> Iterator[CorpusPage]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _row(_object(line, path, number), f"{address}/{number}", path, number)


def _object(line: str, path: Path, number: int) -> Mapping[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as exc:
        raise ConfigError(f"{path}:{number}: not JSON: {exc}") from exc
    if not isinstance(row, dict):
        raise ConfigError(f"{path}:{number}: expected an object with `url`, `title`, `text`")
    return row


def _row(row: Mapping[str, Any], address: str, path: Path, number: int) -> CorpusPage:
    text = next((row[key] for key in _TEXT_KEYS if isinstance(row.get(key), str)), None)
    if text is None:
        raise ConfigError(f"{path}:{number}: expected one of {', '.join(_TEXT_KEYS)}")
    text = text.encode("utf-8", "replace").decode()
    url, title, date = (clean_text(str(row.get(key) or "")) for key in ("url", "title", "date"))
    kind = "text/plain; charset=utf-8"
    return CorpusPage(url or address, title, text, date, kind, text.encode())


def _warc(path: Path, address: str) -> Iterator[CorpusPage]:
    del address
    try:
        from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415  # an optional extra
        from warcio.exceptions import ArchiveLoadFailed  # noqa: PLC0415
    except ImportError as exc:
        raise ConfigError(f"{path}: install research-eval[warc] to read WARC files") from exc
    faults = (ArchiveLoadFailed, AttributeError, EOFError, TypeError, ValueError, zlib.error)
    is_whole = False
    with path.open("rb") as file:
        try:
            for record in ArchiveIterator(file):
                if record.rec_type == "response" and record.http_headers is not None:
                    yield from _archived(record)
                record.raw_stream.read()
                is_whole = record.format == "warc" and record.raw_stream.limit == 0
                if not is_whole:
                    break
        except faults as exc:  # warcio lets these out where a record breaks off
            raise _not_warc(path) from exc
    if not is_whole:
        raise _not_warc(path)


def _not_warc(path: Path) -> ConfigError:
    return ConfigError(f"{path}: not a WARC file, or a damaged one")


def _archived(record: Any) -> Iterator[CorpusPage]:  # noqa: ANN401 - warcio has no types
    headers = record.http_headers
    url = record.rec_headers.get_header("WARC-Target-URI") or ""
    if headers.get_statuscode() == "200" and url.startswith(("http://", "https://")):
        kind = headers.get_header("Content-Type") or "application/octet-stream"
        yield from _page(record.content_stream().read(), url, kind)


_READERS: Mapping[str, Callable[[Path, str], Iterator[CorpusPage]]] = {
    ".html": _html,
    ".htm": _html,
    ".md": _markdown,
    ".markdown": _markdown,
    ".jsonl": _json_lines,
    ".warc": _warc,
    ".warc.gz": _warc,
}
