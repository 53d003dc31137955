"""Rules for every test: no network beyond loopback, a bounded amount of generated input."""

import os
import socket
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("deep", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio."""
    return "asyncio"


@pytest.fixture(scope="session")
def story() -> type:
    """Give the class that builds trial records by telling what happened."""
    spec = spec_from_file_location("story", Path(__file__).parent / "story.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Story


@pytest.fixture(autouse=True)
def _offline(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse sockets; a test marked `sockets` or `browser` may reach loopback alone."""
    markers = {mark.name for mark in request.node.iter_markers()}
    may_reach_loopback = bool(markers & {"sockets", "browser"})
    real = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        if self.family == socket.AF_UNIX:
            return real(self, address)  # type: ignore[arg-type]
        host = str(address[0]) if isinstance(address, tuple) else str(address)
        if may_reach_loopback and host in {"127.0.0.1", "::1"}:
            return real(self, address)  # type: ignore[arg-type]
        msg = f"a test tried to reach {address!r}"
        raise AssertionError(msg)

    monkeypatch.setattr(socket.socket, "connect", connect)
