"""Model and search clients go through the proxy and trust the certificates that the experiment names."""

import select
import socket
import ssl
from http.server import ThreadingHTTPServer

import httpx
import httpx2
import pytest

from research_eval.errors import ConfigError, MissingSecretError
from research_eval.experiment import NetworkSettings
from research_eval.runner.way import way_of
from tests.json_server import JsonHandler, serving
from tests.unit.self_signed import write_certificate

pytestmark = [pytest.mark.anyio, pytest.mark.sockets]


class Answers(JsonHandler):
    def get(self):
        self.send(200, {"served": True})


class Proxy(JsonHandler):
    """Opens a tunnel for CONNECT, and keeps whom it was opened to."""

    def do_CONNECT(self):  # noqa: N802
        self.server.opened.append((self.path, self.headers.get("proxy-authorization")))
        host, _, port = self.path.rpartition(":")
        with socket.create_connection((host, int(port))) as there:
            self.send_response(200)
            self.end_headers()
            ends = {self.connection: there, there: self.connection}
            while True:
                ready, _, _ = select.select(list(ends), [], [], 5)
                for end in ready:
                    data = end.recv(65536)
                    if not data:
                        self.close_connection = True
                        return
                    ends[end].sendall(data)
                if not ready:
                    return


@pytest.fixture
def site(tmp_path):
    """Serve over TLS with a certificate of nobody's, behind a proxy."""
    certificate, key = write_certificate(tmp_path)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    proxy.opened, proxy.daemon_threads, server.daemon_threads = [], True, True
    with serving(server), serving(proxy):
        yield server, proxy, certificate


async def ask(way, library, url):
    transport = way.model() if library is httpx2 else way.search()
    async with library.AsyncClient(transport=transport, trust_env=False) as client:
        return (await client.get(url)).json()


@pytest.mark.parametrize("library", [httpx, httpx2])
async def test_both_libraries_go_through_the_proxy_and_trust_the_bundle(library, site, tmp_path):
    server, proxy, certificate = site
    place = f"127.0.0.1:{server.server_port}"
    settings = NetworkSettings(
        proxy=f"http://127.0.0.1:{proxy.server_port}", ca_bundle=certificate.name
    )

    assert await ask(way_of(settings, tmp_path), library, f"https://{place}/") == {"served": True}
    assert proxy.opened == [(place, None)]


@pytest.mark.parametrize("library", [httpx, httpx2])
async def test_a_certificate_of_nobody_is_refused_whatever_the_environment_says(
    library, site, tmp_path, monkeypatch
):
    server, proxy, certificate = site
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{proxy.server_port}")

    with pytest.raises(library.ConnectError):
        await ask(
            way_of(NetworkSettings(), tmp_path), library, f"https://127.0.0.1:{server.server_port}/"
        )
    assert not proxy.opened


async def test_a_variable_may_hold_the_proxy_with_its_password(site, tmp_path, monkeypatch):
    server, proxy, certificate = site
    monkeypatch.setenv("OUR_PROXY", f"http://me:word@127.0.0.1:{proxy.server_port}")
    settings = NetworkSettings(proxy="env:OUR_PROXY", ca_bundle=certificate.name)

    await ask(way_of(settings, tmp_path), httpx2, f"https://127.0.0.1:{server.server_port}/")

    assert proxy.opened[0][1].startswith("Basic ")


@pytest.mark.parametrize("proxy", ["here:3128", "socks5://a:1", "http://", "http://me:word@a:1"])
def test_another_proxy_is_refused(proxy):
    with pytest.raises(ValueError, match=r"expected|password"):
        NetworkSettings(proxy=proxy)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.delenv("OUR_PROXY", raising=False)
    (tmp_path / "no.pem").write_text("nothing")

    with pytest.raises(MissingSecretError, match="OUR_PROXY"):
        way_of(NetworkSettings(proxy="env:OUR_PROXY"), tmp_path)
    with pytest.raises(ConfigError, match=r"gone\.pem: cannot be read"):
        way_of(NetworkSettings(ca_bundle="gone.pem"), tmp_path)
    with pytest.raises(ConfigError, match="no PEM certificates"):
        way_of(NetworkSettings(ca_bundle="no.pem"), tmp_path)
