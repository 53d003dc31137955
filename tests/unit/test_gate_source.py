"""Ledgers that people write."""

import json

import pytest

from research_eval.errors import UsageError
from research_eval.gate.source import ledger_from_json
from research_eval.ledger import SourceRegistry
from research_eval.schema import Fetched

PAGE = "https://a.example/x"


def test_a_list_of_records_is_a_ledger() -> None:
    ledger = SourceRegistry()
    ledger.add_page(Fetched(url=PAGE, ok=True, title="X"), "text")
    content = json.dumps([record.model_dump(mode="json") for record in ledger.records()])

    assert ledger_from_json(content, "l.json").records() == ledger.records()


def test_a_record_needs_no_key() -> None:
    (record,) = ledger_from_json(f'[{{"url": "{PAGE}/", "state": "fetched"}}]', "l").records()

    assert (record.key, record.state) == (PAGE, "fetched")


def test_lists_of_urls_are_a_ledger() -> None:
    ledger = ledger_from_json(f'{{"fetched": ["{PAGE}"], "searched": ["{PAGE}/y"]}}', "l")

    assert [record.state for record in ledger.records()] == ["searched", "fetched"]


def test_a_plain_list_of_urls_is_what_was_opened() -> None:
    (record,) = ledger_from_json(f'["{PAGE}/"]', "l").records()

    assert (record.key, record.state) == (PAGE, "fetched")


def test_lone_surrogates_do_no_harm() -> None:
    assert len(SourceRegistry.from_urls([f"{PAGE}\ud800"], [f"{PAGE}\udfff"]).records()) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nonsense", "l.json: not JSON"),
        ("3", "l.json: expected a list"),
        ('{"fetched": [1]}', "l.json: fetched: expected a list of URLs"),
        ('[{"state": "fetched"}]', "l.json: record 1: key: Field required"),
        ('[{"url": "https://a.example", "state": "opened"}]', "l.json: record 1: state: Input"),
        ("[1]", "l.json: record 1: expected a URL or a source record"),
    ],
)
def test_what_is_no_ledger_is_said_in_one_line(content: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        ledger_from_json(content, "l.json")

    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)
