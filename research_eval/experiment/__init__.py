"""Experiment: a TOML file in, validated settings out."""

from research_eval.experiment.bundled import BUNDLED, bundled_experiment
from research_eval.experiment.loader import Experiment, load_experiment
from research_eval.experiment.secrets import PlaceholderSecrets, known_secrets, read_secrets
from research_eval.experiment.settings import Configuration, ExperimentSettings, digest_of

__all__ = [
    "BUNDLED",
    "Configuration",
    "Experiment",
    "ExperimentSettings",
    "PlaceholderSecrets",
    "bundled_experiment",
    "digest_of",
    "known_secrets",
    "load_experiment",
    "read_secrets",
]
