"""No URL, redirect or answer of a name server makes `fetch` dial an address that is not public."""

import ipaddress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import httpx
import pytest

from research_eval.tool.fetch import FetchSettings
from research_eval.tool.fetch.address import is_public
from research_eval.tool.fetch.ssrf_guard import SsrfGuardError, check_url, matches_host


def _load_lab():
    spec = spec_from_file_location("fetch_lab", Path(__file__).with_name("fetch_lab.py"))
    assert spec is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fetch_lab = _load_lab()
Names, always, lab, reply, server = (
    fetch_lab.Names,
    fetch_lab.always,
    fetch_lab.lab,
    fetch_lab.reply,
    fetch_lab.server,
)

ANY_PORT = FetchSettings(ports=None, host_interval_s=0)
INNER = FetchSettings(ports=None, host_interval_s=0, allow_private=("allowed.example",))

TRICK_HOSTS = [
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "0",
    "0.0.0.0",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "127。0。0。1",
    "127．0．0．1",
    "①②⑦.⓪.⓪.①",
    "１２７.0.0.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:7f00:0001]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:53aa:64c:0:0:80ff:fffe]",
    "[2001:db8::1]",
    "[2606:4700::5efe:7f00:1]",
    "[2606:4700::200:5efe:a00:1]",
    "[fe80::1]",
    "[fe80::1%25eth0]",
    "[fc00::1]",
    "[fd12::1]",
    "[ff02::1]",
    "[100::1]",
    "[::ffff:0:127.0.0.1]",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "127.0.0.1%00",
    "127.0.0.1%2eexample.com",
    "%31%32%37.0.0.1",
    "user@127.0.0.1",
    "example.com@127.0.0.1",
    "127.0.0.1\\@example.com",
    "example.com\\@127.0.0.1",
    "127.0.0.1\t",
    "127.0.0.1#@example.com",
    "127.0.0.1?@example.com",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ip6-localhost",
    "intranet",
    "metadata.google.internal",
    "127.0.0.1.nip.example",
    "a.example..",
    "-.example",
    "exa mple.com",
    "",
]
"""Hosts that lead, or that some parser takes to lead, to this machine or its neighbours."""

BAD_ANSWERS = {
    "loopback": ["127.0.0.1"],
    "loopback_v6": ["::1"],
    "mapped": ["::ffff:127.0.0.1"],
    "compatible": ["::127.0.0.1"],
    "nat64": ["64:ff9b::a9fe:a9fe"],
    "sixtofour": ["2002:a00:1::"],
    "teredo": ["2001:0:53aa:64c::1"],
    "isatap": ["2606:4700::5efe:c0a8:101"],
    "metadata": ["169.254.169.254"],
    "shared": ["100.64.3.4"],
    "good_then_bad": ["93.184.215.14", "10.1.2.3"],
    "bad_then_good": ["192.168.0.9", "93.184.215.14"],
    "scoped": ["fe80::1%lo"],
    "unspecified": ["0.0.0.0"],
    "nonsense": ["not an address"],
    "documentation": ["2001:db8::2"],
}


def names_for_tricks() -> Names:
    """Resolve every name to loopback, as a hostile name server does."""

    class All(Names):
        async def __call__(self, host: str, port: int) -> list[str]:
            self.asked.append(host)
            return ["127.0.0.1"]

    return All()


@pytest.mark.sockets
@pytest.mark.anyio
@pytest.mark.parametrize("host", TRICK_HOSTS)
async def test_a_trick_host_is_never_dialled(host):
    secret = always(reply(b"secret of this machine"))
    async with server(secret) as port, lab(ANY_PORT, names=names_for_tricks()) as place:
        for url in (
            f"http://{host}:{port}/",
            f"HTTP://{host}/",
            f"http://{host}:{port}/?a=b#c",
        ):
            outcome = await place.fetch(url)

            assert not outcome.ok
            assert outcome.error in {"blocked", "invalid_url"}
    assert place.backend.dialled == []
    assert {one.failure for one in place.ledger.records()} <= {"blocked", "invalid_url"}


@pytest.mark.sockets
@pytest.mark.anyio
@pytest.mark.parametrize(
    "host", [host for host in TRICK_HOSTS if host.isascii() and "\t" not in host]
)
async def test_a_redirect_to_a_trick_host_is_never_followed(host):
    async with server(always(reply(b"", f"Location: http://{host}/x", status="302 Found"))) as port:
        names = Names(allowed_example=[["127.0.0.1"]])
        async with lab(INNER, names=names) as place:
            outcome = await place.fetch(f"http://allowed.example:{port}/")

    assert outcome.error in {"blocked", "invalid_url", "unknown_host"}
    assert place.backend.dialled == ["127.0.0.1"]


@pytest.mark.anyio
@pytest.mark.parametrize("answer", BAD_ANSWERS.values(), ids=BAD_ANSWERS.keys())
async def test_one_bad_address_among_the_answers_closes_the_host(answer):
    async with lab(ANY_PORT, names=Names(shop_example=[answer])) as place:
        outcome = await place.fetch("http://shop.example/")

    assert outcome.error == "blocked"
    assert place.backend.dialled == []


@pytest.mark.anyio
async def test_an_answer_that_flips_does_not_help_because_names_are_asked_once_for_each_dial():
    names = Names(flip_example=[["93.184.215.14"], ["127.0.0.1"]])
    async with lab(ANY_PORT, names=names) as place:
        first = await place.fetch("http://flip.example/")
        second = await place.fetch("http://flip.example/")

    assert place.backend.dialled == ["93.184.215.14"]
    assert (first.error, second.error) == ("connection", "blocked")
    assert names.asked == ["flip.example", "flip.example"]


