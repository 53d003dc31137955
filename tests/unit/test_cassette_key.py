"""Keys: what makes two requests the same, and what keeps them apart."""

import json

import pytest

from research_eval.cassette.canonical_request import canonical_request
from research_eval.cassette.key import canonical_json
from research_eval.cassette.redact import Redactor

JSON = "application/json"


def key(
    body=b"",
    kind=JSON,
    target="/v1/chat",
    method="POST",
    host="api.example",
    redactor=None,
    channel="model",
):
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return canonical_request(
        method, ("https", host, target), kind, body, redactor or Redactor(), channel
    ).key


def test_the_spelling_of_json_does_not_matter():
    assert key(b'{"a":1,"b":{"c":[1,2],"d":"\\u00e9"}}') == key(
        '{ "b": {"d": "é", "c": [1, 2]},\n "a": 1 }'.encode()
    )


@pytest.mark.parametrize(
    "kind",
    [
        "application/vnd.api+json",
        "application/json; charset=utf-8",
        "application/x-amz-json-1.1",
        "APPLICATION/JSON",
        "",
    ],
)
def test_every_kind_of_json_is_compared_as_json(kind):
    assert key(b'{"a":1,"b":2}', kind) == key(b'{"b":2,"a":1}', kind)


def test_text_is_compared_as_it_is():
    assert key(b'{"a":1,"b":2}', "text/plain") != key(b'{"b":2,"a":1}', "text/plain")


@pytest.mark.parametrize(
    "pair",
    [
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"a": True}),
        ({"a": 0}, {"a": False}),
        ({"a": None}, {}),
        ({"a": "1"}, {"a": 1}),
        ({"a": [1, 2]}, {"a": [2, 1]}),
        ({"a": 2**64}, {"a": 2**64 + 1}),
        ({"a": 0.0}, {"a": -0.0}),
        ({"a": ""}, {"a": " "}),
        ({"model": "m-1"}, {"model": "m-2"}),
        (
            {"messages": [{"content": "today is 2026-01-01"}]},
            {"messages": [{"content": "today is 2026-01-02"}]},
        ),
        ({"tools": [{"description": "old"}]}, {"tools": [{"description": "new"}]}),
        ({"q": "caf\u00e9"}, {"q": "cafe\u0301"}),
    ],
    ids=lambda pair: json.dumps(pair)[:40],
)
def test_a_difference_in_meaning_is_a_different_request(pair):
    assert key(pair[0]) != key(pair[1])


def test_a_field_named_twice_is_not_the_same_as_the_field_once():
    assert canonical_json('{"a":1,"a":2}') is None
    assert key(b'{"a":1,"a":2}') != key(b'{"a":2}')


@pytest.mark.parametrize("text", ["{", "nope", "[" * 100_000, '{"a":' * 3000 + "1" + "}" * 3000])
def test_what_is_no_json_is_compared_as_it_is(text):
    assert canonical_json(text) is None
    assert key(text.encode()) == key(text.encode())


def test_method_host_scheme_and_path_count():
    keys = {
        key(),
        key(method="PUT"),
        key(host="api.example:8443"),
        key(target="/v1/Chat"),
        key(target="/v1/chat/"),
    }

    assert len(keys) == 5


def test_the_order_of_query_fields_is_free_but_values_and_blanks_count():
    def of(target):
        return key(target=target, method="GET")

    assert of("/x?b=2&a=1") == of("/x?a=1&b=2")
    assert of("/x?a=1&a=2") != of("/x?a=2&a=1")
    assert (
        len(
            {
                of("/x"),
                of("/x?"),
                of("/x?a"),
                of("/x?a="),
                of("/x?a=&b="),
                of("/x?a=%20"),
                of("/x?a=+"),
            }
        )
        == 7
    )


def test_generated_ids_are_numbered_where_ids_stand_and_nowhere_else():
    def body(first, second, text="hello"):
        calls = [
            {"id": first, "function": {"name": "f"}},
            {"id": second, "function": {"name": "g"}},
        ]
        answers = [{"role": "tool", "tool_call_id": first, "content": text}]
        return {"messages": [{"role": "assistant", "tool_calls": calls}, *answers]}

    one, two, three = (f"pyd_ai_{digit * 32}" for digit in "abc")
    assert key(body(one, two)) == key(body(three, one))
    assert key(body(one, two)) != key(body(one, one))
    assert key(body(one, two, text=one)) != key(body(one, two, text=two))


def test_the_boundary_of_a_multipart_body_does_not_matter():
    def of(boundary, text="hello"):
        body = f'--{boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n{text}\r\n--{boundary}--\r\n'
        return key(body.encode(), f"multipart/form-data; boundary={boundary}")

    assert of("abc") == of("x" * 40)
    assert of("abc") != of("abc", "other")


def test_a_body_that_is_no_text_is_compared_byte_for_byte():
    assert key(b"\xff\x00", "application/octet-stream") != key(
        b"\xff\x01", "application/octet-stream"
    )


def test_the_key_of_a_request_does_not_depend_on_the_secret_in_it():
    real, placeholder = "sk-live-0123456789abcdef", "stand-in-for-the-real-key"

    def of(secret):
        return key(
            {"q": "x", "auth": {"token": secret}},
            target=f"/s?k={secret}&api_key={secret}",
            redactor=Redactor({"API_KEY": secret}),
        )

    assert of(real) == of(placeholder)


def test_pages_that_differ_in_a_field_called_key_stay_apart():
    assert key(target="/item?key=1", channel="web") != key(target="/item?key=2", channel="web")


def test_keys_never_change_by_accident():
    """A change here makes every recording stale: raise the profile's number and say so."""
    assert (
        key({"model": "m", "messages": [{"role": "user", "content": "hé"}], "temperature": 0.0})
        == "7f025440d0f9ca0c9b4229cf1f88cee6"
    )
    assert key(target="/x?b=&a=1", method="GET") == "27448f021e6c79e1cdae7181a5d7033e"
