"""One table of routes for all applications that have the same: compiling it is most of the work of creating one."""

from threading import Lock
from typing import Any

from werkzeug.routing import Map, Rule, RuleFactory
from werkzeug.routing.matcher import StateMachineMatcher

_compiled: dict[tuple[object, ...], Map] = {}


def _key(rule: Rule) -> tuple[object, ...]:
    automatic = getattr(rule, "provide_automatic_options", None)  # what Flask notes on its rules
    return rule.rule, rule.endpoint, frozenset(rule.methods or ()), automatic


class SharedMap(Map):
    """A map that compiles its routes at the first look-up, or takes them from an earlier map that had the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._waiting: list[Rule] = []
        self._compiling = Lock()
        super().__init__(*args, **kwargs)

    def add(self, rulefactory: RuleFactory) -> None:
        self._waiting.extend(rulefactory.get_rules(self))
        self._remap = True

    def update(self) -> None:
        if not self._remap:
            return
        with self._compiling:  # another thread would look in the routes of before
            if self._waiting:
                waiting, self._waiting = self._waiting, []
                options = (self.merge_slashes, self.strict_slashes, *self.converters.items())
                key = (*options, *map(_key, self._rules), *map(_key, waiting))
                if key in _compiled:
                    same = _compiled[key]
                    self._matcher, self._rules_by_endpoint = same._matcher, same._rules_by_endpoint
                    self._remap = False
                else:
                    self._compile(waiting)
                    _compiled[key] = self
            super().update()

    def _compile(self, waiting: list[Rule]) -> None:
        before = self._rules
        self._matcher = StateMachineMatcher(self.merge_slashes)  # the one so far may be in use by others
        self._rules_by_endpoint = {}
        for rule in before:
            self._matcher.add(rule)
            self._rules_by_endpoint.setdefault(rule.endpoint, []).append(rule)
        for rule in waiting:
            super().add(rule)
