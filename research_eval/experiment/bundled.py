"""Where the experiments that come with the package stand."""

from pathlib import Path

__all__ = ["BUNDLED", "bundled_experiment", "bundled_name"]

BUNDLED = {"bundled": "experiment.toml", "calibration": "calibration.toml"}
"""The names that stand for them on the command line: real models, and reference agents."""


def bundled_experiment(name: str = "bundled") -> Path:
    """Return the file of a bundled experiment: inside an installed package, or of a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "bundled"
    root = installed if installed.is_dir() else package.parent
    return root / "datasets" / "world" / BUNDLED[name]


def bundled_name(path: Path) -> str | None:
    """Return the name of the bundled experiment in the file, `None` for any other file."""
    return next((name for name in BUNDLED if path == bundled_experiment(name)), None)
