"""The data dictionary that goes with a release, for people who open it in R, pandas or SQL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shoal.release.manifest import Layout, Manifest, Promise, PublishedColumn


def text(manifest: Manifest) -> str:
    """The README.txt of a release; made from its manifest alone."""
    lines = [
        "ABOUT THIS RELEASE",
        "",
        *_wrapped(
            f"These tables were made by Shoal {manifest.shoal} from personal records so that nobody stands out. "
            f"{manifest.records} records are published; {manifest.suppressed} were left out."
        ),
        "",
        f"Tables: {', '.join(manifest.tables)}. Missing values are null (empty in CSV).",
        *_wrapped(_TABLES.get(manifest.form, "")),
        *_layouts(manifest.layouts),
        "",
        "WHAT IS PROMISED",
        "",
        *(f"  - {_promise(promise, manifest.form)}" for promise in manifest.require),
        "",
        *_wrapped(_CLASSES.get(manifest.form, _LIKE)),
        "",
        "COLUMNS",
        "",
        *(line for column in manifest.columns for line in _column(column)),
        "",
        "WHAT IS NOT PROMISED",
        "",
        *_wrapped(
            f"{_OPEN.get(manifest.form, _KNOWN)} A promise holds for this one release of these people: together with "
            "another release of the same people, or with knowledge of single members, more can be learned. That a "
            "person is in the table at all may be seen from it. Whoever knows the sensitive values of all others in a "
            "class knows the last one."
        ),
        "",
    ]
    return "\n".join(lines)


#: What has a least size, and what sensitive values are counted in, where that is not the class.
_SIZED = {"slices": "bucket"}
_COUNTED = {"buckets": "bucket"}

_LIKE = "A class is the group of all records with the same quasi-identifying columns."
_KNOWN = (
    "Insensitive columns are published as they are: somebody who knows one of them can tell records of a class apart."
)

#: What is in which table, and what its rows say.
_TABLES = {
    "slices": "The columns are divided into slices. Within a bucket the rows of each slice stand in an order of their "
    "own, by lot: what stands in one row belongs together within a slice, else only as far as the bucket goes.",
    "randomized": "In release each record has a row. A sensitive column shows the record's own value with the chance "
    "that the manifest calls retention, and else one drawn from the different values of the class, all of them alike "
    "likely, its own among them. Each table whose name begins with sat_ says of one sensitive column which values the "
    "records of a class have in truth, and how often.",
    "anatomy": "In qit each record has a row, with all columns but the sensitive ones. Each table whose name begins "
    "with sat_ says of one sensitive column which values occur in a class, and how often. The class joins them: which "
    "of its records has which of its values is not said, nor which values of two sensitive columns belong together.",
}

_NUMBERED = "The numbers were given by lot and mean nothing else."

#: What a class is.
_CLASSES = {
    "slices": "A bucket is the group of all rows with the same number in the column bucket; where quasi-identifying "
    "columns stand in the slice of a sensitive one, a class is the group of those rows of a bucket that agree in them "
    f"too. {_NUMBERED}",
    "randomized": "A class is the group of all records with the same number in the column class. What is reached of l "
    "is one over the strongest belief in anybody's value that the tables can leave, whatever values are shown: "
    f"it takes account of the shown values of all records of the class. {_NUMBERED}",
    "anatomy": f"A class is the group of all records with the same number in the column class. {_NUMBERED}",
    "buckets": "A class is the group of all records with the same number in the column class. A bucket is the group of "
    "all records with the same number in a column whose name ends in _bucket; each column has buckets of its own. "
    f"{_NUMBERED}",
}

#: What the form itself leaves open.
_EXACT = (
    "Quasi-identifying and insensitive columns are published as they are: who is in the table, and with which of them, "
    "is not hidden. Sensitive values are hidden among those of the class, and nothing else is."
)
_OPEN = {
    "anatomy": _EXACT,
    "slices": f"{_EXACT} In slices that hold a sensitive column, some quasi-identifiers may be shown coarser.",
    "randomized": f"{_EXACT} Two releases of the same people with fresh randomness tell more than either.",
    "buckets": "A value in a bucket stands beside a record by chance: it is that of some record of the same bucket, of "
    "none in particular, and values of two columns in buckets do not belong together. That a column is in buckets for "
    "a record may mean that the person asked for it. Insensitive columns are published as they are: somebody who knows "
    "one of them can tell records of a class apart.",
}

#: As many ways of dividing the columns are told here; the manifest has all.
_TOLD = 20


def _layouts(layouts: Sequence[Layout]) -> Iterator[str]:
    """Which columns stand together, in which buckets."""
    for layout in layouts[:_TOLD]:
        slices = " | ".join(", ".join(names) for names in layout.slices)
        yield from _wrapped(f"Slices of the buckets {layout.first} to {layout.last}: {slices}.")
    if len(layouts) > _TOLD:
        yield "The slices of the other buckets stand in the manifest, under layouts."


def _wrapped(sentence: str) -> list[str]:
    import textwrap

    return textwrap.wrap(sentence, 96)


def _promise(promise: Promise, form: str) -> str:
    on = f" of {promise.on}" if promise.on else ""
    least = "" if promise.reached is None else f" (reached: {promise.reached:.6g})"
    sized, counted = _SIZED.get(form, "class"), _COUNTED.get(form, "class")
    match promise.kind:
        case "k":
            return f"k-anonymity: each class holds at least {promise.asked:g} people{least}"
        case "size":
            return f"each {sized} holds at least {promise.asked:g} records{least}"
        case "l":
            kind = promise.diversity if promise.c is None else f"recursive, c = {promise.c:g}"
            return (
                f"l-diversity ({kind}): the values{on} in each {counted} are at least {promise.asked:g}-diverse{least}"
            )
        case "t":
            return (
                f"t-closeness ({promise.distance} distance): the values{on} in each {counted} are distributed as in "
                f"the whole table, up to {promise.asked:g}{least}"
            )


def _column(column: PublishedColumn) -> Iterator[str]:
    types = dict(zip(column.columns, column.types, strict=False))
    names = ", ".join(f"{name} ({types[name]})" if name in types else name for name in column.columns)
    yield f"  {names}"
    role = "added by the form" if column.role == "added" else column.role
    says = f"{_SHOWN[column.shown]}{_PERSONAL if column.role == 'semi-sensitive' else ''}"
    for line in _wrapped(f"{role}; {says}{_limits(column)}"):
        yield f"      {line}"


_SHOWN = {
    "value": "as it was recorded.",
    "randomized": "the record's own value, or one drawn from those of its class. How often the class has each value "
    "stands in a table of its own.",
    "class": "the number of the record's class.",
    "bucket": "the number of the row's bucket.",
    "count": "how many records of the class have this value.",
    "bounds": "the smallest and the largest value of the record's class, both included. A column ending in _missing "
    "says whether none, some or all records of the class have no value.",
    "interval": "the smallest and the largest value of the record's class, both included, or the one value that all "
    "have.",
    "node": "the value itself, or the category that covers all values of the record's class; the topmost category "
    "covers missing values too.",
    "centre": "the mean of the known values of the record's class, or for categories the commonest value; single "
    "records may have other values.",
    "bucketized": "the value of some record of the same bucket, and the number of the bucket.",
    "set": "the value itself, or in braces all values that occur in the record's class.",
}

#: Of columns that are sensitive for some people only.
_PERSONAL = (
    " That is so where the class may be told so much. For people who hold it sensitive, and some others, the last two "
    "columns have the value of some record of the same bucket, and the number of the bucket. Where a class shows "
    "neither (nothing, or * for a category), nothing is said."
)


def _limits(column: PublishedColumn) -> str:
    said = []
    if column.bottom is not None:
        said.append(f" {column.bottom:g} stands for {column.bottom:g} or less.")
    if column.top is not None:
        said.append(f" {column.top:g} stands for {column.top:g} or more.")
    if column.step is not None:
        said.append(f" Ends are rounded outward to multiples of {column.step:g}.")
    return "".join(said)
