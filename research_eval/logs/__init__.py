"""Logs of agents that ran elsewhere become runs: read, rebuild the ledger, judge, write."""

from research_eval.logs.mapping import Mapping, load_mapping
from research_eval.logs.run import FORMATS, Imported, import_logs

__all__ = ["FORMATS", "Imported", "Mapping", "import_logs", "load_mapping"]
