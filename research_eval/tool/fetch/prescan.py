"""Find the encoding that an HTML document declares in its first bytes, as browsers look for it."""

import re

import webencodings

__all__ = ["declared_in_meta", "declared_in_xml", "encoding_from_label"]

_WINDOW = 16_384
_SPACE = b"\t\n\f\r /"
_TAG = re.compile(rb"<(?:!--|meta[\t\n\f\r /]|/?[A-Za-z]|[!/?])", re.IGNORECASE)
_TAG_NAME_END = re.compile(rb"[\t\n\f\r >]")
_CHARSET = re.compile(
    rb"charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"']+))",
    re.IGNORECASE,
)
_XML_ENCODING = re.compile(rb"\A<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._:-]{1,40})[\"']")


def encoding_from_label(label: str) -> str | None:
    """Return the encoding's name in the WHATWG standard, or `None` where no such label exists."""
    encoding = webencodings.lookup(label)
    return None if encoding is None else str(encoding.name)


def declared_in_meta(head: bytes) -> str | None:
    """Return the encoding that a `meta` element in `head` declares."""
    head = head[:_WINDOW]
    place = 0
    while (tag := _TAG.search(head, place)) is not None:
        place, found = _step(head, tag)
        if found is not None:
            return found
    return None


def _step(head: bytes, tag: "re.Match[bytes]") -> tuple[int, str | None]:
    """Return where to go on after `tag`, and the encoding if it declares one."""
    start, opening = tag.start(), tag[0].lower()
    if opening == b"<!--":
        end = head.find(b"-->", start + 2)
        return (end + 3 if end >= 0 else len(head)), None
    if opening.startswith(b"<meta"):
        place, attributes = _attributes(head, start + 5)
        return place, _from_attributes(attributes)
    if opening[-1:] in b"!/?":
        end = head.find(b">", start)
        return (end + 1 if end >= 0 else len(head)), None
    name_end = _TAG_NAME_END.search(head, start)
    if name_end is None:
        return len(head), None
    return _attributes(head, name_end.start())[0], None


def _attributes(head: bytes, place: int) -> tuple[int, dict[bytes, bytes]]:
    """Read attributes from `place` on; of two with one name the first counts."""
    found: dict[bytes, bytes] = {}
    while True:
        place, attribute = _attribute(head, place)
        if attribute is None:
            return place, found
        found.setdefault(*attribute)


def _attribute(head: bytes, place: int) -> tuple[int, tuple[bytes, bytes] | None]:
    size = len(head)
    while place < size and head[place] in _SPACE:
        place += 1
    if place >= size or head[place] == 0x3E:
        return place + 1, None
    start = place
    while (
        place < size
        and head[place] not in b"\t\n\f\r />"
        and (head[place] != 0x3D or place == start)
    ):
        place += 1
    name = head[start:place].lower()
    after = place
    while after < size and head[after] in b"\t\n\f\r ":
        after += 1
    if after >= size or head[after] != 0x3D:
        return place, (name, b"")
    return _value(head, after + 1, name)


def _value(head: bytes, place: int, name: bytes) -> tuple[int, tuple[bytes, bytes] | None]:
    size = len(head)
    while place < size and head[place] in b"\t\n\f\r ":
        place += 1
    if place >= size:
        return size, None
    if head[place] in b"\"'":
        end = head.find(head[place : place + 1], place + 1)
        if end < 0:
            return size, None
        return end + 1, (name, head[place + 1 : end].lower())
    start = place
    while place < size and head[place] not in b"\t\n\f\r >":
        place += 1
    return place, (name, head[start:place].lower())


def _from_attributes(attributes: dict[bytes, bytes]) -> str | None:
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv") == b"content-type":
        match = _CHARSET.search(attributes.get(b"content", b""))
        label = None if match is None else match[1] or match[2] or match[3]
    if not label:
        return None
    name = encoding_from_label(label.decode("latin-1").strip())
    if name in {"utf-16le", "utf-16be"}:
        return "utf-8"
    return "windows-1252" if name == "x-user-defined" else name


def declared_in_xml(head: bytes) -> str | None:
    """Return the encoding that an XML declaration at the very start names."""
    match = _XML_ENCODING.match(head[:256])
    if match is None:
        return None
    name = encoding_from_label(match[1].decode("ascii"))
    return "utf-8" if name in {"utf-16le", "utf-16be"} else name
