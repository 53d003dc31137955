"""Runs: what a bare URL may take, and the way back to the text."""

import pytest

from research_eval.gate.run import RunReader, scheme_finder


def _run(text: str) -> str:
    return RunReader(text).read(0, len(text)).text


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("https://a/b c", "https://a/b"),
        ("https://a/b<c", "https://a/b"),
        ("https://a/b|c", "https://a/b"),
        ("https://a/b\\|c", "https://a/b|c"),
        ("https://a/b&#124;c", "https://a/b|c"),
        ("https://a/b&amp;c&d;e", "https://a/b&c&d;e"),
        ("https://a/b&lt;c", "https://a/b"),
        ("https:\\/\\/a\\/b", "https://a/b"),
        ("https://a/b\\u003Dc", "https://a/b=c"),
        ("https://a/b\\x26c", "https://a/b&c"),
        ("https://a/b\\nc", "https://a/b\\nc"),
        ("https://a/b\\nC", "https://a/b"),
        ("https://a/b\\", "https://a/b"),
        ("https://a/\u200bb", "https://a/b"),
        ("https://a/b\u200b", "https://a/b"),
        ("https://a/می\u200cخ", "https://a/می\u200cخ"),
        ("https://a/日本。", "https://a/日本"),
        ("https://(SICI)/a<1::AID-X>b", "https://(SICI)/a<1::AID-X>b"),
        ("https://a/b<1::AID-X>b", "https://a/b"),
    ],
)
def test_a_run_ends_at_a_delimiter_with_escapes_undone(text: str, run: str) -> None:
    assert _run(text) == run


def test_every_character_knows_its_place() -> None:
    text = "https&#58;//a/b\\_c&amp;d\u00ade"
    run = RunReader(text).read(0, len(text))

    assert run.text == "https://a/b_c&de"
    assert [text[run.place(run.text.index(char))] for char in "hb_c&de"] == list("hb\\c&de")
    assert run.place(len(run.text)) == run.end == len(text)
    assert run.written(0, run.text.index("c")) == "https&#58;//a/b\\_"


def test_a_run_stops_at_its_limit() -> None:
    assert RunReader("https://a/bcd").read(0, 11).text == "https://a/b"
    assert RunReader("https://a/é&amp;bcd").read(0, 17).text == "https://a/é&b"


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("x http://a https://b", [2, 11]),
        ("HTTP://a hTTps://b", [0, 9]),
        ("ahttps://b xhttp://c", [1, 12]),
        ("http:/a https//b hxxp://c ://", []),
        ("https&#58;//a &#104;ttp://b", [0, 14]),
        ("\\u0068ttps://a ht\u200btp\\://b", [0, 15]),
    ],
)
def test_schemes_are_found_however_they_are_written(text: str, starts: list[int]) -> None:
    find = scheme_finder(text)
    found = []
    at = find(0)
    while at >= 0:
        found.append(at)
        at = find(at + 5)

    assert found == starts
