"""What a PLACE on the command line means, for all commands about recordings."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from research_eval.cassette.place import NamedStore
    from research_eval.cassette.redact import Redactor

__all__ = ["OUT", "PLACE", "FoundPlace", "find_place", "known_redactor"]

PLACE = click.argument("place", type=click.Path(path_type=Path))
OUT = click.argument("out", type=click.Path(path_type=Path))


class FoundPlace(NamedTuple):
    """What a PLACE holds, and which model cassettes its experiment has, where it is one."""

    stores: "list[NamedStore]"
    expected: dict[str, set[str]] | None


def find_place(place: Path, redactor: "Redactor | None" = None) -> FoundPlace:
    """Return the stores that `place` means, and the cassettes that its experiment should have.

    Raises:
        UsageError: If there is nothing there, or the experiment cannot be read.
    """
    from research_eval.cassette.place import find_stores
    from research_eval.experiment.bundled import BUNDLED, bundled_experiment

    if place.suffix != ".toml" and str(place) not in BUNDLED:
        return FoundPlace(find_stores(place, redactor or known_redactor()), None)
    from research_eval.cassette.exchange import trial_name
    from research_eval.dataset import load_cases
    from research_eval.experiment import load_experiment
    from research_eval.schema import TrialKey

    experiment = load_experiment(bundled_experiment(str(place)) if str(place) in BUNDLED else place)
    stores = find_stores(experiment.cassettes_path, redactor or known_redactor())
    expected: dict[str, set[str]] = {
        named.label: set() for named in stores if named.channel == "model"
    }
    cases = load_cases(experiment.dataset_path)
    for configuration in experiment.settings.configuration:
        if configuration.asks_model:
            expected[configuration.name] = {
                trial_name(TrialKey(case.id, configuration.name, trial))
                for case in cases
                for trial in range(1, experiment.settings.trials + 1)
            }
    return FoundPlace(stores, expected)


def known_redactor(patterns: tuple[str, ...] = (), fields: tuple[str, ...] = ()) -> "Redactor":
    """Return what scrubs the environment's secrets, and patterns and fields of the caller's own."""
    from research_eval.cassette.redact import Redactor
    from research_eval.secret import known_secrets

    return Redactor(known_secrets(), patterns, fields=fields)
