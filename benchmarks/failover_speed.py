"""Print what a failover scenario of 10,000 searches over an hour of virtual time costs in CPU.

Run: python benchmarks/failover_speed.py [SEARCHES] [--limit MS]
With `--limit` it fails when a search costs more.
"""

import argparse
import asyncio
import sys
import time

import httpx

from research_eval.failover import Scenario, run_scenario, variant

SCENARIO = {
    "name": "hour",
    "title": "An hour with an outage and a brown-out",
    "provider": [{"provider": "serper"}, {"provider": "brave"}],
    "resilience": {"rate_per_s": 10, "burst": 5},
    "fault": [
        {"channel": "search", "host": "google.serper.dev", "status": 503, "between_s": [600, 900]},
        {"channel": "search", "host": "google.serper.dev", "kind": "reset", "probability": 0.1},
    ],
}


def bare_httpx(count: int) -> float:
    """Return CPU seconds of as many bare requests through httpx's own MockTransport."""

    async def main() -> float:
        transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"organic": []}))
        async with httpx.AsyncClient(transport=transport) as client:
            began = time.process_time()
            for _ in range(count):
                await client.post("https://google.serper.dev/search", json={"q": "tides"})
            return time.process_time() - began

    return asyncio.run(main())


def main() -> None:
    """Run the scenario once warm and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("searches", nargs="?", type=int, default=10_000)
    parser.add_argument("--limit", type=float, help="milliseconds of CPU a search may cost")
    given = parser.parse_args()
    load = {"searches": given.searches, "over_s": 3600, "distinct_queries": 4000}
    scenario = Scenario.model_validate({**SCENARIO, "load": load})
    settings = variant(scenario, "default")
    warm = scenario.load.model_copy(update={"searches": 50})
    run_scenario(scenario.model_copy(update={"load": warm}), settings)
    began = time.process_time()
    trace = run_scenario(scenario, settings)
    spent = time.process_time() - began
    each = spent / given.searches * 1000
    sent = len(trace.requests)
    bare = bare_httpx(sent)
    print(f"{given.searches} searches over an hour of virtual time, {sent} requests")
    print(f"CPU {spent:.2f} s: {each:.3f} ms a search, {spent / sent * 1000:.3f} ms a request")
    print(f"as many bare requests through httpx.MockTransport: {bare:.2f} s")
    print(f"virtual seconds a CPU second: {3600 / spent:.0f}")
    if given.limit is not None and each > given.limit:
        sys.exit(f"{each:.3f} ms a search is more than {given.limit:g}")


if __name__ == "__main__":
    main()
