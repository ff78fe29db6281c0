"""Split groups: one name for a surgery that occurs in several datasets."""

from __future__ import annotations

import re
from collections.abc import Mapping

from surgqa.transforms import registry


def split_group(dataset: str, video_id: str) -> str:
    """Return the name of the surgery, which is equal in all datasets that contain it.

    ``('cholect50', 'VID07')`` and ``('cholec80', 'video07')`` both give ``cholec/07``, as ``group``
    in their ``files.yaml`` says. Any other video forms a separate group, ``dataset/video_id``.
    """
    plain = dataset.replace("-", "_")
    rules = registry.files(plain).group if plain in registry.packages() else None
    return filled(rules or {}, video_id) or f"{dataset}/{video_id}"


def filled(rules: Mapping[str, str], text: str, flags: re.RegexFlag = re.NOFLAG) -> str:
    """Return the text of the first rule that matches; '' without a match.

    Args:
        rules: for each regular expression, or range of numbers such as ``1-25``, a text, in which
            ``{0}`` stands for what the expression captured.
    """
    for ids, own in rules.items():
        first, dash, last = ids.partition("-")
        if dash and first.isdecimal() and last.isdecimal():
            if text.isdecimal() and int(first) <= int(text) <= int(last):
                return own
        elif match := re.fullmatch(ids, text, flags):
            return own.format(*match.groups())
    return ""
