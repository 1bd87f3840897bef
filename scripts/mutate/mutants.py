"""Find every small change to a source file that a test should notice."""

from __future__ import annotations

import ast
import re
from copy import copy
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}

FUNCTIONS = {"any": "all", "all": "any", "min": "max", "max": "min"}

SQL: tuple[tuple[str, str], ...] = (
    (r"(?<!BETWEEN )\bAND\b(?! FOLLOWING)", "OR"),
    (r"\bAND (?:%\(\w+\)s|[^()\"\n])+?(?= AND\b| OR\b|\)|\"|\n|\Z)", ""),
    (r"\bOR\b(?! REPLACE)", "AND"),
    (r"\bIS NOT NULL\b", "IS NULL"),
    (r"\bIS NULL\b", "IS NOT NULL"),
    (r"(?<= )<=(?= )", "<"),
    (r"(?<= )>=(?= )", ">"),
    (r"(?<= )<(?= )", "<="),
    (r"(?<= )>(?= )", ">="),
    (r"\bNOT EXISTS\b", "EXISTS"),
    (r" DESC\b", ""),
    (r" FOR (?:NO KEY )?UPDATE\b", ""),
    (r" SKIP LOCKED\b", ""),
)
"""The changes that are made within an SQL statement: a pattern, and its replacement."""

_STATEMENT = re.compile(r"\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|WHERE|JOIN)\b")
"""SQL, even if it is only a part of a statement."""
_CODE = re.compile(r"[a-z][a-z0-9_.:-]{0,30}")
"""A text that is meant for programs; a sentence has spaces."""

