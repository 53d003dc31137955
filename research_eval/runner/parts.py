"""Build the parts of configurations without asking anybody: what would fail at its first request is refused."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import httpx
import httpx2

from research_eval.agent import EventLog, ResearchAgent, check_custom_agent
from research_eval.clock import VirtualClock
from research_eval.errors import ConfigError, MissingSecretError, UsageError
from research_eval.experiment import Configuration, Experiment
from research_eval.gate import load_gate
from research_eval.model import ModelSettings, build_model
from research_eval.runner.build import build_agent
from research_eval.runner.channels import secrets_of
from research_eval.runner.options import RunOptions
from research_eval.secret import PlaceholderSecrets
from research_eval.tool.fetch.reader import load_extractor
from research_eval.tool.search import SearchSettings, check_chain, missing_secrets

__all__ = ["agent_without_network", "find_obstacles", "require_parts"]


def require_parts(
    experiment: Experiment,
    configurations: Sequence[Configuration],
    options: RunOptions,
    *,
    is_world: bool,
) -> None:
    """Refuse configurations that would fail at their first request.

    Args:
        experiment: The settings and their place.
        configurations: The configurations that were selected.
        options: How they would run.
        is_world: Whether the bundled web stands in for the network, which needs no key.

    Raises:
        MissingSecretError: If nothing but keys is missing.
        ConfigError: If parts are unknown or cannot be made, or a library is missing.
    """
    found = find_obstacles(experiment, configurations, options, is_world=is_world)
    others = [one for one in found if not isinstance(one, MissingSecretError)]
    if found:
        kind = ConfigError if others else MissingSecretError
        raise kind(*dict.fromkeys(fault for one in others or found for fault in one.faults))


def find_obstacles(
    experiment: Experiment,
    configurations: Sequence[Configuration],
    options: RunOptions,
    *,
    is_world: bool,
) -> list[UsageError]:
    """Return why configurations would fail at their first request, each with its own error."""
    return list(_obstacles(experiment, configurations, options, is_world=is_world))


def _obstacles(
    experiment: Experiment,
    configurations: Sequence[Configuration],
    options: RunOptions,
    *,
    is_world: bool,
) -> Iterator[UsageError]:
    web_secrets, model_secrets = secrets_of(options, is_world=is_world)
    for item in configurations:
        parts: dict[str, Callable[[], object]] = {
            "search": partial(check_chain, item.search),
            "fetch": partial(load_extractor, item.fetch.extractor),
            "gate": partial(load_gate, item.gate),
        }
        faults = [one for key, part in parts.items() for one in _tried(part, experiment, item, key)]
        yield from faults
        if not faults:
            prompt = partial(_check_prompt, item, experiment.path.parent)
            yield from _tried(prompt, experiment, item, "agent")
        is_connected = options.mcp_place is not None
        if item.agent.is_custom or is_connected:
            agent = partial(check_custom_agent, item.agent, is_connected=is_connected)
            yield from _tried(agent, experiment, item, "agent")
        else:
            model = partial(_check_model, item.model, model_secrets)
            yield from _tried(model, experiment, item, "model")
        keys = partial(_check_search_keys, item.search, web_secrets)
        yield from _tried(keys, experiment, item, "search")


def _tried(
    check: Callable[[], object], experiment: Experiment, item: Configuration, key: str
) -> Iterator[UsageError]:
    """Yield what a check refuses of the part of a configuration that stands under `key`."""
    try:
        check()
    except MissingSecretError as exc:
        yield MissingSecretError(*(f"configuration {item.name}: {one}" for one in exc.faults))
    except UsageError as exc:
        number = experiment.settings.configuration.index(item)
        where = experiment.where(("configuration", number, key))
        yield type(exc)(*(f"{where}: configuration {item.name}: {one}" for one in exc.faults))


def _check_prompt(configuration: Configuration, base: Path) -> None:
    """Refuse an agent that cannot be made: its tools, or their words in the prompt."""
    agent = agent_without_network(configuration, base)
    agent.tool_set.system_prompt(configuration.agent.prompt)


def agent_without_network(configuration: Configuration, base: Path) -> ResearchAgent:
    """Return the agent of a configuration with a script in its model's place; it can reach nobody.

    Args:
        configuration: The settings of its parts.
        base: The experiment's folder.

    Raises:
        ConfigError: If a part is unknown or cannot be made.
    """
    clock = VirtualClock()
    nowhere = httpx.AsyncClient(transport=httpx.AsyncBaseTransport())
    return build_agent(
        configuration,
        model=build_model(
            configuration.model.model_copy(update={"name": "reference:honest"}),
            transport=None, secrets={}, clock=clock, rng=random.Random(0), case_seed="",
        ),
        clients=(nowhere, nowhere),
        secrets=PlaceholderSecrets(),
        log=EventLog(clock),
        clock=clock,
        seed="",
        base=base,
    )  # fmt: skip


def _check_model(model: ModelSettings, secrets: Mapping[str, str]) -> None:
    """Refuse a model that is unknown, lacks its key, or has a setting that its requests would lack."""
    build_model(
        model,
        transport=httpx2.AsyncBaseTransport(),
        secrets=secrets,
        clock=VirtualClock(),
        rng=random.Random(0),
        case_seed="",
    )
    if not model.is_reference_agent:
        from research_eval.model.wire.sent import require_sent  # noqa: PLC0415  # heavy

        require_sent(model)


def _check_search_keys(search: SearchSettings, secrets: Mapping[str, str]) -> None:
    for name in missing_secrets(search, secrets):
        raise MissingSecretError(f"{name} is not set in the environment")
