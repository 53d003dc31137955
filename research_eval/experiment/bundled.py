"""Where the experiment that comes with the package stands."""

from pathlib import Path

__all__ = ["BUNDLED", "bundled_experiment"]

BUNDLED = "bundled"
"""The name that stands for it on the command line."""


def bundled_experiment() -> Path:
    """Return the bundled experiment's file: inside an installed package, or of a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "bundled"
    root = installed if installed.is_dir() else package.parent
    return root / "datasets" / "world" / "experiment.toml"
