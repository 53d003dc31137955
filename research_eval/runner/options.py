"""How an experiment is executed; nothing here changes what a replayed trial records."""

from pathlib import Path

from research_eval.agent import McpPlace
from research_eval.cassette import Mode, Refresh
from research_eval.runner.budget import BudgetSettings
from research_eval.runner.plan import Shard
from research_eval.schema import Record

__all__ = ["RunOptions"]


class RunOptions(Record):
    """Where a run goes, where its traffic comes from, and how far it may go."""

    out: Path
    """The run's folder."""
    model_mode: Mode = "replay"
    web_mode: Mode = "replay"
    refresh: Refresh = "missing"
    """What recording replaces."""
    concurrency: int = 16
    """Trials in flight."""
    overwrite: bool = False
    """Whether an earlier run in the folder is replaced; else it is gone on with."""
    retry_errors: bool = False
    """Whether trials that ended in an error of the infrastructure run again."""
    shard: Shard = Shard(1, 1)
    budget: BudgetSettings = BudgetSettings()
    real_time: bool = False
    """Whether a replay waits as long as the recording did."""
    command: tuple[str, ...] = ()
    """The words of the command line after the program's name, for the run's own record."""
    mcp_place: McpPlace | None = None
    """Where an MCP client that connects by itself finds its server; `None` lets none connect."""
    scheduler: str | None = None
    """A Dask scheduler that runs the trials: its address, or `local`; `None` is this process."""

    @property
    def is_replay(self) -> bool:
        """Whether nothing can reach the network."""
        return self.model_mode == "replay" and self.web_mode == "replay"
