"""Rules that say whose value is sensitive, as a plan writes them: ``age < 18 or ward in ['psychiatry']``.

A rule compares columns with values, or names a column of true and false; ``and``, ``or``, ``not`` and parentheses join
rules. Names that hold other characters than letters, digits, ``-`` and ``_`` stand in backticks. A rule is looked at
and never run as a program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

__all__ = ["All", "Any", "Compared", "Holds", "Listed", "Missing", "Not", "Rule", "RuleError", "Value", "parse"]

Value = str | int | float | bool | date
Operator = Literal["<", "<=", ">", ">=", "==", "!="]


@dataclass(frozen=True)
class Holds:
    """The column says true."""

    column: str


@dataclass(frozen=True)
class Missing:
    """The column has no value."""

    column: str


@dataclass(frozen=True)
class Compared:
    """The column's value beside another."""

    column: str
    by: Operator
    value: Value


@dataclass(frozen=True)
class Listed:
    """The column's value is one of these."""

    column: str
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Not:
    """The rule does not hold."""

    rule: Rule


@dataclass(frozen=True)
class All:
    """Each of these rules holds."""

    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Any:
    """One of these rules holds, or several."""

    rules: tuple[Rule, ...]


Rule = Holds | Missing | Compared | Listed | Not | All | Any


def columns_of(rule: Rule) -> frozenset[str]:
    """The columns that a rule speaks of."""
    match rule:
        case Not(inner):
            return columns_of(inner)
        case All(rules) | Any(rules):
            return frozenset[str]().union(*map(columns_of, rules))
    return frozenset({rule.column})


class RuleError(ValueError):
    """A text that is no rule; says from which character on, and quotes nothing of it."""


#: A name in backticks, a text in quotes (a quote within it is doubled), a number, a sign, a bare name.
_TOKEN = re.compile(
    r"\s*(?:`(?P<quoted>[^`]+)`|(?P<text>'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")"
    r"|(?P<number>-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\w-])"
    r"|(?P<sign><=|>=|==|!=|[<>()\[\],])|(?P<word>[^\W\d][\w-]*))"
)
_WORDS = ("and", "or", "not", "in", "is", "missing", "true", "false")
_OPERATORS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True)
class _Token:
    kind: str  # name, value, or the sign or word itself
    value: Value
    at: int


def parse(text: str) -> Rule:
    """The rule in a text."""
    try:
        return _Parsing(list(_tokens(text)), len(text)).whole()
    except RecursionError:
        raise RuleError("is nested too deeply") from None


def _tokens(text: str) -> Iterator[_Token]:
    end = 0
    while text[end:].strip():
        found = _TOKEN.match(text, end)
        if found is None:
            raise RuleError(f"cannot be read from character {end + 1} on: is a name to stand in backticks?")
        kind, written, at = str(found.lastgroup), str(found[str(found.lastgroup)]), found.start(str(found.lastgroup))
        end = found.end()
        match kind:
            case "quoted":
                yield _Token("name", written, at)
            case "text":
                yield _Token("value", written[1:-1].replace(written[0] * 2, written[0]), at)
            case "number":
                whole = written.lstrip("-").isdigit()
                yield _Token("value", int(written) if whole else float(written), at)
            case "word" if written in ("true", "false"):
                yield _Token("value", written == "true", at)
            case "word" if written not in _WORDS:
                yield _Token("name", written, at)
            case _:
                yield _Token(written, written, at)


class _Parsing:
    """One pass over the parts of a text, one function for each thing that a rule may be."""

    def __init__(self, tokens: list[_Token], length: int) -> None:
        self.tokens = [*tokens, _Token("the end", "", length)]
        self.place = 0

    def whole(self) -> Rule:
        found = self._any()
        self._take("the end", expected="and, or, or the end (a name with blanks stands in backticks)")
        return found

    def _next(self, *kinds: str) -> bool:
        return self.tokens[self.place].kind in kinds

    def _take(self, *kinds: str, expected: str = "") -> _Token:
        token = self.tokens[self.place]
        if token.kind not in kinds:
            raise RuleError(f"expected {expected or ' or '.join(kinds)} at character {token.at + 1}")
        self.place += 1
        return token

    def _any(self) -> Rule:
        rules = [self._all()]
        while self._next("or"):
            self._take("or")
            rules.append(self._all())
        return rules[0] if len(rules) == 1 else Any(tuple(rules))

    def _all(self) -> Rule:
        rules = [self._one()]
        while self._next("and"):
            self._take("and")
            rules.append(self._one())
        return rules[0] if len(rules) == 1 else All(tuple(rules))

    def _one(self) -> Rule:
        if self._next("not"):
            self._take("not")
            return Not(self._one())
        if self._next("("):
            self._take("(")
            found = self._any()
            self._take(")", expected="and, or, or )")
            return found
        return self._about(str(self._take("name", expected="the name of a column").value))

    def _about(self, column: str) -> Rule:
        """What is said of a column."""
        if self._next(*_OPERATORS):
            operator: Operator = self._take(*_OPERATORS).kind  # type: ignore[assignment]
            return Compared(column, operator, self._take("value", expected="a number, or a text in quotes").value)
        if self._next("is"):
            self._take("is")
            negated = self._next("not") and bool(self._take("not"))
            self._take("missing")
            return Not(Missing(column)) if negated else Missing(column)
        if self._next("not", "in"):
            negated = self._next("not") and bool(self._take("not"))
            self._take("in")
            listed = Listed(column, tuple(self._values()))
            return Not(listed) if negated else listed
        return Holds(column)

    def _values(self) -> Iterator[Value]:
        self._take("[")
        yield self._take("value", expected="a number, or a text in quotes").value
        while self._next(","):
            self._take(",")
            yield self._take("value", expected="a number, or a text in quotes").value
        self._take("]", expected=", or ]")
