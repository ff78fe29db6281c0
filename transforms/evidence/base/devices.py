"""Choose the device on which a model runs."""

from __future__ import annotations

import re

from surgqa.ontology.errors import DeviceMissing


def device_of(wanted: str, gpus: int) -> str:
    """Return the device's name, ``cpu`` or ``cuda:N``.

    Args:
        wanted: ``auto``, ``cpu``, ``cuda`` or ``cuda:N``.
        gpus: number of CUDA devices that the model's library can use.

    Raises:
        UserError: an unknown device, or a CUDA device that does not exist.
    """
    if wanted == "cpu" or (wanted == "auto" and not gpus):
        return "cpu"
    named = re.fullmatch(r"auto|cuda(?::(\d+))?", wanted)
    if named and int(named[1] or 0) < gpus:
        return f"cuda:{int(named[1] or 0)}"
    raise DeviceMissing(
        f"no device {wanted} on this machine", expected="auto, cpu or cuda:N",
        found=f"{gpus} CUDA devices that the model's library can use", fix="use --device auto",
    )  # fmt: skip