@pytest.mark.anyio
async def test_the_address_that_was_checked_is_the_one_that_is_dialled():
    async with lab(
        ANY_PORT, names=Names(fine_example=[["93.184.215.14", "2606:4700::1111"]])
    ) as place:
        await place.fetch("https://fine.example/")

    assert place.backend.dialled == ["93.184.215.14", "2606:4700::1111"]


@pytest.mark.anyio
async def test_sockets_of_the_machine_are_closed():
    async with lab(ANY_PORT) as place:
        backend = place.http._transport._pool._network_backend
        with pytest.raises(Exception, match="blocked address"):
            await backend.connect_unix_socket("/run/x.sock")


@pytest.mark.sockets
@pytest.mark.anyio
async def test_a_private_host_opens_when_it_is_allowed_by_name():
    async with server(
        always(reply(b"<title>inner</title><p>text</p>", "Content-Type: text/html"))
    ) as port:
        async with lab(INNER, names=Names(allowed_example=[["127.0.0.1"]])) as place:
            outcome = await place.fetch(f"http://allowed.example:{port}/")
        async with lab(FetchSettings(ports=None, allow_private=("127.0.0.0/8",))) as place:
            literal = await place.fetch(f"http://127.0.0.1:{port}/")

    assert outcome.ok
    assert literal.ok


@pytest.mark.anyio
async def test_the_environment_cannot_bring_in_a_proxy(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with lab(ANY_PORT, names=Names(fine_example=[["93.184.215.14"]])) as place:
        await place.fetch("http://fine.example/")

    assert place.backend.dialled == ["93.184.215.14"]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("ftp://a.example/", "invalid_url"),
        ("file:///etc/passwd", "invalid_url"),
        ("gopher://a.example/", "invalid_url"),
        ("data:text/html,x", "invalid_url"),
        ("a.example/x", "invalid_url"),
        ("//a.example/x", "invalid_url"),
        ("http://", "invalid_url"),
        ("http:///x", "invalid_url"),
        ("http://a.example:99999/", "invalid_url"),
        ("http://a.example:x/", "invalid_url"),
        ("https://a.example:8443/", "blocked"),
        ("http://a.example:22/", "blocked"),
        ("http://a.example/\r\nHost: b", "invalid_url"),
        ("http://a.example/\x00", "invalid_url"),
        ("http://a.example\\x", "invalid_url"),
        ("javascript:alert(1)", "invalid_url"),
        ("http://u:p@a.example/", "invalid_url"),
        ("http://[::1", "invalid_url"),
        ("http://" + "a" * 300 + ".example/", "invalid_url"),
    ],
)
def test_a_url_outside_the_guard_is_refused_with_a_reason(url, kind):
    with pytest.raises(SsrfGuardError) as caught:
        check_url(url, FetchSettings())

    assert caught.value.kind == kind
    assert str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://A.Example/Path?q=1#frag", "https://a.example/Path?q=1"),
        ("https://a.example./x", "https://a.example/x"),
        ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
        ("https://a.example/a b", "https://a.example/a%20b"),
        ("https://a.example/a%2Fb?x=%28", "https://a.example/a%2Fb?x=%28"),
        ("http://a.example:80/", "http://a.example/"),
        ("https://8.8.8.8/", "https://8.8.8.8/"),
    ],
)
def test_an_ordinary_url_passes_and_keeps_its_meaning(url, expected):
    assert str(check_url(url, FetchSettings())) == expected


@pytest.mark.parametrize(
    ("host", "entry", "matches"),
    [
        ("a.example", "a.example", True),
        ("b.a.example", "a.example", False),
        ("b.a.example", ".a.example", True),
        ("a.example", ".a.example", True),
        ("xa.example", ".a.example", False),
        ("xn--bcher-kva.example", "bücher.example", True),
        ("www.xn--bcher-kva.example", ".bücher.example", True),
        ("a.example", "A.Example.", True),
    ],
)
def test_a_host_matches_exactly_or_by_its_ending(host, entry, matches):
    assert matches_host(host, (entry,)) is matches


@pytest.mark.anyio
async def test_the_lists_of_hosts_hold_on_every_hop():
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/out":
            return httpx.Response(302, headers={"location": "https://evil.example/"})
        return httpx.Response(200, text="text")

    settings = FetchSettings(
        allow_hosts=(".good.example", "evil.example"), deny_hosts=("evil.example", "x.good.example")
    )
    async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        place = fetch_lab.Lab(settings)
        place.tool._downloader._http = http
        outcomes = [
            await place.fetch(f"https://{rest}")
            for rest in (
                "a.good.example/",
                "a.good.example/out",
                "x.good.example/",
                "else.example/",
            )
        ]
        await place.http.aclose()

    assert [outcome.error for outcome in outcomes] == [None, "blocked", "blocked", "blocked"]


@pytest.mark.parametrize(
    "text",
    [
        "8.8.8.8",
        "93.184.215.14",
        "2606:4700:4700::1111",
        "64:ff9b::808:808",
        "2a00:1450::1",
        "192.0.1.1",
    ],
)
def test_public_addresses_are_public(text):
    assert is_public(ipaddress.ip_address(text))
