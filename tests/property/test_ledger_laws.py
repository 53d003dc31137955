"""Laws of the keys: each fold, each difference, checked against a reading of their own."""

import re
import string
from urllib.parse import urlsplit

from hypothesis import assume, given, strategies as st

from research_eval.ledger import SourceRegistry, url_key
from research_eval.schema import Fetched, SearchHit

UNRESERVED = string.ascii_letters + string.digits + "-._~"
TRACKING = [
    "utm_source",
    "utm_x",
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
names = st.text(string.ascii_lowercase, min_size=1, max_size=6)
hosts = st.builds("{}.{}.example".format, names, names).filter(
    lambda host: not host.startswith("www.")
)
characters = st.sampled_from(
    [
        *UNRESERVED,
        "%2F",
        "%2B",
        "%28",
        "%C3%A9",
        "é",
        "中",
        "+",
        "(",
        ")",
        ",",
        ";",
        ":",
        "@",
        "!",
        "$",
        "'",
        "*",
        "=",
    ]
)
segments = st.lists(characters, min_size=1, max_size=6).map("".join).filter(lambda s: s.strip("."))
paths = st.lists(segments, max_size=4).map(lambda parts: "".join(f"/{part}" for part in parts))
pairs = st.builds("{}={}".format, names.map("q{}".format), st.text(UNRESERVED + "+", max_size=5))
queries = st.lists(pairs, max_size=4)
schemes = st.sampled_from(["http", "https"])


def _url(scheme: str, host: str, path: str, query: list[str]) -> str:
    return f"{scheme}://{host}{path}" + (f"?{'&'.join(query)}" if query else "")


whole = st.builds(_url, schemes, hosts, paths, queries)
soup = st.text(st.sampled_from("htps:/.@?#%[]w2Fe&=\\é中 \t-_a1"), max_size=30).map(
    "https://".__add__
)


@given(st.one_of(whole, soup, st.text(max_size=30)))
def test_a_key_folded_twice_is_itself(url: str) -> None:
    key = url_key(url)

    assert url_key(key.value) == key


@given(whole)
def test_the_listed_folds_do_not_change_a_key(url: str) -> None:
    scheme, rest = url.split("://", 1)
    host = rest.split("/")[0].split("?")[0]
    port = {"http": "80", "https": "443"}[scheme]
    spelled = url.replace(f"{scheme}://{host}", f"{scheme.upper()}://WWW.{host.upper()}:{port}", 1)

    assert url_key(spelled) == url_key(url)
    assert url_key(f"{url}#anything?/@x.example") == url_key(url)


@given(whole, st.sampled_from(TRACKING), names, st.integers(0, 4))
def test_tracking_parameters_do_not_change_a_key(url: str, name: str, value: str, at: int) -> None:
    base, question, query = url.partition("?")
    pieces = query.split("&") if question else []
    pieces.insert(at, f"{name}={value}")

    assert url_key(f"{base}?{'&'.join(pieces)}") == url_key(url)


@given(schemes, hosts, paths, queries, st.randoms(use_true_random=False))
def test_the_order_of_a_query_does_not_change_a_key(
    scheme: str, host: str, path: str, query: list[str], rng: object
) -> None:
    shuffled = query[:]
    rng.shuffle(shuffled)

    assert url_key(_url(scheme, host, path, shuffled)) == url_key(_url(scheme, host, path, query))


@given(schemes, hosts, paths.filter(bool), queries)
def test_one_trailing_slash_does_not_change_a_key(
    scheme: str, host: str, path: str, query: list[str]
) -> None:
    with_slash = _url(scheme, host, f"{path}/", query)

    assert url_key(with_slash) == url_key(_url(scheme, host, path, query))
    assert url_key(_url(scheme, host, f"{path}//", query)) != url_key(with_slash)


@given(whole, st.data())
def test_octets_spell_unreserved_letters(url: str, data: st.DataObject) -> None:
    """RFC 3986 6.2.2.1 and 6.2.2.2."""
    start = url.index("://") + 3
    assume("/" in url[start:])
    at = data.draw(st.integers(url.index("/", start) + 1, len(url)))
    assume(at < len(url) and url[at] in UNRESERVED and "%" not in url[max(0, at - 2) : at])
    octet = f"%{ord(url[at]):02x}"

    assert url_key(url[:at] + octet + url[at + 1 :]) == url_key(url)


@given(schemes, hosts, st.lists(segments, min_size=1, max_size=3), segments)
def test_dot_segments_do_not_change_a_key(
    scheme: str, host: str, parts: list[str], detour: str
) -> None:
    """RFC 3986 6.2.2.3."""
    plain = f"{scheme}://{host}/{'/'.join(parts)}"
    dotted = f"{scheme}://{host}/{detour}/../{'/./'.join(parts)}"

    assert url_key(dotted) == url_key(plain)


@given(st.text("éüßñ中日本語дом", min_size=1, max_size=6))
def test_an_idn_and_its_punycode_share_a_key(label: str) -> None:
    """UTS #46."""
    encoded = "xn--" + label.encode("punycode").decode("ascii")

    assert url_key(f"https://{label}.example/") == url_key(f"https://{encoded}.example/")


def _parts(url: str) -> tuple[object, ...]:
    """Read a URL with the standard library, folding only what is listed."""
    split = urlsplit(url)
    host = re.sub("^www[.]", "", split.hostname or "")
    port = split.port or {"http": 80, "https": 443}[split.scheme]
    octets = re.sub(
        "%([0-9A-Fa-f]{2})|([^\x00-\x7f])",
        lambda found: (
            _octet(found[1]) if found[1] else "".join(f"%{b:02X}" for b in found[2].encode())
        ),
        f"{split.path or '/'}\x00{split.query}",
    )
    path, _, query = octets.partition("\x00")
    kept = sorted(piece for piece in query.split("&") if piece.split("=")[0] not in TRACKING)
    path = path if path == "/" or path.endswith("//") else path.removesuffix("/")
    return split.scheme, split.username, host, port, path, kept


def _octet(digits: str) -> str:
    char = chr(int(digits, 16))
    return char if char in UNRESERVED else f"%{digits.upper()}"


near = st.one_of(
    st.tuples(whole, whole),
    st.builds(lambda url, other: (url, other + url[len(other) :]), whole, whole),
    st.builds(lambda s, h, p, q, p2: (_url(s, h, p, q), _url(s, h, p2, q)), schemes, hosts, paths, queries, paths),
    st.builds(lambda s, h, p, q, q2: (_url(s, h, p, q), _url(s, h, p, q2)), schemes, hosts, paths, queries, queries),
    st.builds(lambda s, h, h2, p, q: (_url(s, h, p, q), _url(s, h2, p, q)), schemes, hosts, hosts, paths, queries),
)  # fmt: skip


@given(near)
def test_equal_keys_mean_equal_parts(both: tuple[str, str]) -> None:
    """Never the same key for another scheme, user, host, port, path or query."""
    one, other = both
    assume("://" in other[:9])

    assert (url_key(one) == url_key(other)) == (_parts(one) == _parts(other))


@given(whole, st.sampled_from([("http", "https"), (".example", ".example.evil"), ("://", "://u@")]))
def test_a_changed_place_changes_the_key(url: str, change: tuple[str, str]) -> None:
    old, new = change
    other = url.replace(old, new, 1)
    assume(other != url and not (old == "http" and url.startswith("https")))

    assert url_key(other) != url_key(url)


steps = st.lists(
    st.tuples(st.sampled_from(["hit", "page", "wall", "failed"]), st.sampled_from("abc")),
    max_size=12,
)


@given(steps)
def test_a_fetched_record_is_never_demoted(sequence: list[tuple[str, str]]) -> None:
    ledger = SourceRegistry()
    opened: set[str] = set()
    good: set[str] = set()
    for kind, name in sequence:
        url = f"https://a.example/{name}"
        if kind == "hit":
            ledger.add_hit(SearchHit(url=url, rank=1))
        else:
            evidence = "bot_wall" if kind == "wall" else "ok"
            ledger.add_page(Fetched(url=url, ok=kind != "failed", evidence=evidence), None)
            opened |= {url} if kind != "failed" else set()
            good |= {url} if kind == "page" else set()

    states = {record.url: (record.state, record.evidence) for record in ledger.records()}
    assert {url for url, (state, _) in states.items() if state == "fetched"} == opened
    assert {url for url, state in states.items() if state == ("fetched", "ok")} == good


@given(steps)
def test_records_and_events_rebuild_the_same_ledger(sequence: list[tuple[str, str]]) -> None:
    ledger = SourceRegistry()
    for kind, name in sequence:
        url = f"https://a.example/{name}{'/' if kind == 'hit' else ''}"
        if kind == "hit":
            ledger.add_hit(SearchHit(url=url, rank=1, title=name))
        else:
            ledger.add_page(Fetched(url=url, ok=kind == "page"), None)

    assert SourceRegistry.from_records(ledger.records()).records() == ledger.records()
