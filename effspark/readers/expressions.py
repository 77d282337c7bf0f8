"""What is a field worth that no single column holds? Expressions of a mapping, evaluated on one record.

    usage.completion_tokens - usage.reasoning_tokens if model != "o1" else None

Columns are names, nested JSON fields are reached by a dot; `column("a name")` reaches any other. Null goes
through arithmetic and order comparisons as in SQL, so that it never becomes 0 by an expression. A text is never
equal to a number: comparing the two is a fault, since in a CSV file all cells are texts. Evaluation is that of
simpleeval, with no attribute of any Python object in reach.
"""

from __future__ import annotations

import ast
import re
import reprlib
from collections.abc import Iterator, Mapping
from typing import Any

import simpleeval

from effspark.errors import LogError, problem
from effspark.readers.cells import Row, lookup
from effspark.readers.functions import FUNCTIONS, OPERATORS

_OTHER_NAMES = "a column that is no plain name is written column('…')"
_COMPARED = "values are compared with =="
_TEXT = re.compile(r"'[^']*'|\"[^\"]*\"")
_ASSIGNED = re.compile(r"(?<![=!<>])=(?!=)")
_FAULTS = (TypeError, ValueError, ArithmeticError, RecursionError)
"""What functions and operators raise at values that they cannot take."""
_SHORT = reprlib.Repr()
_SHORT.maxdict, _SHORT.maxstring, _SHORT.maxlong, _SHORT.maxother = 20, 200, 200, 200
_NODES = (
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Call, ast.Tuple,
    ast.List, ast.IfExp, ast.UnaryOp, ast.USub, ast.Not, ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.BinOp,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn,
)  # fmt: skip


def faults(source: str) -> list[str]:
    """What makes an expression unusable, before any record is seen.

    >>> faults("open('x') + y")
    ['unknown function open; allowed: abs, boolean, coalesce, column, digest, epoch_milliseconds, epoch_seconds, \
json, len, lower, max, min, number, round, seconds_between, split, text, timestamp, whole']
    >>> faults("a +")
    ["not an expression: invalid syntax; a column that is no plain name is written column('…')"]
    >>> faults("set = 'test'")[0].split("; ")[1]
    'values are compared with =='
    """
    try:
        tree = ast.parse(source.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        hint = _COMPARED if _ASSIGNED.search(_TEXT.sub("", source)) else _OTHER_NAMES
        return [f"not an expression: {getattr(error, 'msg', error)}; {hint}"]
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            found.append(f"{type(node).__name__} is not allowed in an expression")
        elif isinstance(node, ast.Call):
            found += _call_faults(node)
    return found


class Expression:
    """A checked expression.

    >>> Expression("usage.out - coalesce(usage.hidden, 0)").value({"usage": {"out": 9, "hidden": 4}})
    5
    >>> Expression("number(seconds) / 2").value({"seconds": None}) is None
    True
    >>> sorted(Expression("usage.out + column('a b') + items[0].n").columns)
    ['a b', 'items', 'usage.out']
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._tree = ast.parse(source.strip(), mode="eval").body
        self.columns = frozenset(_columns(self._tree))
        self._row: Row = {}
        functions = {**FUNCTIONS, "column": self._column}
        self._evaluator = simpleeval.EvalWithCompoundTypes(
            operators=OPERATORS, functions=functions, names=self._name
        )
        self._evaluator.nodes[ast.Attribute] = self._attribute
        self._evaluator.nodes[ast.Subscript] = self._subscript

    def value(self, row: Row) -> Any:
        """Value for one record.

        Raises
        ------
        LogError
            The record holds values that the expression cannot take.
        """
        self._row = row
        try:
            return self._evaluator.eval(self.source, previously_parsed=self._tree)
        except (*_FAULTS, simpleeval.InvalidExpression, LogError) as error:
            shown = _SHORT.repr({name: lookup(row, name) for name in sorted(self.columns)})
            raise LogError(
                problem(
                    "an expression cannot be evaluated",
                    where=f"expression {self.source}",
                    found=f"{str(error).removesuffix('.')}, with {shown:.200}",
                    allowed="values that the expression takes; cells of a CSV file are texts",
                    remedy="mend the log, or use number(…), text(…), boolean(…) in the mapping",
                )
            ) from error

    def _name(self, node: ast.Name) -> Any:
        return self._row.get(node.id)

    def _column(self, name: str) -> Any:
        return lookup(self._row, name)

    def _attribute(self, node: ast.Attribute) -> Any:
        path = _path(node)
        if path is not None:
            return lookup(self._row, path)
        found = self._evaluator._eval(node.value)
        return found.get(node.attr) if isinstance(found, Mapping) else None

    def _subscript(self, node: ast.Subscript) -> Any:
        found, place = self._evaluator._eval(node.value), self._evaluator._eval(node.slice)
        if isinstance(found, Mapping):
            return found.get(place)
        if isinstance(found, (list, tuple)) and isinstance(place, int):
            return found[place] if -len(found) <= place < len(found) else None
        return None


def _path(node: ast.expr) -> str | None:
    """Dotted path that a chain of attributes spells, null where it begins with anything but a name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _path(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return None


def _columns(node: ast.AST) -> Iterator[str]:
    path = _path(node) if isinstance(node, ast.expr) else None
    if path is not None:
        yield path
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "column" and isinstance(node.args[0], ast.Constant):
            yield str(node.args[0].value)
        for argument in node.args:
            yield from _columns(argument)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _columns(child)


def _call_faults(node: ast.Call) -> list[str]:
    names = sorted([*FUNCTIONS, "column"])
    if not isinstance(node.func, ast.Name) or node.func.id not in names:
        return [f"unknown function {ast.unparse(node.func)}; allowed: {', '.join(names)}"]
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return [f"{node.func.id}: only plain arguments are allowed"]
    if node.func.id == "column" and not (
        len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    ):
        return ["column: allowed is one name in quotes"]
    return []
