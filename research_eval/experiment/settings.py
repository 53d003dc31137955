"""What an experiment is made of: the parts' own settings, composed."""

import hashlib
import json
import re
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from research_eval.agent import WAYS, AgentSettings
from research_eval.fault import FaultSettings
from research_eval.model import LimitSettings, ModelSettings
from research_eval.schema import Price, Record, Requirement
from research_eval.schema.name import is_device_name
from research_eval.secret import declare_secrets
from research_eval.tool.fetch import FetchSettings
from research_eval.tool.search import SearchSettings

__all__ = ["Configuration", "ExperimentSettings", "NetworkSettings", "digest_of"]

FROM_ENVIRONMENT = "env:"
"""Begins a value that stands in an environment variable."""

UNSEEN = "unseen"
"""The label of a model that an agent of the user's own does not name."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9._-]+")


def _can_be_a_folder(name: str) -> str:
    if not _NAME.fullmatch(name) or name.endswith("."):
        usable = _NOT_IN_NAME.sub("-", name).strip("._-")[:64].rstrip("._-") or "one"
        raise ValueError(
            "expected at most 64 letters, digits, points, hyphens and underscores, with a letter or"
            f" digit first and no point last; for instance {usable!r}"
        )
    if is_device_name(name):
        raise ValueError("is a name that Windows gives no folder; take another")
    return name


FolderName = Annotated[str, AfterValidator(_can_be_a_folder)]
"""A name that is a folder on every system."""


def _model_shorthand(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class Configuration(Record):
    """One column of a comparison."""

    name: FolderName
    """How reports and folders name it."""
    note: str = Field(default="", max_length=200)
    """What it is, for the readers of a report; changes no result."""
    model: Annotated[
        ModelSettings,
        BeforeValidator(_model_shorthand, json_schema_input_type=ModelSettings | str),
    ]
    """The model: a table of settings, or its name alone."""
    agent: AgentSettings = AgentSettings()
    gate: str = "default"
    """A gate's name, `name@version`, or a dotted path."""
    search: SearchSettings = SearchSettings()
    fetch: FetchSettings = FetchSettings()
    fault: tuple[FaultSettings, ...] = ()
    """Failures that are put on purpose between the agent and its channels."""
    price: Price | None = None
    """What a model call costs, where no price list knows it or another price was agreed; changes no
    result."""

    @model_validator(mode="before")
    @classmethod
    def _model_is_a_label(cls, data: object) -> object:
        """Let an agent of the user's own leave its model out: we do not ask it."""
        agent = data.get("agent") if isinstance(data, dict) else None
        is_custom = isinstance(agent, dict) and (
            any(map(agent.get, WAYS)) or agent.get("mcp_client") is not None
        )
        return {"model": UNSEEN, **data} if is_custom and isinstance(data, dict) else data

    @model_validator(mode="after")
    def _can_be_honoured(self) -> Self:
        if not self.agent.is_custom:
            return self
        if self.model != ModelSettings(name=self.model.name):
            raise ValueError(
                "model: only a name, as a label: an agent of your own asks its model itself"
            )
        if self.model.is_reference_agent:
            raise ValueError("model: names a script, but an agent of your own answers")
        if any(fault.channel == "model" for fault in self.fault):
            raise ValueError("fault: channel model: an agent of your own asks its model itself")
        return self

    @property
    def asks_model(self) -> bool:
        """Whether we ask a model of a provider: neither a script nor an agent of the user's own."""
        return not self.agent.is_custom and not self.model.is_reference_agent


class NetworkSettings(Record):
    """The way to model and search APIs; fetches of pages have `fetch.proxy` of their own."""

    proxy: str | None = None
    """`http://HOST:PORT` or `https://HOST:PORT`; `env:NAME` takes it from a variable, which may hold
    a password."""
    ca_bundle: str | None = None
    """A PEM file of certificate authorities to trust as well, relative to the experiment's file."""

    @field_validator("proxy")
    @classmethod
    def _is_a_proxy(cls, proxy: str | None) -> str | None:
        if proxy is None:
            return None
        if proxy.startswith(FROM_ENVIRONMENT):
            declare_secrets([proxy.removeprefix(FROM_ENVIRONMENT)])
            return proxy
        parts = urlsplit(proxy)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("expected http://HOST:PORT, https://HOST:PORT or env:NAME")
        if parts.username or parts.password:
            raise ValueError("holds a password: put it into a variable and say env:NAME")
        return proxy


class ExperimentSettings(Record):
    """Dataset, configurations and trials."""

    name: FolderName
    dataset: str
    """The cases' file, relative to the experiment's."""
    cassettes: str
    """The folder of the recordings, relative to the experiment's file."""
    trials: int = Field(default=1, ge=1)
    """Repetitions of each case under each configuration."""
    seed: int = 0
    """Where all chance comes from: back-off jitter, seeded reference agents, fault probabilities."""
    synthetic: bool = False
    """Whether questions and pages were made for the purpose; every report says so."""
    record_from: Literal["internet", "world"] = "internet"
    """Where recording and live runs get searches and pages: `world` is the bundled web."""
    limits: dict[str, LimitSettings] = Field(default={})
    """How much each provider may be asked in live runs, by its name or `base_url`; changes no result."""
    network: NetworkSettings = NetworkSettings()
    """The way to model and search APIs in live runs; changes no result."""
    require: tuple[Requirement, ...] = ()
    """Thresholds that decide the exit status of a run; change no result."""
    configuration: tuple[Configuration, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [configuration.name.casefold() for configuration in self.configuration]
        if "web" in names:
            raise ValueError("no configuration may be called 'web': its recordings stand there")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two configurations are called {twice[0]!r}")
        return self

    def digest(self) -> str:
        """Return the SHA-256 of everything that decides a result, as resolved."""
        without = dict.fromkeys(("dataset", "cassettes", "limits", "network", "require"), True)
        for_people = {"configuration": {"__all__": {"price", "note"}}}
        return digest_of(self.model_dump(mode="json", exclude={**without, **for_people}))


def digest_of(value: Any) -> str:  # noqa: ANN401  # any JSON value
    """Return the SHA-256 of a JSON value, whatever the order of its keys."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
