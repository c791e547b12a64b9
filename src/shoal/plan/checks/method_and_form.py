"""Whether the method and the form are known, can keep what is asked, and go together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from shoal.errors import Problem
from shoal.plan.checks.known import Known
from shoal.plan.forms import FORMS, Buckets, Form, Randomized
from shoal.plan.methods import METHODS, Method, Promise
from shoal.plan.options import options_of
from shoal.plan.plan import Decisions
from shoal.plan.spelling import also, did_you_mean
from shoal.plan.values import is_number
from shoal.privacy.requirements import KAnonymity, LDiversity, Requirement, Size, TCloseness


def of_method_and_form(plan: Decisions, known: Known) -> Iterator[Problem]:
    problems = [
        *_of_options("method", plan.method, tuple(METHODS.values()), "a method, such as shoal.Mondrian()"),
        *_of_options("publish", plan.form, tuple(FORMS.values()), "a form, such as shoal.Generalized()"),
    ]
    yield from problems
    if not problems and not known.is_wrong("method") and not known.is_wrong("publish"):
        yield from _of_promises(plan.method, plan.form, plan.require)
        yield from _of_separated(plan.form, known)
        yield from _of_retention(plan.form, plan.require)
        yield from _of_semi_sensitive(plan.method, known)
        if isinstance(plan.form, Buckets):
            yield from _of_buckets(plan.require, known)


def _of_options(section: str, held: object, kinds: tuple[type, ...], expected: str) -> Iterator[Problem]:
    if not isinstance(held, kinds):
        yield Problem(section, f"expected {expected}")
        return
    for key, option in options_of(type(held)).items():
        value = getattr(held, key)
        if not option.allows(value):
            yield Problem(f"{section}.{key}", f"expected {option.expected}{also(did_you_mean(value, option.words))}")


def _of_promises(method: Method, form: Form, require: object) -> Iterator[Problem]:
    card = method.card
    if form.name not in card.forms:
        yield Problem("publish.form", f"{card.name} can be shown as {', '.join(card.forms)}, not as {form.name}")
    asked = [r for r in require if isinstance(r, Requirement)] if isinstance(require, tuple) else []
    for promise in dict.fromkeys(_promise_of(requirement) for requirement in asked):
        if promise not in form.promises:
            able = [name for name, other in FORMS.items() if promise in other.promises]
            yield Problem(
                "publish.form", f"the form {form.name} cannot promise {promise}; these can: {', '.join(able)}"
            )
        if promise not in card.promises:
            able = [name for name, other in METHODS.items() if promise in other.card.promises]
            yield Problem(
                "method.name", f"the method {card.name} cannot promise {promise}; these can: {', '.join(able)}"
            )


def _of_separated(form: Form, known: Known) -> Iterator[Problem]:
    """Forms that take sensitive columns apart from the others need some; in tables, each with a file of its own."""
    if not form.adds or isinstance(form, Buckets):
        return
    if not known.sensitive and not known.unsure:
        says = f"the form {form.name} hides which sensitive value is whose, and the plan has no sensitive column"
        yield Problem("publish.form", says)
    if "count" not in form.adds:
        return
    times = Counter(name.casefold() for name in known.sensitive)
    alike = [name for name in known.sensitive if times[name.casefold()] > 1]
    if alike:
        says = f"the tables of {', '.join(alike)} would be one file where case makes no difference: rename one"
        yield Problem("publish.form", says)


def _of_retention(form: Form, require: object) -> Iterator[Problem]:
    """What is known of any table: the larger the retention, the smaller the l that even a large class can keep."""
    asked = [r for r in require if isinstance(r, LDiversity)] if isinstance(require, tuple) else []
    if not isinstance(form, Randomized) or not asked:
        return
    if any(requirement.kind != "frequency" for requirement in asked):
        says = (
            f"the form {form.name} promises l by frequency alone: what its bound speaks of is the belief in one value"
        )
        yield Problem("publish.form", says)
    l = max((r.l for r in asked if is_number(r.l)), default=0)
    if form.retention * (l + 1) >= 1:
        says = f"no class keeps l = {l:g} with it, however large: expected less than 1 / (l + 1) = {1 / (l + 1):.4g}"
        yield Problem("publish.retention", says)


def _of_semi_sensitive(method: Method, known: Known) -> Iterator[Problem]:
    """Columns that are sensitive for some of the people need a method that takes them."""
    if method.card.semi_sensitive:
        return
    able = ", ".join(name for name, other in METHODS.items() if other.card.semi_sensitive)
    for name, role in known.roles.items():
        if role == "semi-sensitive":
            yield Problem(
                f"columns.{name}",
                f"semi-sensitive columns are taken by the method {able}, and not by {method.card.name}: choose it "
                f'([method] name = "{able}"), or make the column sensitive, or quasi-identifying',
            )


def _of_buckets(require: object, known: Known) -> Iterator[Problem]:
    """What makes a bucket: l by frequency, or t, for each column that has any."""
    asked = [r for r in require if isinstance(r, LDiversity | TCloseness)] if isinstance(require, tuple) else []
    for requirement in asked:
        if isinstance(requirement, LDiversity) and requirement.kind != "frequency":
            key = "require.l" if requirement.on is None else f"require.l.{requirement.on}"
            yield Problem(f"{key}.kind", "the form buckets keeps l by frequency only: leave kind out")
    named = {requirement.on for requirement in asked}
    without = [name for name in known.sensitive if None not in named and name not in named]
    if without and not known.is_wrong("require"):
        says = f"values are hidden in buckets by l or t, and none is asked of {', '.join(without)}: ask one of each"
        yield Problem("require", says)


def _promise_of(requirement: Requirement) -> Promise:
    """The letter by which forms and methods name what they can promise."""
    match requirement:
        case KAnonymity():
            return "k"
        case Size():
            return "size"
        case LDiversity():
            return "l"
        case TCloseness():
            return "t"
