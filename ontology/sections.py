"""Strict parser for the blocks of YAML files that a person writes, such as ``surgqa.yaml``.

Every error names file and line, what was expected, and the nearest known word.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from string import Formatter
from typing import Any, NoReturn

from surgqa.ontology.errors import FieldInvalid, UserError, YamlInvalid
from surgqa.ontology.files import read_text
from surgqa.ontology.yaml import YamlText, read_yaml


@dataclass(frozen=True, slots=True)
class Section:
    """One block of ``key: value`` lines.

    Attributes:
        path: keys that lead to the block, () for the whole file.
    """

    text: YamlText
    file: str
    path: tuple[Any, ...]
    data: Mapping[str, Any]

    def where(self, *keys: Any) -> str:
        """Return ``file:line`` of a key of this block."""
        return f"{self.file}:{self.text.line((*self.path, *keys))}"

    def wrong(
        self,
        key: Any,
        expected: str,
        *,
        summary: str = "",
        found: Any = None,
        fix: str | None = None,
    ) -> NoReturn:
        """Raise the error of one key.

        Raises:
            UserError: always.
        """
        name = ".".join(map(str, (*self.path, key)))
        value = self.data.get(key) if found is None else found
        raise FieldInvalid(
            summary or f"bad {name}",
            expected=expected,
            found=value if isinstance(value, str) else repr(value),
            where=self.where(key),
            fix=fix or f"correct {name}",
        )

    def closed(self, known: Sequence[str], needed: Sequence[str] = ()) -> Section:
        """Raise an error for unknown keys, and for missing keys that are needed."""
        for key in self.data:
            if key not in known:
                self.unknown(key, known)
        missing = [key for key in needed if key not in self.data]
        if missing:
            name = ".".join(map(str, self.path)) or self.file
            raise FieldInvalid(
                f"{name} lacks {', '.join(missing)}",
                expected=", ".join(needed),
                found=", ".join(map(str, self.data)) or "nothing",
                where=self.where(),
                fix=f"add '{missing[0]}: …'",
            )
        return self

    def unknown(self, key: Any, known: Sequence[str]) -> NoReturn:
        """Raise the error for an unknown key."""
        close = difflib.get_close_matches(str(key), known, n=1)
        self.wrong(
            key,
            ", ".join(known) or "no key at this place",
            summary=f"unknown key {key!r}",
            found=str(key),
            fix=f"did you mean {close[0]}?" if close else "remove it, see docs/your_data.md",
        )

    def word(self, key: str, default: str = "") -> str:
        """Return a text; numbers and true/false are returned as written."""
        value = self.data.get(key, default)
        if isinstance(value, (Mapping, list)) or value is None:
            self.wrong(key, "a text")
        return str(value).strip()

    def choice(self, key: str, words: Sequence[str], default: str) -> str:
        """Return a text, one of ``words``."""
        value = self.word(key, default)
        if value not in words:
            close = difflib.get_close_matches(value, words, n=1)
            fix = f"did you mean {close[0]}?" if close else None
            self.wrong(key, ", ".join(words), fix=fix)
        return value

    def whole(self, key: str, words: Sequence[int], default: int) -> int:
        """Return a whole number, one of ``words`` (a tuple or a range)."""
        value = self.data.get(key, default)
        if key in self.data and (type(value) is not int or value not in words):
            few = isinstance(words, tuple)
            self.wrong(key, " or ".join(map(str, words)) if few else f"from {words[0]} on")
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self.data.get(key, default)
        if type(value) is not bool:
            self.wrong(key, "true or false")
        return value

    def rate(self, key: str) -> Fraction | None:
        """Return a number above 0 (25, 29.97 or 30000/1001), exactly; None without the key."""
        if key not in self.data:
            return None
        value = fraction(str(self.data[key]))
        if value is None or not 0 < value < 100_000:
            self.wrong(key, "a number above 0 such as 25, 29.97 or 30000/1001")
        return value

    def pair(self, key: str) -> tuple[float, float] | None:
        """Return two numbers, such as width and height; None without the key."""
        if key not in self.data:
            return None
        value = self.data[key]
        good = isinstance(value, list) and len(value) == 2
        if not good or any(type(number) not in (int, float) for number in value):
            self.wrong(key, "two numbers, [A, B]")
        return float(value[0]), float(value[1])

    def expression(self, key: Any, text: str) -> str:
        """Return ``text`` if it is a regular expression; ``key`` is its place, for the error."""
        try:
            re.compile(text)
        except re.error as error:
            self.wrong(key, "a regular expression", found=f"{text}: {error}")
        return text

    def form(self, key: str, names: Sequence[str]) -> str:
        """Return a pattern such as ``frame {frame}``, using ``names``; '' without the key."""
        text = self.word(key)
        try:
            found = {name for _, name, _, _ in Formatter().parse(text) if name is not None}
        except ValueError:
            found = {text}
        if not found <= {*names}:
            self.wrong(key, f"a text with no braces but {', '.join(f'{{{n}}}' for n in names)}")
        return text

    def numbers(self, key: str, count: int) -> tuple[int, ...]:
        """Return a list of ``count`` whole numbers of 0 or more; () without the key."""
        value = self.data.get(key, [])
        good = isinstance(value, list) and (len(value) == count or key not in self.data)
        if not good or any(type(number) is not int or number < 0 for number in value):
            self.wrong(key, f"{count} whole numbers in a list")
        return tuple(value)

    def coded(self, highest: int) -> dict[int, str]:
        """Return the texts of the block, whose keys are whole numbers from 0 to ``highest``."""
        out: dict[int, str] = {}
        for key in self.data:
            if type(key) is not int or not 0 <= key <= highest:
                self.wrong(key, f"a whole number from 0 to {highest} as the key", found=str(key))
            out[key] = self.word(key)
        return out

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; a single text counts as a list. () without the key."""
        value = self.data.get(key, [])
        entries = value if isinstance(value, list) else [value]
        if any(isinstance(entry, (Mapping, list)) or entry is None for entry in entries):
            self.wrong(key, "a list of texts")
        return tuple(str(entry).strip() for entry in entries)

    def section(self, key: str) -> Section:
        """Return the block below a key, empty without the key."""
        value = self.data.get(key, {})
        if not isinstance(value, Mapping):
            self.wrong(key, "a block of 'key: value' lines")
        return Section(self.text, self.file, (*self.path, key), value)

    def sections(self) -> Iterator[tuple[str, Section]]:
        """Yield (key, block) for each block in this block, in the order of the file."""
        for key in self.data:
            yield str(key), self.section(key)


def read_mapping(data: bytes, name: str) -> Section:
    """Return the outermost block of a YAML file.

    Raises:
        UserError: not YAML, or no block of keys; names file and line.
    """
    try:
        text = read_yaml(read_text(data, name), name)
    except UserError as error:
        raise YamlInvalid(
            f"{name} is not valid YAML",
            expected="'key: value' lines",
            found=error.found or error.summary,
            where=error.where if error.where != name else f"{name}:1",
            fix=error.fix or "correct the file at that place",
        ) from None
    if not isinstance(text.data, dict) or not text.data:
        raise FieldInvalid(
            f"{name} contains no settings",
            expected="'key: value' lines",
            found="nothing" if not text.data else type(text.data).__name__,
            where=f"{name}:1",
            fix="see docs/your_data.md",
        )
    return Section(text, name, (), text.data)


def fraction(text: str) -> Fraction | None:
    """Return a decimal number or a quotient such as 30000/1001, exactly; None for anything else."""
    text = text.strip()
    if not re.fullmatch(r"[+-]?\d{1,15}(\.\d{1,12})?|\d{1,9}/[1-9]\d{0,8}", text):
        return None
    return Fraction(text)