_LOGS = ("_log", "log", "logger")
_LOG_METHODS = {"debug", "info", "warning", "error", "exception"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change to a file.

    Attributes:
        path: the file, relative to the root of the repository.
        line: the line of the change.
        lines: the first and the last line of the statement that contains it, without the blocks of that statement.
        where: the function or class that contains it, such as `Wheel.clone`; empty at module level.
        name: for a statement that runs at import, the names that it binds, separated by spaces; otherwise None.
        start: the offset of the change in bytes.
        before: the text that is replaced.
        after: the replacement.
    """

    path: str
    line: int
    lines: tuple[int, int]
    where: str
    name: str | None
    start: int
    before: str
    after: str

    def apply(self, source: bytes) -> bytes:
        """Return the source of the file with this change."""
        before = self.before.encode()
        end = self.start + len(before)
        if source[self.start : end] != before:
            raise ValueError(f"{self.path} is not the file that this mutant was found in")
        return source[: self.start] + self.after.encode() + source[end:]

    def __str__(self) -> str:
        shown = [" ".join(text.split()) for text in (self.before, self.after)]
        return f"{self.path}:{self.line} in {self.where or 'the module'}: {shown[0]!r} -> {shown[1] or 'nothing'!r}"


def mutants_of(path: str, source: bytes) -> list[Mutant]:
    """Return all mutants of a file, sorted by position."""
    finder = _Finder(path, source)
    finder.visit(ast.parse(source))
    return sorted(finder.found, key=lambda mutant: (mutant.start, mutant.before, mutant.after))


class _Finder(ast.NodeVisitor):
    """A visitor that collects every change to a module; annotations, docstrings, assertions and log lines stay."""

    def __init__(self, path: str, source: bytes) -> None:
        self.found: list[Mutant] = []
        self._path = path
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._around: list[str] = []
        self._depth = 0
        self._lines = (1, 1)
        self._name: str | None = None

    # Blocks and statements

    def visit(self, node: ast.AST) -> None:
        """Visit a node, and note the lines of the statement that contains it."""
        if not isinstance(node, ast.stmt):
            super().visit(node)
            return
        body = getattr(node, "body", None)
        last = (body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno) or node.lineno
        before = self._lines, self._name
        self._lines = node.lineno, max(node.lineno, last)
        if not self._depth and not self._around:
            self._name = bound(node) or None
        super().visit(node)
        self._lines, self._name = before

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Visit the defaults, then the body."""
        if any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list):
            return
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self._around.append(node.name)
        self._depth += 1
        self._block(node.body)
        self._depth -= 1
        self._around.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visit the body, unless it only describes a protocol."""
        if any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases):
            return
        self._around.append(node.name)
        self._block(node.body)
        self._around.pop()

    def visit_Module(self, node: ast.Module) -> None:
        """Visit the statements of the module."""
        self._block(node.body)

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.visit(statement)

    def visit_If(self, node: ast.If) -> None:
        """Negate a condition, and visit both blocks; what only a type checker sees is skipped."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        self._condition(node.test)
        self.visit(node.test)
        self._block(node.body)
        self._block(node.orelse)

    def visit_While(self, node: ast.While) -> None:
        """Negate the condition of a loop, and visit its body."""
        if not isinstance(node.test, ast.Constant):
            self._condition(node.test)
            self.visit(node.test)
        self._block(node.body)

    def visit_Assert(self, node: ast.Assert) -> None:
        """Skip an assertion, which only tells the type checker what is true anyway."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Visit the value of an annotated assignment."""
        if node.value is not None:
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Visit the value of an assignment, except to `__slots__` and `__all__`."""
        if not any(isinstance(each, ast.Name) and each.id in ("__slots__", "__all__") for each in node.targets):
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Replace `+=` by `-=`, and so on."""
        other = OPERATORS.get(type(node.op))
        if other is not None:
            self._replace(node, _with(node, op=other()))
        self.visit(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Drop a call whose result is not used; docstrings and log lines are skipped."""
        if isinstance(node.value, ast.Constant) or _is_log(node.value):
            return
        if isinstance(node.value, ast.Call):
            self._add(node, "pass")
        self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Drop a `raise`, and change the exception that it raises."""
        self._add(node, "pass")
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        """Replace the returned value by None, unless it is False, of which mypy would notice that; change the value."""
        if node.value is None:
            return
        if not (isinstance(node.value, ast.Constant) and (node.value.value is None or node.value.value is False)):
            self._add(node, "return None")
        self.visit(node.value)

    def visit_Break(self, node: ast.Break) -> None:
        """Replace `break` by `continue`."""
        self._add(node, "continue")

    def visit_Continue(self, node: ast.Continue) -> None:
        """Replace `continue` by `break`."""
        self._add(node, "break")

    # Expressions

    def visit_IfExp(self, node: ast.IfExp) -> None:
        """Negate the condition of a conditional expression."""
        self._condition(node.test)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        """Negate the conditions of a comprehension."""
        for test in node.ifs:
            self._condition(test)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Change one comparison: shift a bound by one, or negate any other."""
        for at, op in enumerate(node.ops):
            ops = [*node.ops]
            ops[at] = COMPARISONS[type(op)]()
            self._replace(node, _with(node, ops=ops))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Replace `and` by `or`, and `or` by `and`."""
        self._replace(node, _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And()))
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Drop a `not` or a minus sign."""
        if isinstance(node.op, ast.Not | ast.USub):
            self._replace(node, node.operand)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Change an operator, except one that joins texts or lists."""
        other = OPERATORS.get(type(node.op))
        if other is not None and not any(map(_is_joined, (node.left, node.right))):
            self._replace(node, _with(node, op=other()))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Replace `any` by `all` and so on; replace a copy by the original."""
        if isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            self._add(node.func, FUNCTIONS[node.func.id])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args:
            self._replace(node, node.func.value)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Visit a subscript, but not the index of a type such as `list[int]`."""
        self.visit(node.value)
        if not (isinstance(node.value, ast.Name) and node.value.id[:1].isupper()):
            self.visit(node.slice)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Look for SQL in an f-string; before Python 3.12, its parts have no positions of their own."""
        self._sql(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Increase a number by one, negate a truth value, or change SQL or a text that is meant for programs."""
        value = node.value
        if isinstance(value, bool):
            self._add(node, str(not value))
        elif isinstance(value, int | float):
            self._add(node, f"({value} + 1)")
        elif isinstance(value, str) and _STATEMENT.search(value):
            self._sql(node)
        elif isinstance(value, str) and _CODE.fullmatch(value):
            self._add(node, f"{value + '_x'!r}")

    def _sql(self, node: ast.expr) -> None:
        text = self._text(node)
        if not _STATEMENT.search(text):
            return
        for pattern, other in SQL:
            for found in re.finditer(pattern, text):
                start = self._start(node) + len(text[: found.start()].encode())
                line = node.lineno + text.count("\n", 0, found.start())
                self._note(line, start, found[0], other)

    def _condition(self, test: ast.expr) -> None:
        """Negate a condition that no other change negates."""
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
            self._replace(test, ast.UnaryOp(ast.Not(), test))

    # Notes

    def _replace(self, node: ast.AST, other: ast.AST) -> None:
        text = ast.unparse(other)
        self._add(node, text if isinstance(node, ast.stmt) else f"({text})")

    def _add(self, node: ast.AST, after: str) -> None:
        assert isinstance(node, ast.expr | ast.stmt)
        self._note(node.lineno, self._start(node), self._text(node), after)

    def _note(self, line: int, start: int, before: str, after: str) -> None:
        where = ".".join(self._around)
        name = None if self._depth else (self._name or (self._around[0] if self._around else None))
        self.found.append(Mutant(self._path, line, self._lines, where, name, start, before, after))

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _text(self, node: ast.expr | ast.stmt) -> str:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        end = self._starts[node.end_lineno - 1] + node.end_col_offset
        return self._source[self._start(node) : end].decode()


def _with(node: ast.AST, **changes: object) -> ast.AST:
    other = copy(node)
    for name, value in changes.items():
        setattr(other, name, value)
    return other


def bound(node: ast.stmt) -> str:
    """Return the names that a statement binds, separated by spaces."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return " ".join(names)


def _is_joined(node: ast.expr) -> bool:
    kinds = ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp | ast.Dict
    return isinstance(node, kinds) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _is_log(node: ast.expr) -> bool:
    call = node.func if isinstance(node, ast.Call) else None
    if not isinstance(call, ast.Attribute) or call.attr not in _LOG_METHODS:
        return False
    return isinstance(call.value, ast.Name) and call.value.id in _LOGS
