"""Every error that `research_eval` raises.

* ResearchEvalError
    * UsageError
        * ConfigError
        * DatasetError
        * MissingSecretError
        * CassetteError
            * CassetteCorruptError
            * CassetteWriteError
            * SecretInCassetteError
        * RecordError
    * TrialError
        * ModelError
        * ToolError
        * AgentError
        * AnswerOverdueError
        * LimitExceededError
    * ScoringError
* CassetteMissError (a BaseException: no SDK may mistake it for a network error)
* RunOverError (a BaseException for the same reason)

A `UsageError` is the caller's to fix: the command line prints it as one line and exits 2.
A `TrialError` is data: the runner writes it on the trial's record and goes on.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from typing_extensions import override

__all__ = [
    "AgentError",
    "AnswerOverdueError",
    "CassetteCorruptError",
    "CassetteError",
    "CassetteMissError",
    "CassetteWriteError",
    "ConfigError",
    "DatasetError",
    "LimitExceededError",
    "MissingSecretError",
    "ModelError",
    "ModelErrorKind",
    "RecordError",
    "ResearchEvalError",
    "RunOverError",
    "ScoringError",
    "SecretInCassetteError",
    "ToolError",
    "TrialError",
    "UsageError",
    "boundary",
]


ModelErrorKind = Literal[
    "auth",
    "rate_limited",
    "quota",
    "overloaded",
    "timeout",
    "context",
    "malformed",
    "server",
    "connection",
    "other",
]
"""What was wrong with a model call, in a stable word."""


class ResearchEvalError(Exception):
    """Base of the errors that this package raises on purpose."""


class UsageError(ResearchEvalError):
    """The caller asked for something that cannot be done as asked.

    Made with one line of words for each thing that is wrong; most have one.
    """

    @property
    def faults(self) -> tuple[str, ...]:
        """Each thing that is wrong, in a line."""
        return tuple(map(str, self.args))

    @override
    def __str__(self) -> str:
        return "\n".join(self.faults)


class ConfigError(UsageError):
    """A settings file or option is missing, malformed or contradicts itself."""


class DatasetError(UsageError):
    """A dataset is missing, or one of its lines is not a case."""


class MissingSecretError(UsageError):
    """A key that a live or recording call needs is not in the environment."""


class CassetteError(UsageError):
    """A recording cannot be used."""


class CassetteCorruptError(CassetteError):
    """A recording exists but cannot be read back; never treated as empty."""


class CassetteWriteError(CassetteError):
    """Recordings cannot be written where they belong: no further call of a recording run is kept."""


class SecretInCassetteError(CassetteError):
    """A known secret would have been written; nothing was."""


class RecordError(UsageError):
    """A stored record is unreadable or of an unknown schema version."""


class TrialError(ResearchEvalError):
    """One trial failed; recorded on it, and never cancels its siblings."""


class ModelError(TrialError):
    """A call to a model failed.

    Attributes:
        kind: What went wrong, as a stable word.
        status: The HTTP status, if there was one.
        retry_after_s: How long the server asked to wait, in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: ModelErrorKind = "other",
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.retry_after_s = retry_after_s


class ToolError(TrialError):
    """A tool failed in a way that the agent cannot work around."""


class AgentError(TrialError):
    """An agent of the user's own failed, or did not keep to its protocol.

    Attributes:
        kind: Always `agent`.
    """

    kind = "agent"


class AnswerOverdueError(TrialError):
    """A provider had not answered when a time limit of the trial passed.

    Attributes:
        kind: Always `timeout`.
    """

    kind = "timeout"


class LimitExceededError(TrialError):
    """A trial used more turns, tokens or time than its limits allow."""


class ScoringError(ResearchEvalError):
    """A scorer could not reach a verdict; the score is unscored, not zero."""


class CassetteMissError(BaseException):
    """Replay was asked for an exchange that was never recorded.

    A `BaseException`, because SDKs retry a plain exception or report it as a lost connection.
    The runner turns it into an `error` of the trial; nothing else may catch it.
    """


class RunOverError(BaseException):
    """A limit of the whole run forbids the next model call.

    The trial is not recorded: it runs again when the run is continued. A `BaseException`, because
    SDKs retry a plain exception or report it as a lost connection.
    """


@contextmanager
def boundary(error: type[TrialError], what: str) -> Iterator[None]:
    """Attribute whatever escapes the block to `error`; an error of ours passes unchanged.

    Raises:
        TrialError: As `error`, chained to the original.
    """
    try:
        yield
    except ResearchEvalError:
        raise
    except TimeoutError as exc:
        raise error(f"{what} timed out") from exc
    except Exception as exc:
        raise error(f"{what}: {type(exc).__name__}: {exc}") from exc
