"""Records: values in, the only types that cross a package border or touch the disk out."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from research_eval.schema.cause import Cause, Causes, causes_of, failure_words
    from research_eval.schema.event import (
        AnswerChecked,
        Event,
        Fetched,
        ModelCalled,
        PromptRendered,
        ProviderTry,
        Searched,
        SearchHit,
        ToolCalled,
    )
    from research_eval.schema.execution import Execution, GitState, PluginCode
    from research_eval.schema.fidelity import Fidelity, LedgerFidelity
    from research_eval.schema.message import (
        FinishReason,
        Message,
        ModelReply,
        ToolCall,
        ToolSpec,
        Usage,
    )
    from research_eval.schema.price import Cost, Price, PriceStep, call_cost
    from research_eval.schema.record import Record
    from research_eval.schema.requirement import (
        Requirement,
        RequirementRuling,
        Requirements,
        RulingVerdict,
    )
    from research_eval.schema.run import ConfigurationSummary, Recordings, RunRecord
    from research_eval.schema.score import Score, Scored, Unscored
    from research_eval.schema.source import Evidence, SourceRecord, SourceState
    from research_eval.schema.trial import (
        ENDINGS,
        SCHEMA_VERSION,
        Ending,
        Failure,
        Reference,
        ReplayTally,
        TrialKey,
        TrialRecord,
        TrialStatus,
    )
    from research_eval.schema.verdict import (
        Citation,
        CitationForm,
        Verdict,
        Violation,
        ViolationKind,
    )

__all__ = [
    "ENDINGS",
    "SCHEMA_VERSION",
    "AnswerChecked",
    "Cause",
    "Causes",
    "Citation",
    "CitationForm",
    "ConfigurationSummary",
    "Cost",
    "Ending",
    "Event",
    "Evidence",
    "Execution",
    "Failure",
    "Fetched",
    "Fidelity",
    "FinishReason",
    "GitState",
    "LedgerFidelity",
    "Message",
    "ModelCalled",
    "ModelReply",
    "PluginCode",
    "Price",
    "PriceStep",
    "PromptRendered",
    "ProviderTry",
    "Record",
    "Recordings",
    "Reference",
    "ReplayTally",
    "Requirement",
    "RequirementRuling",
    "Requirements",
    "RulingVerdict",
    "RunRecord",
    "Score",
    "Scored",
    "SearchHit",
    "Searched",
    "SourceRecord",
    "SourceState",
    "ToolCall",
    "ToolCalled",
    "ToolSpec",
    "TrialKey",
    "TrialRecord",
    "TrialStatus",
    "Unscored",
    "Usage",
    "Verdict",
    "Violation",
    "ViolationKind",
    "call_cost",
    "causes_of",
    "failure_words",
]

_PLACES = {
    "cause": (
        "Cause",
        "Causes",
        "causes_of",
        "failure_words",
    ),
    "event": (
        "AnswerChecked",
        "Event",
        "Fetched",
        "ModelCalled",
        "PromptRendered",
        "ProviderTry",
        "SearchHit",
        "Searched",
        "ToolCalled",
    ),
    "execution": (
        "Execution",
        "GitState",
        "PluginCode",
    ),
    "fidelity": (
        "Fidelity",
        "LedgerFidelity",
    ),
    "message": (
        "FinishReason",
        "Message",
        "ModelReply",
        "ToolCall",
        "ToolSpec",
        "Usage",
    ),
    "price": (
        "Cost",
        "Price",
        "PriceStep",
        "call_cost",
    ),
    "record": ("Record",),
    "requirement": (
        "Requirement",
        "RequirementRuling",
        "Requirements",
        "RulingVerdict",
    ),
    "run": (
        "ConfigurationSummary",
        "Recordings",
        "RunRecord",
    ),
    "score": (
        "Score",
        "Scored",
        "Unscored",
    ),
    "source": (
        "Evidence",
        "SourceRecord",
        "SourceState",
    ),
    "trial": (
        "ENDINGS",
        "SCHEMA_VERSION",
        "Ending",
        "Failure",
        "Reference",
        "ReplayTally",
        "TrialKey",
        "TrialRecord",
        "TrialStatus",
    ),
    "verdict": (
        "Citation",
        "CitationForm",
        "Verdict",
        "Violation",
        "ViolationKind",
    ),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a record when it is first used: what judges answers needs few of them."""
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_PLACE_OF[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
