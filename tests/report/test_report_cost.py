"""What a trial cost stands in a report: as the provider said, else by the price in the manifest."""

import pytest

from research_eval.report.write import load_view
from research_eval.schema import ModelCalled, Price, Usage
from tests.report.conftest import configuration, manifest, trial

PRICE = Price(input=2, output=10)


def call(**usage: object) -> ModelCalled:
    """A call of a thousand tokens in and a hundred out."""
    values = {"requests": 1, "input_tokens": 1000, "output_tokens": 100, **usage}
    return ModelCalled(
        turn=1, attempt=1, text="", finish_reason="stop", usage=Usage.model_validate(values)
    )


@pytest.mark.parametrize(
    ("price", "usages", "dollars"),
    [
        (PRICE, [{}, {}], 0.006),
        (None, [{}], None),
        (PRICE, [{}, {"unmeasured_requests": 1}], None),
        (PRICE, [{"reported_cost_usd": 0.5}], 0.5),
    ],
)
def test_a_cost_is_reported_or_reckoned_or_missing(make_folder, price, usages, dollars) -> None:
    calls = [call(**usage) for usage in usages]
    whole = sum((one.usage for one in calls), Usage())
    folder = make_folder(
        manifest([configuration(price=price)], ["case-1"]), [trial(events=calls, usage=whole)]
    )

    (shown,) = load_view(folder).configurations

    total = shown.totals["cost_usd"]
    assert total.trials == (0 if dollars is None else 1)
    assert total.value == pytest.approx(dollars or 0)
