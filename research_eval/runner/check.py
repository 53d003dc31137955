"""Ask everybody whom an experiment depends on once, cheaply: models, search providers, pages."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import httpx

from research_eval.experiment import Configuration, Experiment
from research_eval.runner.channels import Network
from research_eval.runner.check_model import ModelAnswer, ask_model, known_of_model
from research_eval.runner.check_web import (
    PagesAnswer,
    SearchAnswer,
    ask_provider,
    known_of_provider,
    open_pages,
)
from research_eval.runner.way import way_of
from research_eval.schema import Record
from research_eval.secret import PlaceholderSecrets, read_secrets
from research_eval.tool.search import ProviderSettings, has_corpus

__all__ = ["Answers", "CheckOutput", "ask_everybody", "known_of_everybody"]


class Answers(Record):
    """What came of asking everybody, or what is known of them without asking."""

    models: tuple[ModelAnswer, ...]
    searches: tuple[SearchAnswer, ...]
    pages: tuple[PagesAnswer, ...] = ()

    def faults(self) -> list[str]:
        """Return what went wrong, in one line each, with who is meant."""
        named = [(one.model, one.fault) for one in self.models]
        named += [(one.provider, one.fault) for one in self.searches]
        found = [
            words if words.startswith(name) else f"{name}: {words}"
            for name, words in named
            if words
        ]
        return found + [words for one in self.pages if not one.reached for words in one.faults]

    def remarks(self) -> list[str]:
        """Return what a run bears, and its user should know."""
        found = [
            f"{one.model}: no price is known; --max-cost needs price = {{ input = …, output = … }}"
            for one in self.models
            if one.price is None
        ]
        found += [
            f"{one.model}: the server calls it {one.served_model}"
            for one in self.models
            if one.served_model and one.served_model != one.model.partition(":")[2]
        ]
        return found + [words for one in self.pages if one.reached for words in one.faults]


class CheckOutput(Record):
    """What `research-eval check --json` prints."""

    schema_version: Literal[1] = 1
    experiment: str
    is_offline: bool
    """Whether nobody was asked."""
    cases: int
    configurations: tuple[str, ...]
    setting_faults: tuple[str, ...]
    """What would stop a run before its first call; the configurations at fault were not asked."""
    missing_keys: tuple[str, ...]
    answers: Answers
    exit_status: int = 0


def known_of_everybody(configurations: Sequence[Configuration], *, is_world: bool) -> Answers:
    """Return what is known of models and search providers without asking them.

    Args:
        configurations: Those that are to be checked; their parts can be made.
        is_world: Whether the bundled web stands in for the network.
    """
    keys = read_secrets()
    return Answers(
        models=tuple(known_of_model(group, keys) for group in _by_model(configurations)),
        searches=tuple(
            known_of_provider(entry, names, keys, is_world=is_world)
            for entry, names in _by_provider(configurations)
        ),
    )


async def ask_everybody(
    experiment: Experiment,
    configurations: Sequence[Configuration],
    query: str,
    world: httpx.AsyncBaseTransport | None = None,
) -> Answers:
    """Send each model and each search provider one request, and open a few pages.

    Args:
        experiment: The settings and their place.
        configurations: Those that are to be checked; their parts can be made.
        query: What is searched for.
        world: The way to the bundled web, which stands in for the network.

    Raises:
        UsageError: If the way to the network cannot be opened as the settings say.
    """
    base, keys = experiment.path.parent, read_secrets()
    network = Network(world, way_of(experiment.settings.network, base))
    try:
        asked_models = [
            ask_model(group, transport=network.model(), secrets=keys, base=base)
            for group in _by_model(configurations)
        ]
        asked_providers = [
            ask_provider(
                known_of_provider(entry, names, keys, is_world=world is not None),
                entry,
                query,
                transport=network.search(),
                secrets=keys if world is None else PlaceholderSecrets(),
                base=base,
            )
            for entry, names in _by_provider(configurations)
        ]
        models, searches = await asyncio.gather(
            asyncio.gather(*asked_models), asyncio.gather(*asked_providers)
        )
        pages = [
            await open_pages(
                group,
                _urls_for(group, searches),
                transport=network.fetch(group[0]),
                politeness=network.politeness(group[0]),
            )
            for group in _by_fetch(configurations)
        ]
    finally:
        await network.aclose()
    return Answers(models=tuple(models), searches=tuple(searches), pages=tuple(pages))


def _urls_for(group: Iterable[Configuration], searches: Iterable[SearchAnswer]) -> Iterator[str]:
    names = {item.name for item in group}
    for one in searches:
        if names.intersection(one.configurations):
            yield from one.urls


def _by_model(configurations: Iterable[Configuration]) -> list[list[Configuration]]:
    """Return the configurations that ask a model, those of the same one together."""
    asked = (item for item in configurations if not item.model.is_reference_agent)
    return _grouped((item.model.model_dump_json(exclude={"seed"}), item) for item in asked)


def _by_fetch(configurations: Iterable[Configuration]) -> list[list[Configuration]]:
    """Return the configurations that open pages of the web, those with the same settings together."""
    asked = (item for item in configurations if not has_corpus(item.search))
    return _grouped((item.fetch.model_dump_json(), item) for item in asked)


def _grouped(pairs: Iterable[tuple[str, Configuration]]) -> list[list[Configuration]]:
    groups: dict[str, list[Configuration]] = {}
    for what, item in pairs:
        groups.setdefault(what, []).append(item)
    return list(groups.values())


def _by_provider(
    configurations: Iterable[Configuration],
) -> Iterator[tuple[ProviderSettings, tuple[str, ...]]]:
    """Yield each search provider with the configurations that ask it."""
    entries: dict[str, tuple[ProviderSettings, list[str]]] = {}
    for item in configurations:
        for entry in item.search.chain:
            what = entry.model_dump_json(exclude={"resilience", "price_usd"})
            entries.setdefault(what, (entry, []))[1].append(item.name)
    for entry, names in entries.values():
        yield entry, tuple(dict.fromkeys(names))
