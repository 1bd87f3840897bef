"""The commands of docs/OPERATING.md for several hosts that need Debian's units, on a host whose process 1 is systemd.

One host stands for all. It has this machine's network, so its addresses are some of the loopback interface.
"""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import trustme

from tests.drills.failover import steps
from tests.drills.failover.test_steps import UNDER_SYSTEMD
from tests.drills.proxies import OPS
from tests.drills.systemd.host import PLACE, Host, booted, needs_systemd
from tests.support.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.xdist_group("drills of systemd")]

_PROGRAMS = ("etcd", "patroni", "haproxy", "pgbackrest", "pg_dropcluster")
_NET = "127.213.7."


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    needs_systemd()
    missing = [name for name in _PROGRAMS if shutil.which(name, path="/usr/sbin:/usr/bin") is None]
    if missing or not Path("/usr/lib/postgresql/15/bin").exists():
        pytest.skip("needs apt-get install etcd-server patroni python3-etcd postgresql haproxy pgbackrest")
    with booted(tmp_path_factory.mktemp("systemd")) as host:
        yield host


def placed(text: str) -> str:
    """Return a text with addresses of the loopback interface, and one host of the database."""
    return re.sub(r"\b10\.0\.0\.", _NET, text)


def commands(host: str, *programs: str) -> list[str]:
    """Return the commands of a host in the document that begin with one of these programs."""
    return [shlex.join(each.command) for each in steps.STEPS if each.host == host and each.command[0] in programs]


def write(host: Host, path: str, text: str) -> None:
    host.run(f"mkdir -p {Path(path).parent}; printf %s {shlex.quote(text)} > {path}")


def answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5, trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def test_database_host_runs_by_debians_units(host: Host) -> None:
    host.run("pg_lsclusters -h | grep -q '^15 *main ' || pg_createcluster 15 main")
    told = steps.example("ETCD_NAME") | {"ETCD_INITIAL_CLUSTER": "pg1=http://10.0.0.11:2380"}
    write(host, "/etc/default/etcd", placed("".join(f"{name}={value}\n" for name, value in told.items())))
    shipped = (OPS / "patroni" / "patroni.yml").read_text()
    alone = shipped.replace("10.0.0.11:2379, 10.0.0.12:2379, 10.0.0.13:2379", "10.0.0.11:2379")
    alone = re.sub(r"(synchronous_mode\w*): true", r"\1: false", alone).replace("10.0.0.0/8", "127.0.0.0/8")
    assert "10.0.0.12" not in alone
    write(host, "/root/patroni.yml", placed(alone))
    for command in commands("pg1", "pg_dropcluster", "install", "systemctl"):
        host.run(f"cd /root; {command}")
    eventually(lambda: answers(f"http://{_NET}11:8008/primary"), 120.0)

    before = host.shows("patroni", "NRestarts")
    host.run("systemctl kill --kill-whom=main --signal=SIGKILL patroni")
    eventually(lambda: host.shows("patroni", "NRestarts") != before)
    eventually(lambda: answers(f"http://{_NET}11:8008/primary"), 120.0)

    host.run("runuser -u postgres -- createdb nova")
    host.run(f"cp {PLACE}/ops/pgbackrest/pgbackrest.conf /etc/pgbackrest.conf; rm -rf /tmp/pgbackrest")
    title = "Back to the second before a mistake"
    create, configure, check = (shlex.join(each.command) for each in steps.commands(title)[:3])
    host.run(create)
    host.run(configure)
    eventually(lambda: "ok" in host.run(f"({check}) && echo ok || true"), 60.0)
    (nightly,) = re.findall(r"^0 3 \* \* \* postgres (.*)$", steps.section(title), re.MULTILINE)
    host.run(f"runuser -u postgres -- sh -c {shlex.quote(nightly)}")
    assert "full backup" in host.run("runuser -u postgres -- pgbackrest --stanza=nova info")
    host.run("systemctl disable --now patroni etcd")


def test_haproxy_starts_by_debians_unit(host: Host) -> None:
    write(host, "/root/haproxy.cfg", placed((OPS / "haproxy" / "haproxy.cfg").read_text()))
    issued = trustme.CA().issue_cert("play.example.org")
    write(host, "/root/privkey.pem", issued.private_key_pem.bytes().decode())
    write(host, "/root/fullchain.pem", "".join(blob.bytes().decode() for blob in issued.cert_chain_pems))
    for command in commands("lb", "install", "sh", "haproxy", "systemctl"):
        host.run(f"cd /root; {command}")
    assert host.shows("haproxy", "ActiveState") == "active"
    answer = httpx.get(f"http://{_NET}10/rules", headers={"Host": "play.example.org"}, trust_env=False)
    assert (answer.status_code, answer.headers["Location"]) == (301, "https://play.example.org/rules")
    answer = httpx.get(f"https://{_NET}10/rules", verify=False, trust_env=False)
    assert (answer.status_code, answer.json()["code"]) == (503, "overloaded")
    host.run("systemctl stop haproxy")


def test_checkpoints_are_copied_for_the_services_account(host: Host) -> None:
    host.run("mkdir -p /root/checkpoints; echo note > /root/checkpoints/1.note")
    for command in commands("app1", "install", "cp", "chown"):
        host.run(f"cd /root; {command}")
    assert host.run("runuser -u nova-luna -- cat /var/lib/nova-luna/checkpoints/1.note") == "note\n"


def test_each_command_is_for_one_of_these_hosts() -> None:
    tried = [each for name in ("pg1", "lb", "app1") for each in commands(name, *UNDER_SYSTEMD)]
    assert len(tried) == sum(each.command[0] in UNDER_SYSTEMD for each in steps.STEPS)
