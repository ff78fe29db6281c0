"""Folders of a run, from the command line, the environment or the run file.

A run file can be shared, but the folders of one machine cannot.  ``config.yaml`` of an output
therefore contains no folders; the person who builds from it passes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from surgqa.ontology.errors import UnknownName, UserError, WrongUsage
from surgqa.ontology.names import closest

Places = Mapping[str, Sequence[str]]
"""Setting of a dataset, such as ``root`` -> the ``[NAME=]PATH`` texts of the command line."""

OPTIONS = {
    "root": "--root", "evidence": "--evidence", "anomalies": "--anomalies",
    "action_clips": "--action-clips", "review": "--review", "templates": "--templates",
}  # fmt: skip
"""Setting that is a path -> the option that sets it."""

NAMES = OPTIONS | {
    "benchmarks": "--benchmark", "datasets": "--dataset", "videos": "--video", "chunk_s": "--chunk",
    "speech": "--asr-model", "formats": "--format",
}  # fmt: skip
"""Setting -> the option that sets it, if the option has another name."""


def option_of(setting: str) -> str:
    """Return the option that sets a setting."""
    return NAMES.get(setting, f"--{setting.replace('_', '-')}")


VARIABLE = "SURGQA_ROOT_"
"""Prefix of the environment variable with a dataset's folder; its name follows in capitals."""

_NAMED = re.compile(r"([A-Za-z0-9_]+)=(.+)", re.DOTALL)


def located(datasets: Any, places: Places, environment: Mapping[str, str]) -> Any:
    """Return the datasets of a run with the folders from the environment and the command line.

    Args:
        datasets: as in the run file.  Anything but a list of mappings is returned unchanged; the
            validation of the run file reports it later.

    Raises:
        UserError: a folder is for no dataset of the run, or it is unclear for which dataset.
    """
    if not isinstance(datasets, list) or not all(isinstance(one, dict) for one in datasets):
        return datasets
    names = [str(one.get("name")) for one in datasets]
    out = [{**one, **_of_environment(one, environment)} for one in datasets]
    for setting, texts in places.items():
        left = list(range(len(out)))
        for text in texts:
            at = _whose(text, names, left, OPTIONS[setting])
            left.remove(at)
            out[at][setting] = _path(text, names)
    return out


def _of_environment(dataset: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    root = environment.get(f"{VARIABLE}{str(dataset.get('name')).upper()}")
    return {"root": root} if root else {}


def _whose(text: str, names: Sequence[str], left: Sequence[int], option: str) -> int:
    """Return the index of the dataset for which ``text`` (``PATH`` or ``NAME=PATH``) is.

    Args:
        names: names of the run's datasets; a name may occur several times.
        left: indices that have no folder yet; the first that fits is returned.
        option: the option with the text, for messages.
    """
    found = _NAMED.fullmatch(text)
    if found and (found[1] in names or len(names) > 1):
        mine = [at for at in left if names[at] == found[1]]
        if not mine:
            raise _nobody(found[1], names, option)
        return mine[0]
    if len(names) != 1 or not left:
        raise WrongUsage(
            f"{option} does not say for which dataset", found=text, where=option,
            expected=", ".join(f"{option} {name}=PATH" for name in dict.fromkeys(names))
            or "a run with datasets",
            fix="name each dataset once",
        )  # fmt: skip
    return left[0]


def _nobody(name: str, names: Sequence[str], option: str) -> UserError:
    known = list(dict.fromkeys(names))
    close = None if name in known else closest(name, known)
    return UnknownName(
        f"{option} is given too often for {name}" if name in known
        else f"the run has no dataset {name!r}",
        expected=", ".join(known), found=name, where=option,
        fix=f"did you mean {close}?" if close else None,
    )  # fmt: skip


def _path(text: str, names: Sequence[str]) -> str:
    found = _NAMED.fullmatch(text)
    return found[2] if found and found[1] in names else text
