"""The reverse proxies of `ops/` with the shipped configurations, on free ports of this machine."""

import os
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import httpx
import pytest
import trustme

from tests.support.running import eventually, free_port

OPS = Path(__file__).parents[2] / "ops"
HOST = "play.example.org"
_SERVICE = "127.0.0.1:8000"
_FOLDERS = "/usr/sbin:/usr/bin:/usr/local/bin"

_NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/logs/main.log;
events {{ }}
http {{
    access_log {folder}/logs/main.log;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""


@dataclass(frozen=True)
class Proxy:
    """A running reverse proxy: its two ports, the authority of its certificate, and the folder of its logs."""

    plain_port: int
    tls_port: int
    authority: ssl.SSLContext
    logs: Path

    def client(self, address: str = "127.0.0.1") -> httpx.Client:
        """Return a client that connects from this address of the loopback interface."""
        transport = httpx.HTTPTransport(verify=self.authority, local_address=address)
        return httpx.Client(
            transport=transport, base_url=f"https://127.0.0.1:{self.tls_port}", headers={"Host": HOST}, timeout=60
        )

    def logged(self) -> str:
        """Return everything that the proxy has logged."""
        return "".join(log.read_text() for log in sorted(self.logs.iterdir()))


def send(client: httpx.Client, method: str, path: str, **rest: object) -> httpx.Response:
    """Send a request that also names the site in its TLS handshake."""
    return client.request(method, path, extensions={"sni_hostname": HOST}, **rest)  # type: ignore[arg-type]


@contextmanager
def nginx(folder: Path, *services: str) -> Iterator[Proxy]:
    """Run nginx in front of the service at this ``host:port``, or of several web servers of one service."""
    plain, tls = free_port(), free_port()
    key, certificate, authority = _certificate(folder)
    shipped = (OPS / "nginx" / "nova-luna.conf").read_text()
    changes = {
        "    listen [::]:80;\n": "",
        "    listen [::]:443 ssl http2;\n": "",
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl http2;": f"listen 127.0.0.1:{tls} ssl http2;",
        "/etc/letsencrypt/live/play.example.org/fullchain.pem": certificate,
        "/etc/letsencrypt/live/play.example.org/privkey.pem": key,
        "/var/log/nginx": f"{folder}/logs",
        _SERVICE: services[0] if len(services) == 1 else "nova_luna",
    }
    servers = "".join(f"    server {service};\n" for service in services)
    upstream = f"upstream nova_luna {{\n{servers}}}\n"
    (folder / "site.conf").write_text(upstream + changed(shipped, changes))
    (folder / "nginx.conf").write_text(_NGINX.format(folder=folder))
    command = (program("nginx"), "-c", str(folder / "nginx.conf"), "-e", str(folder / "logs" / "main.log"))
    subprocess.run([*command, "-t"], check=True, capture_output=True, timeout=60)
    with _running(command, Proxy(plain, tls, authority, folder / "logs")) as proxy:
        yield proxy


@contextmanager
def caddy(folder: Path, service: str) -> Iterator[Proxy]:
    """Run Caddy in front of the service at this ``host:port``."""
    plain, tls = free_port(), free_port()
    key, certificate, authority = _certificate(folder)
    options = f"admin off\n\thttp_port {plain}\n\thttps_port {tls}\n\tstorage file_system {folder}/storage"
    changes = {
        "\tlog {\n": f"\t{options}\n\tlog {{\n\t\toutput file {folder}/logs/caddy.log\n",
        "play.example.org {": f"play.example.org {{\n\ttls {certificate} {key}",
        _SERVICE: service,
    }
    shipped = (OPS / "caddy" / "Caddyfile").read_text()
    (folder / "Caddyfile").write_text(changed(shipped, changes))
    command = (program("caddy"), "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile"))
    with _running(command, Proxy(plain, tls, authority, folder / "logs")) as proxy:
        yield proxy


@contextmanager
def haproxy(folder: Path, *services: str) -> Iterator[Proxy]:
    """Run HAProxy in front of the service at this ``host:port``, or at these two."""
    plain, tls = free_port(), free_port()
    key, certificate, authority = _certificate(folder)
    both = folder / "both.pem"
    both.write_text(Path(certificate).read_text() + Path(key).read_text())
    changes = {
        "10.0.0.10:80\n": f"127.0.0.1:{plain}\n",
        "10.0.0.10:443": f"127.0.0.1:{tls}",
        "10.0.0.10:5000": f"127.0.0.1:{free_port()}",
        "/etc/haproxy/play.example.org.pem": str(both),
        "server app1 10.0.0.21:8000": f"server app1 {services[0]}",
        "    server app2 10.0.0.22:8000\n": "".join(f"    server app2 {service}\n" for service in services[1:]),
    }
    if os.geteuid() != 0:
        changes |= {"    user haproxy\n    group haproxy\n": ""}
    (folder / "haproxy.cfg").write_text(changed((OPS / "haproxy" / "haproxy.cfg").read_text(), changes))
    command = (program("haproxy"), "-W", "-f", str(folder / "haproxy.cfg"))
    subprocess.run([*command, "-c"], check=True, capture_output=True, timeout=60)
    with _running(command, Proxy(plain, tls, authority, folder / "logs")) as proxy:
        yield proxy


PROXIES: dict[str, Callable[[Path, str], AbstractContextManager[Proxy]]] = {
    "nginx": nginx,
    "caddy": caddy,
    "haproxy": haproxy,
}


def program(name: str) -> str:
    """Return the path of a proxy's program; skip the calling test if it is not installed."""
    found = which(name) or which(name, path=_FOLDERS)
    if found is None:
        pytest.skip(f"needs {name}: apt-get install {name}")
    return found


def changed(text: str, changes: dict[str, str]) -> str:
    """Return a shipped configuration with the places of a test; each of those to be replaced must be there."""
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    return text


def _certificate(folder: Path) -> tuple[str, str, ssl.SSLContext]:
    """Make a certificate for the site; return the files of its key and chain, and a context that trusts it."""
    (folder / "logs").mkdir()
    made = trustme.CA()
    issued = made.issue_cert(HOST)
    issued.private_key_pem.write_to_path(folder / "key.pem")
    for blob in issued.cert_chain_pems:
        blob.write_to_path(folder / "chain.pem", append=True)
    context = ssl.create_default_context()
    made.configure_trust(context)
    return str(folder / "key.pem"), str(folder / "chain.pem"), context


@contextmanager
def _running(command: tuple[str, ...], proxy: Proxy) -> Iterator[Proxy]:
    with (proxy.logs / "output").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env={"PATH": _FOLDERS, "HOME": "/"})
        try:
            eventually(lambda: _serves(proxy))
            yield proxy
        finally:
            process.terminate()
            process.wait(60)


def _serves(proxy: Proxy) -> bool:
    with proxy.client() as client:
        try:
            send(client, "GET", "/healthz")
        except httpx.TransportError:
            return False
    return True
