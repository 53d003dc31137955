"""The way to model and search APIs: through a proxy, trusting a company's certificates, or straight."""

import os
import ssl
from pathlib import Path
from typing import NamedTuple

import httpx
import httpx2

from research_eval.errors import ConfigError, MissingSecretError
from research_eval.experiment import NetworkSettings

__all__ = ["Way", "way_of"]

_FROM_ENVIRONMENT = "env:"


class Way(NamedTuple):
    """What a transport is opened with; no variable of the environment changes it."""

    proxy: str | None = None
    trusted: ssl.SSLContext | None = None

    def search(self) -> httpx.AsyncBaseTransport:
        """Return a transport of httpx, which search clients use."""
        proxy = httpx.Proxy(self.proxy, ssl_context=self._to_proxy) if self.proxy else None
        return httpx.AsyncHTTPTransport(verify=self.trusted or True, proxy=proxy, trust_env=False)

    def model(self) -> httpx2.AsyncBaseTransport:
        """Return a transport of httpx2, which model clients use."""
        proxy = httpx2.Proxy(self.proxy, ssl_context=self._to_proxy) if self.proxy else None
        return httpx2.AsyncHTTPTransport(verify=self.trusted or True, proxy=proxy, trust_env=False)

    @property
    def _to_proxy(self) -> ssl.SSLContext | None:
        return self.trusted if (self.proxy or "").startswith("https:") else None


def way_of(settings: NetworkSettings, base: Path) -> Way:
    """Return the way that an experiment in the folder `base` asks for.

    Raises:
        ConfigError: If the certificates cannot be read, or the variable holds no proxy.
        MissingSecretError: If the variable is not set.
    """
    return Way(_proxy(settings.proxy), _trusted(settings.ca_bundle, base))


def _proxy(value: str | None) -> str | None:
    if value is None or not value.startswith(_FROM_ENVIRONMENT):
        return value
    name = value.removeprefix(_FROM_ENVIRONMENT)
    found = os.environ.get(name)
    if not found:
        raise MissingSecretError(f"network.proxy: {name} is not set in the environment")
    if not found.startswith(("http://", "https://")):
        raise ConfigError(f"network.proxy: {name} holds no http:// or https:// URL")
    return found


def _trusted(bundle: str | None, base: Path) -> ssl.SSLContext | None:
    if bundle is None:
        return None
    path = base / bundle
    context = httpx.create_ssl_context(trust_env=False)
    try:
        context.load_verify_locations(cafile=path)
    except ssl.SSLError as exc:
        raise ConfigError(f"network.ca_bundle: {path}: holds no PEM certificates") from exc
    except OSError as exc:
        raise ConfigError(f"network.ca_bundle: {path}: cannot be read: {exc.strerror}") from exc
    return context
