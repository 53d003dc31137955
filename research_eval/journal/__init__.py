"""Journal: a run folder in, its records out, and back."""

from research_eval.journal.folder import RunFolder
from research_eval.journal.lines import write_whole
from research_eval.journal.writer import JournalWriter, write_manifest

__all__ = ["JournalWriter", "RunFolder", "write_manifest", "write_whole"]
