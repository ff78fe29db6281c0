"""Instruction sets that speech recognition may use, and how they are fixed.

The same model gives different probabilities, and sometimes different words, with other instructions
or another number of threads.  Four libraries choose both when they are first imported, from the
processor and from environment variables: CTranslate2, oneDNN inside it, NumPy, and OpenBLAS inside
that.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

from surgqa.ontology.errors import ValueInvalid

X86 = ("x86_64", "amd64")
DEFAULT = "AVX2"
"""Available on every x86 processor since 2015.  Measured with tiny.en on 21 s of speech, one
thread: three times as slow as AVX512, as fast as AVX, and two thirds of the time of GENERIC."""

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
"""Name of the setting -> environment variables for each library."""

CHOOSING = (
    "BLIS_", "CT2_", "DNNL_", "GOMP_", "GOTO_", "KMP_", "MKL_", "NPY_", "OMP_", "ONEDNN_",
    "OPENBLAS_", "PYTHON", "VECLIB_",
)  # fmt: skip
"""Prefixes of variables by which a library, or Python, chooses how to compute."""
PYTHONS_PLACES = ("PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
FIXED: Mapping[str, str] = {
    "CT2_USE_MKL": "0",  # otherwise Intel processors use another library than the rest
    "MKL_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "VECLIB_MAXIMUM_THREADS": "1",
}


def instructions(asked: str | None) -> str:
    """Return the name of the instruction set with which a model runs on this machine's processor.

    Args:
        asked: a name of INSTRUCTIONS, or None for the default.

    Returns:
        On x86, the result is a name of INSTRUCTIONS. Elsewhere it is the kind of processor, which
            has only one instruction set.

    Raises:
        UserError: an unknown instruction set, or a choice where there is only one set.
    """
    machine = platform.machine().lower()
    known = tuple(INSTRUCTIONS) if machine in X86 else ()
    if asked is None:
        return DEFAULT if known else {"aarch64": "arm64"}.get(machine, machine)
    if asked not in known:
        raise ValueInvalid(
            "speech: no such instruction set",
            expected=", ".join(known) or f"no instruction set: {machine} has only one",
            found=asked,
            where="cpu_isa",
        )
    return asked


def surroundings(isa: str, inherited: Mapping[str, str]) -> dict[str, str]:
    """Environment of the speech process: the caller's, without variables that choose arithmetic.

    Args:
        isa: the result of :func:`instructions`.
        inherited: the caller's environment. Its choices of instructions are dropped, even
            ``CT2_FORCE_CPU_ISA``, because only the setting ``cpu_isa`` is part of a run.
    """
    kept = {
        name: value
        for name, value in inherited.items()
        if name in PYTHONS_PLACES or not name.startswith(CHOOSING)
    }
    where = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return {**kept, **FIXED, **INSTRUCTIONS.get(isa, {}), "PYTHONPATH": where}
