"""How numbers are written in every report, so that all of them agree to the last digit."""

from research_eval.report.view import ConfigurationView, Rate, RunView
from research_eval.schema import RunRecord

__all__ = [
    "DASH",
    "NOTHING",
    "labels",
    "mean_text",
    "number_text",
    "percent",
    "rate_text",
    "run_facts",
    "run_labels",
    "spoken_measure",
]

DASH = "\N{EN DASH}"
"""Between the bounds of an interval."""
NOTHING = DASH
"""Written where there is no value."""


def percent(share: float | None) -> str:
    """Return a share as a percentage with one digit.

    >>> percent(2 / 3)
    '66.7 %'
    """
    return NOTHING if share is None else f"{100 * share:.1f} %"


def rate_text(rate: Rate) -> str:
    """Return a rate with its interval and its counts."""
    if not rate.n:
        return NOTHING
    return f"{percent(rate.value)} [{100 * rate.low:.1f}, {100 * rate.high:.1f}] {rate.k}/{rate.n}"


def number_text(value: float | None) -> str:
    """Return a sum or a mean: whole numbers in groups of three, others with two digits.

    >>> number_text(12345.0).split(), number_text(0.5)
    (['12', '345'], '0.50')
    """
    if value is None:
        return NOTHING
    if float(value).is_integer():
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:,.2f}".replace(",", "\u202f")


def mean_text(value: float | None) -> str:
    """Return a mean with two digits."""
    return NOTHING if value is None else f"{value:.2f}"


def spoken_measure(name: str) -> str:
    """Return a measure as tables write it.

    >>> spoken_measure("first_attempt_passed")
    'first attempt'
    """
    return name.removesuffix("_passed").replace("_", " ")


def labels(configuration: ConfigurationView) -> tuple[str, ...]:
    """Return what a reader must know before comparing this configuration's numbers."""
    found = []
    if configuration.summary.is_reference_agent:
        found.append("reference agent")
    if configuration.verdict == "inconclusive":
        found.append("INCONCLUSIVE")
    return tuple(found)


def run_labels(view: RunView) -> tuple[str, ...]:
    """Return what a reader must know of the whole run."""
    found = [f"model {view.manifest.model_mode}", f"web {view.manifest.web_mode}"]
    if view.manifest.dataset_is_synthetic:
        found.insert(0, "synthetic web")
    return tuple(found)


def run_facts(manifest: RunRecord) -> dict[str, str]:
    """Return what was run, in words."""
    return {
        "dataset": f"{manifest.dataset} ({len(manifest.case_ids)} cases)",
        "trials a case and configuration": str(manifest.trials),
        "seed": str(manifest.seed),
        "experiment, sha256": manifest.experiment_sha256,
        "dataset, sha256": manifest.dataset_sha256,
        "cassettes, sha256": manifest.cassettes_sha256 or NOTHING,
        "code": manifest.code_version,
        "packages": ", ".join(f"{name} {version}" for name, version in manifest.packages.items()),
    }
