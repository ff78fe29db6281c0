"""Find the files of an HTML page, and embed all of them in one HTML file."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

SHARED = "surgqa.transforms.pages"
TYPES_OF = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
            ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
            ".txt": "text/plain; charset=utf-8"}  # fmt: skip
"""Media type of each file of a page, by its extension."""
HEAD = '<meta charset="utf-8">'
META = f'{HEAD}\n<meta http-equiv="Content-Security-Policy" content="{{}}">'
LINK = re.compile(r'<link rel="(?:icon|stylesheet)" href="([^"]+)">')
SCRIPT = re.compile(r'<script src="([^"]+)"></script>')


def parts_of(package: str) -> dict[str, Traversable]:
    """Return the files of a page, including those that all pages share, sorted by name."""
    found = sorted((one for name in (SHARED, package) for one in files(name).iterdir()),
                   key=lambda one: one.name)  # fmt: skip
    return {one.name: one for one in found if Path(one.name).suffix in TYPES_OF}


def one_file(page: str, part: Callable[[str], str], policy: str, styles: Sequence[str] = ()) -> str:
    """Return a page with its styles and scripts embedded, and a policy that forbids all others.

    Args:
        page: HTML that refers to its styles and scripts by file name; icons are left out.
        part: function that returns the text of a file of the page, given its name.
        policy: additional permissions of the content security policy, such as ``img-src data:``.
        styles: hashes of styles that the page's scripts insert, which are allowed too.
    """
    hashes: dict[str, list[str]] = {"script": [], "style": [*styles]}

    def enclosed(tag: str, text: str) -> str:
        mark = b64encode(sha256(text.encode()).digest()).decode()
        hashes[tag].append(f"'sha256-{mark}'")
        return f"<{tag}>{text}</{tag}>"

    page = LINK.sub(lambda m: enclosed("style", part(m[1])) if m[1].endswith(".css") else "", page)
    page = SCRIPT.sub(lambda m: enclosed("script", part(m[1])), page)
    whole = (
        f"default-src 'none'; script-src {' '.join(hashes['script'])}; "
        f"style-src {' '.join(hashes['style'])}; {policy}; base-uri 'none'; form-action 'none'"
    )
    return page.replace(HEAD, META.format(whole), 1)
