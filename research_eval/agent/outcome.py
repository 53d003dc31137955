"""How one question ended: what remains of a conversation when it is over."""

from research_eval.agent.conversation import Conversation
from research_eval.gate.source import references_of
from research_eval.ledger import SourceRegistry
from research_eval.schema import (
    Event,
    Failure,
    Record,
    Reference,
    TrialStatus,
    Usage,
    Verdict,
)

__all__ = ["AgentOutcome", "outcome_of"]


class AgentOutcome(Record):
    """How one question ended."""

    status: TrialStatus
    answer: str | None = None
    """The answer that passed, or the text that was rejected last."""
    references: tuple[Reference, ...] = ()
    """What a completed answer cites, in citation order."""
    verdict: Verdict | None = None
    """The gate's last ruling, if an answer was put to it."""
    usage: Usage = Usage()
    failure: Failure | None = None
    """Why there is no answer, or no further attempt."""
    transcript: tuple[Event, ...] = ()


def outcome_of(
    conversation: Conversation, ledger: SourceRegistry, transcript: tuple[Event, ...]
) -> AgentOutcome:
    """Return how a conversation ended, with the sources that a completed answer cites."""
    references: tuple[Reference, ...] = ()
    if conversation.status == "completed" and conversation.verdict is not None:
        references = references_of(conversation.verdict, ledger)
    return AgentOutcome(
        status=conversation.status,
        answer=conversation.text,
        references=references,
        verdict=conversation.verdict,
        usage=conversation.usage,
        failure=conversation.failure,
        transcript=transcript,
    )
