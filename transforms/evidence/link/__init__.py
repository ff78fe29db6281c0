"""Link the boxes of one video into tracks, by position, class and appearance."""

from surgqa.transforms.evidence.link.linker import link
from surgqa.transforms.evidence.link.settings import LinkSettings
from surgqa.transforms.evidence.link.table import bridge, link_table

__all__ = [
    "LinkSettings",
    "bridge",
    "link",
    "link_table",
]
