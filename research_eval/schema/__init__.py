"""Records: values in, the only types that cross a package border or touch the disk out."""

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
