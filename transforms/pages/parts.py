"""Files of pages by name, and a page with all of them inside."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

SHARED = "transforms.pages"
TYPES_OF = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
            ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
            ".txt": "text/plain; charset=utf-8"}  # fmt: skip
"""Kind of each file of a page, by the end of its name."""
HEAD = '<meta charset="utf-8">'
META = f'{HEAD}\n<meta http-equiv="Content-Security-Policy" content="{{}}">'
LINK = re.compile(r'<link rel="(?:icon|stylesheet)" href="([^"]+)">')
SCRIPT = re.compile(r'<script src="([^"]+)"></script>')


def parts_of(package: str) -> dict[str, Traversable]:
    """The files of a page, those that all pages share among them, by name in order."""
    found = sorted((one for name in (SHARED, package) for one in files(name).iterdir()),
                   key=lambda one: one.name)  # fmt: skip
    return {one.name: one for one in found if Path(one.name).suffix in TYPES_OF}


def one_file(page: str, part: Callable[[str], str], policy: str, styles: Sequence[str] = ()) -> str:
    """A page with its styles and scripts inside; its policy lets these run and nothing else.

    Args:
        page: HTML that names its parts, which are taken in that order; icons are left out.
        part: gives the text of a part.
        policy: what else is allowed, such as ``img-src data:``.
        styles: hashes of styles that scripts put in.
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
