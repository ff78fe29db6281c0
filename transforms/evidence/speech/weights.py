"""The speech model: its path, its digest, its device; loaded once per process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import ValueInvalid, WeightsMissing
from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.evidence.base import (
    at_hand,
    check,
    device_of,
    file_digest,
    is_remote,
    shared,
)
from surgqa.transforms.evidence.speech.listener import Listener, instructions, listener
from surgqa.transforms.evidence.speech.settings import SpeechSettings
from surgqa.transforms.evidence.speech.transcribe import needed, versions

WEIGHTS = "model.bin"
FILES = (
    WEIGHTS, "config.json", "preprocessor_config.json", "tokenizer.json", "vocabulary.json",
    "vocabulary.txt",
)  # fmt: skip
"""The files of a model; a licence or README next to them does not belong to it."""
DEVICES = ("auto", "cpu", "cuda")


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """A model on this machine, and how it will run.

    Attributes:
        folder: the model's path, or its address in remote storage. It is not part of any cache key.
        digest: digest of the model's files.
        device: ``cpu`` or ``cuda``.
        compute_type: CTranslate2's arithmetic.
        cpu_isa: instruction set of the processor; also used to prepare sound for a GPU.
    """

    folder: Path
    digest: str
    device: str
    compute_type: str
    cpu_isa: str

    @property
    def identity(self) -> dict[str, Any]:
        """Everything besides the settings that the words depend on."""
        return {
            "model": self.digest,
            "device": self.device,
            "compute_type": self.compute_type,
            "cpu_isa": self.cpu_isa,
            "libraries": versions(),
        }


def find(settings: SpeechSettings) -> SpeechModel:
    """Return the model for these settings; nothing is loaded.

    Raises:
        SourceMissing: the model is not here and may not be downloaded, or there is no GPU.
        UserError: the device or instruction set is unknown, or a package is not installed.
    """
    # A remote model with a known digest is not downloaded before it is loaded.
    waits = settings.sha256 is not None and is_remote(settings.model)
    folder = Path(settings.model) if waits else _folder(settings)
    device = _device(settings.device)
    return SpeechModel(
        folder,
        settings.sha256 or _digest(folder),
        device,
        settings.compute_type or ("int8" if device == "cpu" else "float16"),
        instructions(settings.cpu_isa),
    )


def _digest(folder: Path) -> str:
    """Digest of the names and contents of the files of a model."""
    there = [folder / name for name in FILES if (folder / name).is_file()]
    return bytes_digest("\n".join(f"{p.name} {file_digest(p)}" for p in there).encode())


def load(weights: SpeechModel) -> dict[str, str]:
    """Have the speech process load the model, on first use in this process.

    Returns:
        The entries that name the model in a request for words.

    Raises:
        UserError: the model cannot be loaded.
        SourceBroken: the digest of the model differs.
    """
    folder = at_hand(weights.folder)
    check(_digest(folder), weights.digest, weights.folder)
    named = {
        "digest": weights.digest,
        "folder": str(folder),
        "device": weights.device,
        "compute_type": weights.compute_type,
    }

    def first() -> dict[str, str]:
        listener(weights.cpu_isa).ask({"do": "load", **named})
        return named

    return shared(("speech", weights.cpu_isa, *named.values()), first)


def listen(settings: SpeechSettings) -> Listener:
    """Return the speech process for these settings."""
    return listener(instructions(settings.cpu_isa))


def _device(asked: str) -> str:
    if asked not in DEVICES:
        raise ValueInvalid(
            "speech: unknown device", expected=", ".join(DEVICES), found=asked, where="device"
        )
    if asked == "cpu":
        return "cpu"
    with needed():
        import ctranslate2

    return device_of(asked, ctranslate2.get_cuda_device_count()).partition(":")[0]


def _folder(settings: SpeechSettings) -> Path:
    folder = at_hand(settings.model) if is_remote(settings.model) else Path(settings.model)
    if folder.is_dir():
        if not (folder / WEIGHTS).is_file():
            raise WeightsMissing(
                f"no {WEIGHTS} in the speech model's folder",
                expected="a Whisper model converted for CTranslate2",
                where=str(folder),
                fix="convert the model with ct2-transformers-converter, or name another folder",
            )
        return folder
    return _named(settings)


def _named(settings: SpeechSettings) -> Path:
    """Return a model in the machine's cache; downloaded only if the settings allow it."""
    with needed():
        from faster_whisper import download_model
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(download_model(settings.model, local_files_only=True))
    except LocalEntryNotFoundError:
        if settings.download:
            return _fetched(settings.model)
    except (ValueError, HFValidationError) as error:
        raise WeightsMissing(
            f"speech: no model is called {settings.model!r}",
            expected="a folder, or a name that faster-whisper knows",
            found=str(error).strip().split("\n")[0],
            where="model",
        ) from None
    raise WeightsMissing(
        f"the speech model {settings.model!r} is not on this machine",
        expected="a folder with the model, or the model in this machine's cache",
        where="model",
        fix="set model to a folder, or set download to get it once (large-v3: about 3 GB)",
    )


def _fetched(name: str) -> Path:
    from faster_whisper import download_model

    try:
        return Path(download_model(name))
    except OSError as error:  # errors of the hub and of the network are all OSErrors
        raise WeightsMissing(
            f"the speech model {name!r} could not be downloaded",
            found=str(error).strip().split("\n")[0],
            where="model",
            fix="check the connection, or copy the model's folder here and set model to it",
        ) from None
