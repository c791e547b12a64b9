"""Rules are read as they are meant, and what is no rule is refused without being quoted or run."""

from __future__ import annotations

import contextlib
import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import Unsupported
from shoal.schema.masks import Mask, masked
from shoal.schema.rules import All, Any, Compared, Holds, Listed, Missing, Not, Rule, RuleError, columns_of, parse


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("age_private", Holds("age_private")),
        (" `age private?` ", Holds("age private?")),
        ("größe<1.5", Compared("größe", "<", 1.5)),
        ("age<-5", Compared("age", "<", -5)),
        ("marital-status == 'it''s'", Compared("marital-status", "==", "it's")),
        ("job != \"a 'b'\"", Compared("job", "!=", "a 'b'")),
        ("vip == true", Compared("vip", "==", True)),
        ("x in [1, 2e3]", Listed("x", (1, 2000.0))),
        ("x not in ['a']", Not(Listed("x", ("a",)))),
        ("x is missing", Missing("x")),
        ("x is not missing", Not(Missing("x"))),
        ("not a and b or c", Any((All((Not(Holds("a")), Holds("b"))), Holds("c")))),
        ("not (a or b and c)", Not(Any((Holds("a"), All((Holds("b"), Holds("c"))))))),
    ],
)
def test_rules(text: str, rule: Rule) -> None:
    assert parse(text) == rule


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "1"),
        ("age private", "5"),
        ("age <", "6"),
        ("18 < age", "1"),
        ("age = 18", "4"),
        ("age < secret", "7"),
        ("age < 18 18", "10"),
        ("x in []", "7"),
        ("x in [1", "8"),
        ("(a", "3"),
        ("a)", "2"),
        ("and", "1"),
        ("a & b", "2"),
        ("__import__('os')", "11"),
        ("a == 'secret", "5"),
        ("a is secret", "6"),
        ("a == 1secret", "5"),
    ],
)
def test_what_is_no_rule(text: str, place: str) -> None:
    with pytest.raises(RuleError, match=rf"character {place}\b") as caught:
        parse(text)
    assert "secret" not in str(caught.value)


def test_a_rule_that_is_nested_too_deeply() -> None:
    with pytest.raises(RuleError, match="too deeply"):
        parse("(" * 5_000 + "a" + ")" * 5_000)


@given(st.text(max_size=20))
def test_any_text_is_a_rule_or_refused(text: str) -> None:
    with contextlib.suppress(RuleError):
        assert columns_of(parse(text))


def test_columns_of_a_rule() -> None:
    assert columns_of(parse("not (a or b in [1]) and `c d` is missing or a < 2")) == {"a", "b", "c d"}
    assert Mask(("x", "y")).columns("job") == {"job"}
    assert Mask("not a rule").columns("job") == frozenset()


def test_what_is_shown_of_a_mask_holds_no_value() -> None:
    schema = shoal.Schema(
        semi_sensitive={
            "age": "age_private",
            "job": masked(["secret"], disclose_rule=True),
            "ill": masked("ill == 'secret'", shoal.numeric(top=5), cover=0.2),
        }
    )
    assert "secret" not in repr(schema) + repr(schema.columns())
    assert "masked('age_private')" in repr(schema)
    assert "cover=0.2, how=numeric(top=5)" in repr(schema)


def test_masks_with_values_do_not_travel() -> None:
    ticked = shoal.Schema(semi_sensitive={"age": masked("age_private", cover=0.1)})
    assert pickle.loads(pickle.dumps(ticked)) == ticked
    for who in (["secret"], "age == 'secret'"):
        schema = shoal.Schema(semi_sensitive={"age": masked(who)})
        assert copy.deepcopy(schema.columns()) == schema.columns()
        with pytest.raises(Unsupported, match="not pickled"):
            pickle.dumps(schema)
