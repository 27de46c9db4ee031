"""Lines of a TOML file, so that an error in a policy can name the line it stands in.

tomllib tells no positions, so a small scanner goes over the file once more: it finds headers of tables, keys, and
the items of arrays and inline tables (https://toml.io/en/v1.0.0) without making sense of the values.
"""

from __future__ import annotations

import bisect
import contextlib
import re
import tomllib

_Path = tuple[str | int, ...]
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_KEY = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
_STRING = re.compile(
    r"\"\"\"(?:[^\\]|\\.)*?\"{3,5}|'''.*?'{3,5}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'",
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\[\]{}#\n\"']+")


def line_of(toml_text: str, location: tuple[str | int, ...]) -> int | None:
    """The line of a key in a TOML file.

    Args:
        toml_text: the file's text; where it is no TOML, what stands before the mistake is found.
        location: keys, and for items of arrays their numbers from 0, such as ``("header", "rules", 2, "tag")``.

    Returns:
        The line, counted from 1, of the key or item; where there is none, of the nearest table, array or item
        around it that is there; None when nothing fits.
    """
    scanner = _Scanner(toml_text)
    with contextlib.suppress(ValueError, RecursionError):
        scanner.scan()
    for size in range(len(location), 0, -1):
        line = scanner.lines.get(location[:size])
        if line is not None:
            return line
    return None


class _Scanner:
    """Goes over a text once; ``lines`` then has the line of everything that has a place."""

    def __init__(self, text: str) -> None:
        self.lines: dict[_Path, int] = {}
        self._text = text
        self._place = 0
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._last: dict[_Path, int] = {}
        """By the path of an array of tables: the number of its last table."""

    def scan(self) -> None:
        """Raises ValueError where the text is no TOML."""
        table: _Path = ()
        while True:
            self._skip(_BLANK)
            if self._place == len(self._text):
                return
            if self._at("["):
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> _Path:
        line, is_array = self._line, self._at("[[")
        self._expect("[[" if is_array else "[")
        *parents, key = self._keys()
        self._expect("]]" if is_array else "]")
        path: _Path = (*self._enter((), parents, line), key)
        if not is_array:
            self.lines[path] = line
            return self._inside(path)
        self._last[path] = self._last.get(path, -1) + 1
        self.lines.setdefault(path, line)
        path = self._inside(path)
        self.lines[path] = line
        return path

    def _pair(self, table: _Path) -> None:
        line = self._line
        *parents, key = self._keys()
        self._expect("=")
        path: _Path = (*self._enter(table, parents, line), key)
        self.lines[path] = line
        self._value(path)

    def _enter(self, table: _Path, keys: list[str], line: int) -> _Path:
        """The table that dotted keys lead to; tables that have no header of their own begin here."""
        for key in keys:
            table = (*table, key)
            self.lines.setdefault(table, line)
            table = self._inside(table)
        return table

    def _inside(self, path: _Path) -> _Path:
        return (*path, self._last[path]) if path in self._last else path

    def _value(self, path: _Path) -> None:
        self._skip(_SPACE)
        if self._at("["):
            self._array(path)
        elif self._at("{"):
            self._inline_table(path)
        else:
            self._skip(_STRING if self._at('"') or self._at("'") else _PLAIN, needed=True)

    def _array(self, path: _Path) -> None:
        self._expect("[")
        number = 0
        while not self._closes("]"):
            self.lines[*path, number] = self._line
            self._value((*path, number))
            self._separate("]")
            number += 1

    def _inline_table(self, path: _Path) -> None:
        self._expect("{")
        while not self._closes("}"):
            self._pair(path)
            self._separate("}")

    def _closes(self, bracket: str) -> bool:
        self._skip(_BLANK)
        if not self._at(bracket):
            return False
        self._place += 1
        return True

    def _separate(self, bracket: str) -> None:
        self._skip(_BLANK)
        if not self._at(bracket):
            self._expect(",")

    def _keys(self) -> list[str]:
        """The parts of a dotted key."""
        keys = []
        while True:
            self._skip(_SPACE)
            raw = self._skip(_KEY, needed=True)
            keys.append(str(tomllib.loads(f"key = {raw}")["key"]) if raw[0] in "\"'" else raw)
            self._skip(_SPACE)
            if not self._at("."):
                return keys
            self._place += 1

    @property
    def _line(self) -> int:
        return bisect.bisect_left(self._ends, self._place) + 1

    def _at(self, text: str) -> bool:
        return self._text.startswith(text, self._place)

    def _expect(self, text: str) -> None:
        if not self._at(text):
            raise ValueError
        self._place += len(text)

    def _skip(self, pattern: re.Pattern[str], needed: bool = False) -> str:
        match = pattern.match(self._text, self._place)
        if match is None:
            if needed:
                raise ValueError
            return ""
        self._place = match.end()
        return match[0]
