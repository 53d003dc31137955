"""Failover: scenarios in, timelines and trade-off curves out."""

from research_eval.failover.comparison import broken, compare, parse_sweep, run_variant, sweep
from research_eval.failover.lab import run_scenario
from research_eval.failover.measure import Metrics, measure
from research_eval.failover.scenario import Scenario, bundled_scenarios, load_scenario
from research_eval.failover.trace import LabTrace
from research_eval.failover.variant import COMPARED, OPTIONS, options, variant

__all__ = [
    "COMPARED",
    "OPTIONS",
    "LabTrace",
    "Metrics",
    "Scenario",
    "broken",
    "bundled_scenarios",
    "compare",
    "load_scenario",
    "measure",
    "options",
    "parse_sweep",
    "run_scenario",
    "run_variant",
    "sweep",
    "variant",
]
