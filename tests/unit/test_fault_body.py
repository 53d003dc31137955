"""Bodies made wrong on purpose."""

import json

import pytest

from research_eval.fault.body import HUGE_BYTES, MUTATIONS

SERPER = {"organic": [{"title": "A", "link": "https://a.example/"}], "credits": 1}
BRAVE = {"type": "search", "web": {"results": [{"title": "A", "url": "https://a.example/"}]}}
CHAT = {"choices": [{"message": {"content": "see https://a.example/x"}}]}


def mutate(kind: str, value: object) -> object:
    return json.loads(MUTATIONS[kind](json.dumps(value).encode()))


def test_empty_keeps_the_shape_and_takes_the_results():
    assert mutate("empty", SERPER) == {"organic": [], "credits": 1}
    assert mutate("empty", BRAVE) == {"type": "search", "web": {"results": []}}
    assert mutate("empty", CHAT) == {"choices": []}


def test_no_urls_leaves_results_without_addresses():
    assert mutate("no_urls", SERPER) == {"organic": [{"title": "A"}], "credits": 1}
    assert mutate("no_urls", BRAVE)["web"]["results"] == [{"title": "A"}]


@pytest.mark.parametrize("body", [json.dumps(CHAT).encode(), b"<a href='https://a.example/'>x</a>"])
def test_no_urls_takes_them_out_of_running_text_too(body):
    assert b"a.example" not in MUTATIONS["no_urls"](body)


def test_duplicates_stand_beside_their_originals():
    doubled = mutate("duplicates", {"organic": [{"link": "a"}, {"link": "b"}]})

    assert [row["link"] for row in doubled["organic"]] == ["a", "a", "b", "b"]


@pytest.mark.parametrize("body", [json.dumps(SERPER).encode(), b"plain", b"", b'{"organic":[]}'])
def test_huge_is_ten_megabytes_of_the_same(body):
    assert HUGE_BYTES <= len(MUTATIONS["huge"](body)) < 3 * HUGE_BYTES


def test_malformed_is_not_json_any_more():
    with pytest.raises(ValueError, match=r"."):
        mutate("malformed", SERPER)


def test_wrong_json_is_json_of_another_shape():
    assert "organic" not in mutate("wrong_json", SERPER)


def test_a_page_that_is_no_json_loses_or_doubles_as_a_whole():
    assert MUTATIONS["empty"](b"<p>x</p>") == b""
    assert MUTATIONS["duplicates"](b"<p>x</p>") == b"<p>x</p><p>x</p>"
