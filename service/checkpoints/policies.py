"""Read a policy: which keys a log has, and whose cosignatures a checkpoint must have (C2SP tlog-policy)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from service.checkpoints.errors import CheckpointError
from service.checkpoints.keys import LOG, WITNESS, VerifyKey
from service.checkpoints.notes import Checkpoint, SignedNote

LARGEST: Final = 65_536
"""The number of bytes that a policy may have."""

_NONE = "none"
_OTHER_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NUMBER = re.compile(r"[1-9][0-9]{0,4}")


class Party(NamedTuple):
    """A log or a witness as a policy names it: its key, and where it answers, if the policy says so."""

    key: VerifyKey
    url: str | None


class Group(NamedTuple):
    """A group: how many of its members, which are witnesses or groups, must have signed."""

    least: int
    members: tuple[str, ...]


class Policy(NamedTuple):
    """A policy.

    Attributes:
        logs: the keys of the one log.
        witnesses: the witnesses by the names that the policy has for them.
        groups: the groups by name, each after its members.
        quorum: the witness or group that must have signed; None if nobody has to.
    """

    logs: tuple[Party, ...]
    witnesses: dict[str, Party]
    groups: dict[str, Group]
    quorum: str | None

    @classmethod
    def parse(cls, given: str | bytes) -> Policy:
        """Return a policy; raise CheckpointError `policy_malformed` if the text is not a policy."""
        reader = _Reader()
        for number, line in enumerate(_text(given).split("\n"), 1):
            words = line.replace("\t", " ").split(" ")
            items = [word for word in words if word]
            if items and not items[0].startswith("#"):
                try:
                    reader.read(items)
                except ValueError as error:
                    raise _malformed(f"line {number}: {error}") from None
        return reader.policy()

    @property
    def origin(self) -> str:
        """The log's origin, which is the name of its keys."""
        return self.logs[0].key.name

    def is_met(self, signed: Collection[str]) -> bool:
        """Return whether the quorum is met by these witnesses, named as in the policy."""
        if self.quorum is None:
            return True
        met = set(signed)
        for name, group in self.groups.items():
            if sum(member in met for member in group.members) >= group.least:
                met.add(name)
        return self.quorum in met

    def check(self, note: SignedNote) -> Checkpoint:
        """Return the checkpoint of a note that this policy accepts.

        Raises:
            CheckpointError: `signature_bad`, `unsigned`, `wrong_origin`, `checkpoint_malformed` or
                `witnesses_missing`, looked for in this order.
        """
        known = [party.key for party in (*self.logs, *self.witnesses.values())]
        signers = note.signers(known)
        if not any(party.key in signers for party in self.logs):
            raise CheckpointError("unsigned", "no key of the log in the policy signed it")
        checkpoint = Checkpoint.parse(note.text, self.origin)
        names = self.names_of(signers)
        if not self.is_met(names):
            raise CheckpointError("witnesses_missing", f"the policy asks for {self.quorum}; signed by: {_list(names)}")
        return checkpoint

    def names_of(self, signers: Collection[VerifyKey]) -> list[str]:
        """Return the witnesses among those who signed, by the policy's names."""
        return [name for name, party in self.witnesses.items() if party.key in signers]


class _Reader:
    """The lines of a policy that have been read so far."""

    def __init__(self) -> None:
        self._logs: list[Party] = []
        self._witnesses: dict[str, Party] = {}
        self._groups: dict[str, Group] = {}
        self._members: set[str] = set()
        self._quorums: list[str] = []
        self._keys: set[tuple[int, bytes]] = set()

    def read(self, items: list[str]) -> None:
        """Take in one line; raise ValueError if it is not one of a policy's."""
        match items:
            case ["log", vkey]:
                self._log(vkey, None)
            case ["log", vkey, url]:
                self._log(vkey, url)
            case ["witness", name, vkey]:
                self._witness(name, vkey, None)
            case ["witness", name, vkey, url]:
                self._witness(name, vkey, url)
            case ["group", name, least, *members] if members:
                self._group(name, least, members)
            case ["quorum", name]:
                if name != _NONE:
                    self._defined([name])
                self._quorums.append(name)
            case _:
                raise ValueError("a line begins with log, witness, group or quorum and what belongs to it, or with #")

    def _log(self, vkey: str, url: str | None) -> None:
        key = self._key(vkey, LOG)
        if self._logs and self._logs[0].key.name != key.name:
            raise ValueError("all keys are of one log, so that they have one name")
        self._logs.append(Party(key, url))

    def _witness(self, name: str, vkey: str, url: str | None) -> None:
        self._new(name)
        self._witnesses[name] = Party(self._key(vkey, WITNESS), url)

    def _key(self, vkey: str, kind: int) -> VerifyKey:
        key = VerifyKey.parse(vkey)
        if key.kind != kind:
            raise ValueError(f"the key is of type {key.kind}, not {kind}")
        if (kind, key.public) in self._keys:
            raise ValueError("the key has been named before")
        self._keys.add((kind, key.public))
        return key

    def _group(self, name: str, least: str, members: list[str]) -> None:
        self._new(name)
        self._defined(members)
        for member in members:
            if member in self._members:
                raise ValueError(f"{member!r:.60} is in two groups, or twice in one")
            self._members.add(member)
        count = {"any": 1, "all": len(members)}.get(least)
        if count is None:
            if not _NUMBER.fullmatch(least) or int(least) > len(members):
                raise ValueError("a group has any, all or a number of its members to sign")
            count = int(least)
        self._groups[name] = Group(count, tuple(members))

    def _new(self, name: str) -> None:
        if name == _NONE or name in self._witnesses or name in self._groups:
            raise ValueError(f"the name {name!r:.60} is taken")

    def _defined(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._witnesses and name not in self._groups:
                raise ValueError(f"no line above defines {name!r:.60}")

    def policy(self) -> Policy:
        """Return the policy that the lines define."""
        if not self._logs:
            raise _malformed("no line names a key of the log")
        if len(self._quorums) != 1:
            raise _malformed("one line, and only one, says the quorum")
        quorum = self._quorums[0]
        return Policy(tuple(self._logs), self._witnesses, self._groups, None if quorum == _NONE else quorum)


def _text(given: str | bytes) -> str:
    # Beyond ASCII all bytes are allowed; what is not UTF-8 stands for itself, and is in no name of a key.
    try:
        data = given.encode() if isinstance(given, str) else given
    except UnicodeEncodeError:
        raise _malformed("it has half a character") from None
    if len(data) > LARGEST:
        raise _malformed(f"it has more than {LARGEST} bytes")
    text = data.decode(errors="surrogateescape")
    if _OTHER_CONTROL.search(text):
        raise _malformed("it has a control character other than tab and line feed")
    return text


def _list(names: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in names) or "nobody"


def _malformed(why: str) -> CheckpointError:
    return CheckpointError("policy_malformed", why)
