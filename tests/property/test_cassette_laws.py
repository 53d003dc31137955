"""Laws of recordings: of bodies, keys, cassettes, names and redaction."""

import json
import string
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings, strategies as st

from research_eval.cassette import Redactor
from research_eval.cassette.body import body_bytes, readable_body, spell_json
from research_eval.cassette.canonical_request import canonical_request
from research_eval.cassette.explain import Candidate, explain
from research_eval.cassette.file import dump_cassette, parse_cassette
from research_eval.cassette.foreign import ForeignExchange, keep_as_web, recorded_in_order
from research_eval.cassette.interaction import Body, CassetteMetadata
from research_eval.cassette.key import PROFILE, CanonicalRequest, canonical_json, spell
from research_eval.cassette.name import host_folder, safe_name, slug
from research_eval.cassette.opening import open_store
from research_eval.cassette.wire import decoded_chunks, encoded_chunks
from research_eval.errors import CassetteCorruptError

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60)
KIND = [("content-type", "application/json")]


def no_file(name):
    raise AssertionError(name)


@given(
    st.binary()
    | TEXTS.map(str.encode)
    | JSON.flatmap(
        lambda value: st.sampled_from(["compact", "spaced", "ascii", "ascii_spaced"]).map(
            lambda style: spell_json(value, style).encode("utf-8", "surrogatepass")
        )
    )
)
def test_a_readable_body_gives_its_bytes_back_even_through_a_file(content):
    body = readable_body(content)

    assert body_bytes(body, no_file) == content
    stored = Body.model_validate_json(
        json.dumps(body.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    )
    assert body_bytes(stored, no_file) == content


@given(JSON, st.randoms(use_true_random=False))
def test_equal_json_has_one_spelling_whatever_the_order_of_fields(value, rng):
    def shuffled(item):
        if isinstance(item, dict):
            names = list(item)
            rng.shuffle(names)
            return {name: shuffled(item[name]) for name in names}
        return [shuffled(child) for child in item] if isinstance(item, list) else item

    first, second = json.dumps(value), json.dumps(shuffled(value), ensure_ascii=False, indent=1)
    assert canonical_json(first) == canonical_json(second)
    assert canonical_json(canonical_json(first)) == canonical_json(first)


@given(JSON | st.floats(allow_nan=False, allow_infinity=False), st.booleans())
@example(1e16, False)
@example(1e-05, False)
@example(2**64 + 1, False)
@example("\ud800", True)
def test_the_quick_spelling_of_json_is_the_careful_one(value, is_ascii):
    text = json.dumps(value, ensure_ascii=is_ascii, separators=(",", ":"))

    assert canonical_json(text) == spell(json.loads(text))


def test_a_field_named_twice_has_no_canonical_form_even_where_the_lengths_agree():
    assert canonical_json('{"a":1,"a":2,"b":[1e1,1e1,1e1]}') is None
    assert canonical_json('{"a":1,"b":1e5,"a":2}') is None


@given(JSON, JSON)
def test_different_json_has_different_spellings(one, other):
    assume(repr(_typed(one)) != repr(_typed(other)))

    assert canonical_json(json.dumps(one)) != canonical_json(json.dumps(other))


def _typed(value):
    if isinstance(value, dict):
        return sorted((name, repr(_typed(item))) for name, item in value.items()), "object"
    return [_typed(item) for item in value] if isinstance(value, list) else value


@given(
    st.lists(
        st.tuples(
            st.lists(JSON, max_size=4),
            st.dictionaries(st.sampled_from(["model", "tools", "seed"]), JSON),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_a_cassette_written_down_once_reads_back_whole_and_writes_the_same(turns):
    history, exchanges = [], []
    for new, settings_of_turn in turns:
        history = [*history, *new]
        sent = json.dumps({"messages": history, **settings_of_turn}).encode()
        exchanges.append(
            ForeignExchange("POST", "https://m.example/chat", KIND, sent, 200, "OK", KIND, b"{}")
        )
    records = recorded_in_order(exchanges, Redactor(), "model")
    text = dump_cassette(records, CassetteMetadata(profile=PROFILE))
    cassette = parse_cassette(text.encode("utf-8", "surrogatepass"), "x", no_file)

    assert cassette.records() == records
    assert dump_cassette(cassette.records(), cassette.metadata) == text
    assert [
        canonical_json(body_bytes(record.request.body, no_file).decode())
        for record in cassette.records()
    ] == [canonical_json(exchange.request_body.decode()) for exchange in exchanges]


@given(
    st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=8),
    st.sampled_from(["gzip", "deflate"]),
    st.booleans(),
)
def test_compression_that_is_put_on_again_can_be_taken_off_piece_by_piece(
    pieces, encoding, is_complete
):
    framed = encoded_chunks(encoding, pieces, is_complete=is_complete)

    assert len(framed) == len(pieces)
    assert decoded_chunks(encoding, framed, is_complete=is_complete) == pieces


@given(
    st.sampled_from(["gzip", "deflate", "br", "zstd", "x-unknown", ""]),
    st.lists(st.binary(max_size=60), max_size=5),
    st.booleans(),
)
def test_compressed_rubbish_is_kept_as_it_is_and_never_raises(encoding, chunks, is_complete):
    decoded = decoded_chunks(encoding, chunks, is_complete=is_complete)

    assert decoded is None or len(decoded) == len(chunks)


@given(st.text(max_size=200), st.text(max_size=200))
def test_names_are_plain_bounded_and_distinct(one, other):
    for name in (safe_name(one), host_folder(one)):
        assert set(name) <= set(string.ascii_letters + string.digits + "%~._-")
        assert 0 < len(name) <= 80
        assert name.strip(".") == name
    assert set(slug(one)) <= set(string.ascii_lowercase + string.digits + "-")
    if one != other:
        assert safe_name(one) != safe_name(other)


@given(
    st.text(
        alphabet=string.ascii_letters + string.digits + '+/=-_"\\&% ', min_size=12, max_size=40
    ),
    TEXTS,
    TEXTS,
)
def test_a_known_secret_never_survives_and_scrubbing_is_idempotent(secret, before, after):
    assume(secret.strip() == secret and "SCRUBBED" not in secret)
    redactor = Redactor({"KEY": secret})
    clean = redactor.text(f"{before}{secret}{after}")

    assert secret not in clean
    assert redactor.text(clean) == clean
    redactor.check(clean, "here")


@given(st.text(alphabet=string.ascii_letters + string.digits, min_size=12, max_size=40), TEXTS)
def test_text_without_the_secret_is_left_alone(secret, text):
    assume(
        secret not in text and not any(sign in text for sign in ("***", "...", "\u2026", "\u2022"))
    )

    assert Redactor({"KEY": secret}).text(text) == text


@given(
    st.sampled_from(["GET", "POST"]),
    TEXTS,
    st.sampled_from(["", "application/json", "text/plain", "multipart/form-data; boundary=x"]),
    st.binary(max_size=80),
)
def test_any_request_has_a_key_and_asking_twice_gives_the_same(method, path, kind, content):
    target = "/" + "".join(f"%{byte:02X}" for byte in path.encode())
    keys = {
        canonical_request(
            method, ("https", "a.example", target), kind, content, Redactor(), "web"
        ).key
        for _ in range(2)
    }

    assert len(keys) == 1


@given(JSON, JSON)
def test_a_miss_can_be_explained_whatever_was_recorded(recorded, now):
    words, first = explain(
        CanonicalRequest("POST", "https://a.example/", "a.example", json.dumps(now)),
        [Candidate("it", "POST", "https://a.example/", json.dumps(recorded).encode())],
    )

    assert len(words) < 600
    assert (first is None) == (
        canonical_json(json.dumps(recorded)) == canonical_json(json.dumps(now))
    )


@given(
    st.binary(max_size=300)
    | TEXTS.map(str.encode)
    | JSON.map(
        lambda value: json.dumps(
            {"version": 1, "metadata": {"profile": 1}, "interactions": value}
        ).encode()
    )
)
def test_a_strangers_file_is_a_cassette_or_a_clear_error(text):
    try:
        cassette = parse_cassette(text, "x", no_file)
        for interaction in cassette.interactions:
            interaction.pieces()
        cassette.records()
    except CassetteCorruptError:
        return
    assert text


@settings(max_examples=25)
@pytest.mark.parametrize("suffix", ["", ".pack"])
@given(st.lists(st.tuples(st.integers(0, 3), st.binary(max_size=3000)), min_size=1, max_size=8))
def test_a_store_answers_in_the_order_in_which_it_was_filled(suffix, answers):
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / f"web{suffix}", has_shared_bodies=True)
        keep_as_web(
            (
                ForeignExchange("GET", f"https://a.example/{page}", [], b"", 200, "OK", [], body)
                for page, body in answers
            ),
            store,
            Redactor(),
        )
        found = {page: [] for page, _ in answers}
        for name in store.names():
            for interaction in store.read(name).interactions:
                found[int(interaction.uri.rpartition("/")[2])].append(interaction.content)
        store.close()

    assert found == {page: [body for other, body in answers if other == page] for page in found}
