"""Secrets by value: whatever spells or carries a key, it is found and nothing else is changed."""

import base64
import html
import json
import random
import string
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, example, given, settings, strategies as st

from research_eval.secret import SCRUBBED, KnownSecrets

LETTERS = string.ascii_letters + string.digits + "+/=_-.~"
KEYS = st.text(alphabet=string.ascii_letters + string.digits, min_size=13, max_size=48) | st.text(
    alphabet=LETTERS + "$&'\"<>:é日", min_size=14, max_size=40
)


def basic(text):
    return "Basic " + base64.b64encode(f"user:{text}".encode()).decode()


WRAPPINGS = {
    "json": json.dumps,
    "json of another writer": lambda text: json.dumps(text).replace("/", "\\/"),
    "json escapes": lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text),
    "json value": lambda text: json.dumps({"a": [{"b": text}]}, ensure_ascii=False),
    "decimal entities": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "hex entities": lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
    "named entities": lambda text: html.escape(text).replace("+", "&plus;").replace("/", "&sol;"),
    "percent": lambda text: quote(text, safe=""),
    "form": quote_plus,
    "every letter percent": lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 url": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "basic": basic,
    "markdown": lambda text: text.replace("_", "\\_").replace("-", "\\-"),
}
TWICE = [(one, two) for one in WRAPPINGS for two in WRAPPINGS]


def make_key(rng):
    return "sk-" + "".join(rng.choices(LETTERS, k=rng.randint(20, 48)))


@pytest.mark.parametrize("name", [*WRAPPINGS, *("+".join(pair) for pair in TWICE)])
def test_a_key_is_found_in_every_encoding_and_in_two_of_them_over_one_another(name):
    rng = random.Random(name)
    for _ in range(3):
        key = make_key(rng)
        known = KnownSecrets({"KEY": key})
        carried = key
        for wrapping in name.split("+"):
            carried = WRAPPINGS[wrapping](carried)
        text = f"before {carried} after"

        assert known.find(text) == "KEY"
        clean = known.scrub(text)
        assert known.find(clean) is None
        assert clean.startswith("before ")
        assert clean.endswith(" after")
        assert SCRUBBED in clean


@given(KEYS, st.lists(st.sampled_from(sorted(WRAPPINGS)), max_size=3))
@settings(max_examples=150)
def test_any_key_is_found_however_it_is_wrapped(key, wrappings):
    carried = key
    for wrapping in wrappings:
        carried = WRAPPINGS[wrapping](carried)
    assume(len(carried) < 100_000)
    assume(sum(name.startswith("bas") for name in wrappings) <= 2)
    known = KnownSecrets({"KEY": key})

    assert known.find(known.scrub(f"<{carried}>")) is None
    assert known.find(f"<{carried}>") == "KEY"


@pytest.mark.parametrize("offset", range(6))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_key_is_found_in_base64_wherever_it_begins(offset, encode):
    key = "sk-?>~proj_0123456789abcdefghij"
    carried = encode(b"x" * offset + key.encode() + b"more").decode()

    assert KnownSecrets({"KEY": key}).find(carried) == "KEY"
    assert KnownSecrets({"KEY": key}).find(quote(quote(carried, safe=""), safe="")) == "KEY"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("shown", ["{}", "&#115;k{}", "%73k{}"])
def test_a_key_in_utf_16_is_taken_out_and_the_rest_stays_utf_16(encoding, shown):
    key = "sk-0123456789-abcdefghij"
    known = KnownSecrets({"KEY": key})
    spelled = shown.format(key if shown == "{}" else key[2:])
    content = f"<p>before {spelled} after</p>".encode(encoding)

    clean = known.scrub_bytes(content)
    assert clean.decode(encoding) == "<p>before SCRUBBED after</p>"
    assert known.find_bytes(clean) is None


def test_base64_in_lines_is_read_over_the_ends_of_its_lines():
    key = "sk-0123456789-abcdefghij-klmnopq"
    content = base64.encodebytes(b"x" * 40 + key.encode() + b"y" * 90)

    assert KnownSecrets({"KEY": key}).find_bytes(content) == "KEY"
    assert (
        KnownSecrets({"KEY": key}).find_bytes(KnownSecrets({"KEY": key}).scrub_bytes(content))
        is None
    )


@given(
    st.text(max_size=200)
    | st.from_regex(r"(\\u00[0-9]{2}|%[0-9A-F]{2}|&#[0-9]{2};|&amp;|[a-z]){0,40}")
)
@example("&#0;&#xfdd0;%u0041\\u{1F600}\\ud83d\\ude00\\ud83d%\\")
def test_text_without_a_key_is_the_same_text(text):
    assert KnownSecrets({"KEY": "sk-0123456789-abcdefghij"}).scrub(text) == text


@given(st.binary(max_size=300))
def test_bytes_without_a_key_are_the_very_same_bytes(content):
    assert KnownSecrets({"KEY": "sk-0123456789-abcdefghij"}).scrub_bytes(content) is content


@given(KEYS, st.text(max_size=30), st.text(max_size=30))
def test_what_stands_round_a_key_stays(key, before, after):
    assume(key not in before + after)
    known = KnownSecrets({"KEY": key})
    value = {"text": f"{before} {key} {after}", "n": 1}
    written = known.scrub(json.dumps(value))

    assert json.loads(written) == {"text": f"{before} SCRUBBED {after}", "n": 1}


@given(st.lists(KEYS, min_size=2, max_size=5, unique=True), st.data())
def test_the_check_and_the_scrubber_agree(keys, data):
    known = KnownSecrets({f"K{number}": key for number, key in enumerate(keys)})
    parts = data.draw(st.lists(st.sampled_from(keys) | st.text(max_size=8), max_size=6))
    text = "".join(parts)

    assert (known.find(text) is None) == (
        known.scrub_bytes(text.encode("utf-8", "surrogatepass"))
        == text.encode("utf-8", "surrogatepass")
    )
    assert known.find(known.scrub(text)) is None


def test_each_key_is_named_and_none_hides_another():
    known = KnownSecrets({"A": "sk-aaaa-0123456789", "B": "sk-aaaa-0123456789-longer"})

    assert known.find("x sk-aaaa-0123456789-longer") == "B"
    assert known.find("x sk-aaaa-0123456789 y") == "A"
    assert known.scrub("sk-aaaa-0123456789-longer sk-aaaa-0123456789") == "SCRUBBED SCRUBBED"
