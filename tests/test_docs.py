"""The documentation is run, so that what it shows is what happens.

Every page (README.md and all below docs/) gets a fresh folder, in which its blocks run from top to bottom;
how a page is written is said in CONTRIBUTING.md. Each relative link has to lead somewhere.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt

ROOT = pathlib.Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SECONDS = 300  # a command that takes longer hangs

DIRECTION = re.compile(r"\s*<!--\s*(file|skip):\s*(.+?)\s*-->\s*")
EXIT_STATUS = re.compile(r"\s{2}# exits (\d+)$")


class Wrong(AssertionError):
    """What a page says is not what happened; the message names the page and the line."""


@dataclasses.dataclass(frozen=True)
class Block:
    """A fenced block, the line where its text starts, and what a comment before it asks for."""

    language: str
    text: str
    line: int
    file: str | None = None
    skipped: bool = False


@dataclasses.dataclass(frozen=True)
class Command:
    text: str
    expected: str
    status: int
    line: int


def blocks(page: str) -> Iterator[Block]:
    file, skipped = None, False
    for token in MarkdownIt("commonmark").parse(page):
        if token.type == "html_block" and (direction := DIRECTION.fullmatch(token.content)):
            kind, words = direction.groups()
            file, skipped = (words, False) if kind == "file" else (None, True)
        elif token.type == "fence":
            line = token.map[0] + 2 if token.map else 0
            language = token.info.split()[0] if token.info.strip() else ""
            yield Block(language, token.content, line, file, skipped)
            file, skipped = None, False
        else:
            file, skipped = None, False


def commands(block: Block) -> Iterator[Command]:
    """A console block's commands: `$ ` starts one, `> ` carries it on, other lines are what it prints."""
    lines = block.text.splitlines()
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    if not starts or starts[0] != 0:
        raise Wrong(f"line {block.line}: a console block starts with a command, `$ …`")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        typed = [lines[start]]
        while start + len(typed) < end and lines[start + len(typed)].startswith("> "):
            typed.append(lines[start + len(typed)])
        text = "\n".join(line[2:] for line in typed)
        found = EXIT_STATUS.search(text)
        expected = "\n".join(lines[start + len(typed) : end])
        yield Command(text, expected, int(found[1]) if found else 0, block.line + start)


def agrees(expected: str, printed: str) -> bool:
    """Line for line, but for blanks at line ends; `...` is anything: nothing, words, or whole lines."""
    if not expected.strip():
        return True
    wanted, got = ("\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (expected, printed))
    return re.fullmatch(".*?".join(map(re.escape, wanted.split("..."))), got, re.DOTALL) is not None


def environment() -> dict[str, str]:
    scripts = str(pathlib.Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)])
    kept = {name: value for name, value in os.environ.items() if name not in {"FORCE_COLOR", "CI"}}
    return kept | {"PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}


def run_command(command: Command, folder: pathlib.Path) -> None:
    done = subprocess.run(
        ["bash", "-c", command.text],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )
    said = f"line {command.line}: $ {command.text}\n"
    if done.returncode != command.status:
        raise Wrong(f"{said}exits {done.returncode}, not {command.status}, and prints:\n{done.stdout}")
    if not agrees(command.expected, done.stdout):
        raise Wrong(f"{said}should print:\n{command.expected}\nbut prints:\n{done.stdout}")


def run_block(block: Block, folder: pathlib.Path, names: dict[str, Any], source: str) -> None:
    if block.skipped:
        return
    if block.file is not None:
        file = (folder / block.file).resolve()
        if not file.is_relative_to(folder.resolve()):
            raise Wrong(f"line {block.line}: {block.file} is outside the page's folder")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text, encoding="utf-8", newline="\n")
    elif block.language == "console":
        for command in commands(block):
            if command.text.split()[0] != "make":
                run_command(command, folder)
    elif block.language == "python":
        # Blank lines in front, so that a traceback names the page's own line.
        exec(compile("\n" * (block.line - 1) + block.text, source, "exec"), names)


def run_page(page: str, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, source: str = "page") -> None:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        run_block(block, folder, names, source)


def links(page: str) -> Iterator[str]:
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        for child in token.children or ():
            target = child.attrGet("href") or child.attrGet("src")
            if isinstance(target, str):
                yield target


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.relative_to(ROOT)))
def test_page(file: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = file.read_text(encoding="utf-8")
    for link in links(page):
        parts = urlsplit(link)
        if not parts.scheme and parts.path:
            assert (file.parent / unquote(parts.path)).exists(), f"{file.name} links to {link}: not there"
    run_page(page, tmp_path, monkeypatch, str(file))


# The runner itself: a page that says something untrue must fail.

TRUE = """
Words, and ordinary code: `x`.

<!-- file: notes/plan.toml -->
```toml
k = 5
```

```console
$ cat notes/plan.toml
k = 5
$ echo one; echo two; echo three
one
...
three
$ exit 3  # exits 3
$ echo a \\
> b
a b
$ make nothing
```

```python
import pathlib
text = pathlib.Path("notes/plan.toml").read_text()
```

1. In a list, and what an earlier block named:

   ```python
   assert text == "k = 5\\n"
   ```

<!-- skip: needs a cluster -->
```python
raise SystemExit
```

```toml
shown = "only"
```
"""


def test_a_true_page_passes(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(TRUE, tmp_path, monkeypatch)
    assert (tmp_path / "notes" / "plan.toml").read_text() == "k = 5\n"


@pytest.mark.parametrize(
    "page",
    [
        "```console\n$ echo one\ntwo\n```",
        "```console\n$ echo one; echo two\none\n```",
        "```console\n$ echo one\n...two\n```",
        "```console\n$ false\n```",
        "```console\n$ true  # exits 1\n```",
        "```console\n$ true\n$ exit 3  # exits 2\n```",
        "```console\nno command\n```",
        "```python\nassert 1 == 2\n```",
        "1. In a list\n\n   ```python\n   assert 1 == 2\n   ```",
        "<!-- skip: this one -->\n```python\n1\n```\n\n```python\nassert 1 == 2\n```",
        "<!-- file: ../up.toml -->\n```toml\n```",
        "<!-- file: far.toml -->\n\nWords between.\n\n```toml\n```\n\n```console\n$ cat far.toml\n```",
    ],
)
def test_an_untrue_page_fails(page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError):
        run_page(page, tmp_path, monkeypatch)


def test_an_error_names_the_line_of_the_page(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Wrong, match="line 4: "):
        run_page("Words.\n\n```console\n$ false\n```", tmp_path, monkeypatch)
    with pytest.raises(ZeroDivisionError) as raised:
        run_page("Words.\n\n```python\na = 1\na / 0\n```", tmp_path, monkeypatch)
    assert raised.traceback[-1].lineno + 1 == 5


def test_links_are_found_in_text_tables_and_images() -> None:
    page = "[a](x.md#y)\n\n| b |\n| - |\n| [c](z.md) |\n\n![d](p.png)"
    assert list(links(page)) == ["x.md#y", "z.md", "p.png"]
