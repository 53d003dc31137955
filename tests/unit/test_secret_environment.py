"""Which variables count as secrets: one rule on names and one on values, which nobody goes round."""

import json

import pytest

from research_eval import secret
from research_eval.cassette import Redactor
from research_eval.model import ModelSettings
from research_eval.secret import (
    NAMES_VARIABLE,
    is_secret_value,
    known_secrets,
    last_scrub,
    read_secrets,
    shapes_in,
)

VALUE = "sEcret-v4lue-0123456789"


@pytest.mark.parametrize(
    "name",
    [
        "SERPER_API_KEY", "OPENAI_API_KEY_2", "OPENAI_APIKEY", "KEY", "KEY_2", "HF_TOKEN", "TOKEN_OF_BOT",
        "GH_PAT", "MY_PASSWD", "PGPASSWORD", "SMTP_PASSWORD_OLD", "AWS_SECRET_ACCESS_KEY", "CLIENT_SECRET",
        "KEYS", "GOOGLE_CREDENTIALS", "SSH_PASSPHRASE", "serper_api_key",
    ],
)  # fmt: skip
def test_names_that_say_that_they_hold_a_key(name):
    assert read_secrets({name: f" {VALUE} "}) == {name: VALUE}
    assert known_secrets({name: VALUE}) == {name: VALUE}


@pytest.mark.parametrize(
    "name", ["HOME", "KEYBOARD", "PATH", "MONKEY", "AUTHOR", "LANG", "XPAT_DIR"]
)
def test_other_names_are_no_keys(name):
    assert read_secrets({name: VALUE}) == {}
    assert known_secrets({name: VALUE}) == {}


def test_the_password_of_an_address_is_secret_whatever_the_variable_is_called():
    environ = {
        "DATABASE_URL": "postgres://bob:s3cr%2Bt-Passw0rd@db.example:5432/app",
        "OTHER": "https://db.example/x",
        "LOCAL_DSN": "postgres://postgres:postgres@localhost/app",
    }

    assert known_secrets(environ) == {"DATABASE_URL": "s3cr+t-Passw0rd"}


def test_a_value_with_the_shape_of_a_key_is_secret_whatever_the_variable_is_called():
    token = "ghp_" + "a1B2" * 9

    assert known_secrets({"CHAT": token, "HOST": "api.example"}) == {"CHAT": token}


def test_a_variable_that_an_experiment_names_as_its_key_is_one(monkeypatch):
    monkeypatch.setattr("research_eval.secret.environment._declared", set())
    environ = {"LLM_AUTH": VALUE}
    assert read_secrets(environ) == {}

    ModelSettings(name="openai:gpt", api_key_env="LLM_AUTH")

    assert read_secrets(environ) == {"LLM_AUTH": VALUE}
    assert known_secrets(environ) == {"LLM_AUTH": VALUE}


def test_a_variable_that_the_user_names_is_secret_whatever_it_holds():
    environ = {"PIN": "4711", "WORD": "postgres", NAMES_VARIABLE: "PIN, WORD,ABSENT"}

    assert known_secrets(environ) == {"PIN": "4711", "WORD": "postgres"}


ORDINARY = [
    "postgres", "true", "changeme", "password", "Password1", "changeme2024", "lm-studio", "not-needed",
    "EMPTY", "none", "localhost", "12345678", "2024-01-01", "100000000", "aaaaaaaaaaaa", "abcabcabcabc",
    "your-api-key", "secret_value", "SCRUBBED", "https://auth.example/token", "", "sk", "test key", "/",
]  # fmt: skip


@pytest.mark.parametrize("value", ORDINARY)
def test_an_ordinary_word_a_number_and_an_address_are_no_secrets(value, monkeypatch):
    monkeypatch.setenv("POSTGRES_PASSWORD", value)

    assert not is_secret_value(value)
    assert "POSTGRES_PASSWORD" not in known_secrets()
    text = f"see {value} on the page of postgresql.org"
    assert last_scrub().scrub(text) == text


def test_a_place_of_a_file_is_no_secret(tmp_path):
    file = tmp_path / "credentials-4711.json"
    file.touch()

    assert known_secrets({"GOOGLE_CREDENTIALS": str(file), "A_KEY": "x" * 5000 + VALUE}) == {
        "A_KEY": "x" * 5000 + VALUE
    }


@pytest.mark.parametrize(
    "value", [VALUE, "hunter2-Qx9!", "correct horse battery staple", "Zq8vT2mK", "0b5c7e1f9a3d"]
)
def test_what_can_be_told_from_text_is_a_secret(value):
    assert is_secret_value(value)
    Redactor({"KEY": value}).check(Redactor({"KEY": value}).text(f"a {value} b"), "here")


def test_the_last_scrub_follows_the_environment(monkeypatch):
    monkeypatch.setenv("A_KEY", VALUE)
    assert last_scrub().scrub(VALUE) == "SCRUBBED"
    assert last_scrub() is last_scrub()
    monkeypatch.delenv("A_KEY")
    assert last_scrub().scrub(VALUE) == VALUE


def test_json_keeps_its_shape_when_a_secret_is_taken_out(monkeypatch):
    monkeypatch.setenv("A_PIN", "471147114711")
    monkeypatch.setenv(NAMES_VARIABLE, "A_PIN")
    text = json.dumps({"a": 471147114711, "b": ["x471147114711"], "471147114711": 1})

    assert json.loads(secret.clean_json(text))["b"] == ["xSCRUBBED"]
    assert secret.clean_json('{"a": 1}') == '{"a": 1}'


SHAPES = [
    "sk-" + "a1B2c3" * 6, "sk-ant-api03-" + "a1B2c3" * 6, "AIza" + "a1B2c" * 7, "ghp_" + "a1B2" * 9,
    "github_pat_" + "a1B2c3" * 8, "xoxb-" + "1234567890-abcdefabcdef", "AKIA" + "A1B2" * 4,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMTIz",
]  # fmt: skip
CARRIERS = [
    "https://a.example/?token={}", "https://a.example/?q=1&key={}", '{{"token": "{}"}}',
    '{{"bot_token":"{}"}}', "Authorization: Bearer {}", "authorization: Basic {}",
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shapes_of_keys_are_known_where_they_stand_bare(shape):
    assert shape in list(shapes_in(f"see {shape} there".encode()))
    assert shape in list(shapes_in(json.dumps(json.dumps({"a": shape})).encode()))


@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_stands_in_the_place_of_a_key_is_reported(carrier):
    assert list(shapes_in(carrier.format("f00dfeed0123456789abcdef").encode()))
    assert not list(shapes_in(carrier.format("SCRUBBED").encode()))
    assert not list(shapes_in(carrier.format("introduction").encode()))
