"""Link the boxes of one video into tracks, by position, class and appearance."""

from surgqa.transforms.evidence.link.appearance import BYTES, describe, distance
from surgqa.transforms.evidence.link.linker import Linked, link
from surgqa.transforms.evidence.link.settings import LinkSettings
from surgqa.transforms.evidence.link.table import Bridges, bridge, link_table

__all__ = [
    "BYTES",
    "Bridges",
    "LinkSettings",
    "Linked",
    "bridge",
    "describe",
    "distance",
    "link",
    "link_table",
]
