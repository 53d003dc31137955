"""A second reading of the corpus: labels derived again without the gate's code.

    python benchmarks/gate_second_reading.py

Keys are compared by a reading of their own, written from RFC 3986, UTS #46 and the list of folds.
What an answer cites is compared with markdown-it-py (GFM, linkify). Every disagreement is printed for
a person to read; only a disagreement on keys is an error, since the other reader is no authority.
At last it counts what the second reader of `second_reading.jsonl` found.
"""

import ipaddress
import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import idna
from gate_peers import markdown_urls

CORPUS = Path(__file__).parent.parent / "datasets" / "gate" / "cases.jsonl"
READING = CORPUS.with_name("second_reading.jsonl")
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
RESERVED = frozenset("!$&'()*+,;=:@/[]?%")
TRACKING = frozenset(
    [
        "gclid",
        "fbclid",
        "yclid",
        "msclkid",
        "dclid",
        "igshid",
        "twclid",
        "mc_cid",
        "mc_eid",
        "_ga",
        "_gl",
        "ref_src",
        "ref_url",
        "cmpid",
        "spm",
        "share_id",
        "xtor",
    ]
)
PARTS = re.compile(r"(https?)://([^/?#]*)([^?#]*)(\?[^#]*)?", re.IGNORECASE | re.DOTALL)


def main() -> int:
    """Read every label again; return 1 if one of the keys disagrees."""
    agreed = dict.fromkeys(("equivalence", "extract"), 0)
    total = dict.fromkeys(agreed, 0)
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["kind"] not in total:
            continue
        total[case["kind"]] += 1
        if _agrees(case):
            agreed[case["kind"]] += 1
        else:
            print(
                f"{case['id']} {case['phenomenon']}{' (disputed)' if case['contested'] else ''}: {case['note']}"
            )
    for kind, number in total.items():
        print(f"{kind}: the second reading agrees on {agreed[kind]} of {number}")
    is_complete = _print_reader(_lines(CORPUS), _lines(READING))
    return 0 if is_complete and agreed["equivalence"] == total["equivalence"] else 1


def _lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def _print_reader(cases: list[dict], read: list[dict]) -> bool:
    """Print what the second reader found; return whether every case was read once, in order."""
    disputed = {case["id"] for case in cases if case["contested"]}
    objected = {one["id"] for one in read if not one["agrees"]}
    print(
        f"second reader: {len(read)} read, {len(read) - len(objected)} agreed, "
        f"{len(objected - disputed)} mended, {len(objected & disputed)} newly contested; "
        f"{len(disputed)} contested in all"
    )
    return [one["id"] for one in read] == [case["id"] for case in cases]


def _agrees(case: dict) -> bool:
    if case["kind"] == "equivalence":
        return (_reading(case["a"]) == _reading(case["b"])) is case["same"]
    found = [_reading(url) for url in dict.fromkeys(markdown_urls(case["text"]))]
    return found == [_reading(url) for url in case["expected_urls"]]


def _reading(url: str) -> tuple:
    match = PARTS.match(url)
    if match is None or re.search(r"[\s\\]", match[2]):
        return ("as written", url)
    scheme = match[1].lower()
    user, _, place = match[2].rpartition("@")
    host, port = _place(place)
    path = _without_dots(_octets(match[3])) or "/"
    if len(path) > 1 and path.endswith("/") and not path.endswith("//"):
        path = path[:-1]
    return (
        scheme,
        user,
        host,
        port or {"http": "80", "https": "443"}[scheme],
        path,
        _query(match[4]),
    )


def _place(place: str) -> tuple[str, str]:
    if place.startswith("["):
        address, _, port = place[1:].partition("]")
        return ipaddress.ip_address(address).exploded, port.lstrip(":")
    name, _, port = place.partition(":")
    try:
        host = idna.encode(unquote(name), uts46=True, transitional=False).decode()
    except (idna.IDNAError, UnicodeError):
        host = name.lower()
    if host.startswith("www.") and "." in host[4:] and not host.startswith("www.www."):
        host = host[4:]
    return host, port


def _octets(text: str) -> str:
    parts = re.split("(%[0-9A-Fa-f]{2})", text)
    return "".join(
        _octet(part) if len(part) == 3 and part[0] == "%" else _plain(part) for part in parts
    )


def _octet(part: str) -> str:
    char = chr(int(part[1:], 16))
    return char if char in UNRESERVED else part.upper()


def _plain(part: str) -> str:
    return "".join(
        char
        if char in UNRESERVED or char in RESERVED
        else "".join(f"%{byte:02X}" for byte in char.encode())
        for char in part
    )


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")
    for number, segment in enumerate(segments):
        is_last = number == len(segments) - 1
        if segment == ".." and len(kept) > 1:
            kept.pop()
        if segment not in {".", ".."}:
            kept.append(segment)
        elif is_last:
            kept.append("")
    return "/".join(kept)


def _query(query: str | None) -> list[str] | None:
    if query is None:
        return None
    pieces = _octets(query[1:]).split("&")
    names = [piece.split("=")[0] for piece in pieces]
    kept = [
        piece
        for piece, name in zip(pieces, names, strict=True)
        if name not in TRACKING and not name.startswith("utm_")
    ]
    return None if len(kept) < len(pieces) and not any(kept) else sorted(kept)


if __name__ == "__main__":
    sys.exit(main())
