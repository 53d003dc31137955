"""Runner: an experiment in, a record of every trial out."""

from research_eval.runner.budget import BudgetSettings
from research_eval.runner.execute import Prepared, RunSummary, execute, prepare
from research_eval.runner.opening import find_other_run
from research_eval.runner.options import RunOptions
from research_eval.runner.plan import Shard, parse_shard, plan_trials
from research_eval.runner.progress import progress_for
from research_eval.runner.single import research

__all__ = [
    "BudgetSettings",
    "Prepared",
    "RunOptions",
    "RunSummary",
    "Shard",
    "execute",
    "find_other_run",
    "parse_shard",
    "plan_trials",
    "prepare",
    "progress_for",
    "research",
]
