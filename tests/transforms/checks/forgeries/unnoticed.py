"""Places of a sealed output whose forgery ``check`` does not notice, and why."""

from __future__ import annotations

_ONCE = "it stands there once, and no row of the output rests on it"
_PROSE = "what people read; what it says of files, digest and version is held against the folder"

UNNOTICED: dict[str, str] = {
    "videos.clock": "whether its times are seconds or an order is said by the reader alone",
    "manifest masking": f"which rules masked speech: {_ONCE}",
    "manifest packages.*": f"the version of Beam: {_ONCE}",
    "manifest packages.numpy": _ONCE,
    **{f"manifest readers.{name}": f"a reader's version: {_ONCE}"
       for name in ("cholect50", "jigsaws", "kvasir_capsule", "observed", "unified")},
    "file README.md": _PROSE,
    "file licences.md": _PROSE,
    "file report.html": _PROSE,
}  # fmt: skip
"""Place -> why nothing in the folder can tell."""
