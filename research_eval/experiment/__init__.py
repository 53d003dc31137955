"""Experiment: a TOML file in, validated settings out."""

from research_eval.experiment.bundled import BUNDLED, bundled_experiment, bundled_name
from research_eval.experiment.loader import Experiment, ExperimentError, load_experiment
from research_eval.experiment.settings import (
    Configuration,
    ExperimentSettings,
    NetworkSettings,
    digest_of,
)

__all__ = [
    "BUNDLED",
    "Configuration",
    "Experiment",
    "ExperimentError",
    "ExperimentSettings",
    "NetworkSettings",
    "bundled_experiment",
    "bundled_name",
    "digest_of",
    "load_experiment",
]
