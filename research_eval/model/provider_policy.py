"""The policy of a model's provider: how long it may make us wait, and whether it still does."""

import re

from research_eval.errors import ModelError
from research_eval.model.limits import LimitSettings, provider_key
from research_eval.model.settings import ModelSettings
from research_eval.provider_outage import ProviderOutage, ProviderOutages

__all__ = ["ProviderPolicy", "is_unknown_model", "outage_scopes"]

FORBIDDEN = 403
"""What a key is answered that is good, but not for this model."""


NOT_FOUND = 404
BAD_REQUEST = 400

_UNKNOWN = re.compile(
    r"\bmodel\b.{0,80}(not found|not exist|is invalid|not a valid|not supported)"
    r"|(invalid|unknown|no such) model|not a valid model|model_not_found",
    re.IGNORECASE,
)
"""How providers that answer 400 say that they have no such model."""


def is_unknown_model(exc: ModelError) -> bool:
    """Return whether the server says that it does not know the model, or has nothing at the address."""
    if exc.kind != "other":
        return False
    is_named = exc.status == BAD_REQUEST and _UNKNOWN.search(str(exc)) is not None
    return exc.status == NOT_FOUND or is_named


class ProviderPolicy:
    """The policy of one model's provider: the longest pause, and whether its provider still serves."""

    def __init__(
        self,
        model: ModelSettings | None = None,
        limits: LimitSettings | None = None,
        outages: ProviderOutages | None = None,
    ) -> None:
        """Take what is known of the provider.

        Args:
            model: Who is asked.
            limits: How much the provider may be asked, and may ask of us.
            outages: What the trials of a run know together; `None` where nothing is asked.
        """
        self.max_pause_s = (limits or LimitSettings()).max_pause_s
        self._provider = provider_key(model or ModelSettings())
        self._scopes = outage_scopes(model or ModelSettings())
        self._outages = ProviderOutages() if outages is None else outages

    def outage(self) -> ProviderOutage | None:
        """Return why the provider serves this model no more, if it does not."""
        return self._outages.find(self._scopes)

    def refuse(self, exc: ModelError) -> None:
        """Keep that the provider refuses: at all, to this key, or, being forbidden, this model."""
        provider, key, model = self._scopes
        is_forbidden = exc.kind == "auth" and exc.status == FORBIDDEN
        if is_forbidden or is_unknown_model(exc):
            scope = model
        else:
            scope = key if exc.kind in {"auth", "quota"} else provider
        self._outages.note(scope, ProviderOutage(self._provider, exc.kind, str(exc), exc.status))

    def too_long(self, exc: ModelError, asked_s: float) -> ModelError:
        """Return `exc` with how long the provider asks to be left alone, which is too long for us."""
        return ModelError(
            f"{exc}: it asks to be left alone for {asked_s:g} s, which is more than "
            f"max_pause_s = {self.max_pause_s:g}",
            kind=exc.kind,
            status=exc.status,
            retry_after_s=exc.retry_after_s,
        )


def outage_scopes(model: ModelSettings) -> tuple[str, str, str]:
    """Return what can refuse to serve `model`: its provider, the key there, the model there."""
    provider = provider_key(model)
    return (
        f"models of {provider}",
        f"key {model.api_key_env or 'as usual'} at {provider}",
        f"model {model.name} at {provider}",
    )
