"""How a processor computes: instructions that speech may use, and what fixes them.

The same model gives other probabilities, and at times other words, with other instructions
and with another number of threads.  Four libraries choose both by themselves from the
processor and from variables of the environment, when they are first imported: CTranslate2,
oneDNN inside it, NumPy, and OpenBLAS inside that.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from ontology.errors import UserError

X86 = ("x86_64", "amd64")
DEFAULT = "AVX2"
"""Of every x86 processor since 2015.  Measured on tiny.en and 21 s of speech, one thread:
three times the time of AVX512, the same as AVX, two thirds of GENERIC."""

_NEWEST = "AVX512_ICL AVX512_SPR"
INSTRUCTIONS: Mapping[str, Mapping[str, str]] = {
    name: {
        "CT2_FORCE_CPU_ISA": name,
        "ONEDNN_MAX_CPU_ISA": products,
        "OPENBLAS_CORETYPE": core,
        "NPY_DISABLE_CPU_FEATURES": left_out,
    }
    for name, products, core, left_out in (
        ("GENERIC", "SSE41", "Nehalem", f"X86_V3 X86_V4 {_NEWEST}"),
        ("AVX", "AVX", "Sandybridge", f"X86_V3 X86_V4 {_NEWEST}"),
        ("AVX2", "AVX2", "Haswell", f"X86_V4 {_NEWEST}"),
        ("AVX512", "AVX512_CORE", "SkylakeX", _NEWEST),
    )
}
"""Name of the setting -> what each library has to be told."""

CHOOSING = (
    "BLIS_", "CT2_", "DNNL_", "GOMP_", "GOTO_", "KMP_", "MKL_", "NPY_", "OMP_", "ONEDNN_",
    "OPENBLAS_", "PYTHON", "VECLIB_",
)  # fmt: skip
"""Beginnings of variables by which a library, or Python, chooses how to compute."""
PYTHONS_PLACES = ("PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
FIXED: Mapping[str, str] = {
    "CT2_USE_MKL": "0",  # or processors of one maker use another library than the rest
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "VECLIB_MAXIMUM_THREADS": "1",
}


def instructions(asked: str | None) -> str:
    """Name of the instruction set that a model is run with on this machine's processor.

    Args:
        asked: a name of INSTRUCTIONS, or None for the default.

    Returns:
        A name of INSTRUCTIONS on x86; elsewhere the processor's kind, which has one set.

    Raises:
        UserError: no such instruction set, or one is asked for where there is no choice.
    """
    machine = platform.machine().lower()
    known = tuple(INSTRUCTIONS) if machine in X86 else ()
    if asked is None:
        return DEFAULT if known else {"aarch64": "arm64"}.get(machine, machine)
    if asked not in known:
        raise UserError(
            "speech: no such instruction set",
            expected=", ".join(known) or f"no instruction set: {machine} has only one",
            found=asked,
            where="cpu_isa",
        )
    return asked


def surroundings(isa: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """Environment of the process that hears: the caller's, without what chooses arithmetic.

    Args:
        isa: as :func:`instructions` gives it.
        inherited: the caller's environment.  None of its choices is kept, not even that of
            ``CT2_FORCE_CPU_ISA``: the setting ``cpu_isa`` travels with a run, it does not.
    """
    kept = {
        name: value
        for name, value in inherited.items()
        if name in PYTHONS_PLACES or not name.startswith(CHOOSING)
    }
    where = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return {**kept, **FIXED, **INSTRUCTIONS.get(isa, {}), "PYTHONPATH": where}
