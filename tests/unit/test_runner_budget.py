"""A limit of a run holds whatever the concurrency, and counts what was sent alone."""

import asyncio
import json
import random

import httpx2
import pytest

from research_eval.clock import VirtualClock
from research_eval.errors import RecordError, RunOverError
from research_eval.journal import RunFolder
from research_eval.runner.budget import Budget, BudgetSettings, MeteredTransport
from research_eval.runner.spending import count_earlier, keep_unrecorded
from research_eval.schema import Price, Usage
from research_eval.waiting import Waits

pytestmark = pytest.mark.anyio

PRICE = Price(input=2, output=10)
MOST = 300


class Server(httpx2.AsyncBaseTransport):
    """Uses any number of tokens up to what the request allows, and keeps count."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.used = []

    async def handle_async_request(self, request):
        for _ in range(self.rng.randint(0, 5)):
            await asyncio.sleep(0)
        body = await request.aread()
        usage = Usage(
            requests=1,
            input_tokens=self.rng.randint(1, len(body)),
            output_tokens=self.rng.randint(0, MOST),
        )
        self.used.append(usage)
        return httpx2.Response(200, json=usage.model_dump())


async def trial(budget, server, rng):
    meter = budget.meter("c", MOST)
    transport = MeteredTransport(server, meter, Waits(VirtualClock()))
    try:
        for turn in range(1, 6):
            body = b"x" * rng.randint(10, 800 * turn)
            request = httpx2.Request("POST", "https://model.example/v1", content=body)
            response = await transport.handle_async_request(request)
            meter.replied(Usage(**json.loads(await response.aread())))
    except RunOverError:
        return False
    finally:
        meter.close()
    return True


@pytest.mark.parametrize("concurrency", [1, 16, 64])
@pytest.mark.parametrize("limits", [{"max_cost_usd": 0.2}, {"max_tokens": 40_000}])
async def test_no_call_takes_a_run_beyond_its_limit(concurrency, limits):
    budget = Budget(BudgetSettings(**limits), VirtualClock(), {"c": PRICE})
    server, rng = Server(concurrency), random.Random(concurrency)
    waiting = iter(range(200))

    async def work():
        for _ in waiting:
            if not await trial(budget, server, rng):
                return

    await asyncio.gather(*(work() for _ in range(concurrency)))

    tokens = sum(usage.input_tokens + usage.output_tokens for usage in server.used)
    spent = sum(PRICE.of(usage) for usage in server.used)
    assert len(server.used) > 20
    assert tokens <= limits.get("max_tokens", tokens)
    assert spent <= limits.get("max_cost_usd", spent)
    assert "the next call may" in budget.exhausted()


async def test_a_call_that_breaks_off_counts_with_all_that_it_may_have_used():
    budget = Budget(BudgetSettings(max_tokens=100_000), VirtualClock(), {"c": PRICE})
    meter = budget.meter("c", MOST)
    await meter.sending(100)
    meter.close()

    assert budget.lost_calls == 1
    assert budget.lost.tokens == 100 + 1024 + MOST
    assert budget.lost.usd == pytest.approx(PRICE.of(Usage(input_tokens=1124, output_tokens=MOST)))


async def test_errors_and_replayed_replies_cost_nothing():
    budget = Budget(BudgetSettings(max_tokens=100_000), VirtualClock(), {"c": PRICE})
    meter = budget.meter("c", MOST)
    await meter.sending(100)
    meter.refused()
    meter.replied(Usage(requests=1, input_tokens=50, output_tokens=5))
    meter.close()

    assert budget.usage == Usage()
    assert not budget.costs
    assert not budget.lost_calls


async def test_a_run_that_goes_on_remembers_calls_that_are_in_no_record(tmp_path):
    folder = RunFolder(tmp_path)
    folder.trials_path.write_bytes(b"")
    budget = Budget(BudgetSettings(max_tokens=100_000), VirtualClock(), {"c": PRICE})
    usage = Usage(requests=1, input_tokens=50, output_tokens=5)
    dropped, kept, lost = (budget.meter("c", MOST) for _ in range(3))
    for meter, is_kept in ((dropped, False), (kept, True)):
        await meter.sending(100)
        meter.replied(usage)
        meter.close(is_kept=is_kept)
    await lost.sending(100)
    lost.close()
    for _ in range(2):  # two executions
        keep_unrecorded(budget, folder)

    again = Budget(BudgetSettings(max_tokens=2_000), VirtualClock(), {"c": PRICE})
    count_earlier(again, folder)

    once = 55 + 100 + 1024 + MOST
    assert again.earlier.tokens == 2 * once
    assert again.earlier.usd == pytest.approx(2 * (budget.lost.usd + PRICE.of(usage)))
    assert "tokens are used" in again.exhausted()


async def test_a_line_of_spending_that_cannot_be_read_is_named(tmp_path):
    folder = RunFolder(tmp_path)
    folder.trials_path.write_bytes(b"")
    folder.spending_path.write_text("{}\n", "utf-8")

    with pytest.raises(RecordError, match=r"spending\.jsonl:1: "):
        count_earlier(Budget(BudgetSettings(), VirtualClock()), folder)
