"""``surgqa export``: write a finished dataset in another format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from surgqa.ontology.errors import EXIT_DONE, NothingSelected, Unsupported, UserError
from surgqa.pipeline.cli.console import table, talk, write_result
from surgqa.pipeline.cli.given import hidden_of, rate_of, roots_of, tell_hidden
from surgqa.pipeline.cli.options import Blur, File, Out, Text, Texts, Whole, flag, opt

if TYPE_CHECKING:
    from surgqa.transforms.exports.formats import Format, Write
    from surgqa.transforms.exports.talking import DialogueForm, LeftOut
    from surgqa.transforms.media.cuts import CutLook
    from surgqa.transforms.media.cutting import CutStore
    from surgqa.transforms.places import Place
    from surgqa.transforms.store import OutputFolder


CUTS = ("size", "media_store", "workers", "runner")
SHOWS = ("media", "every", "fps", "single", "limit", "overlay", "benchmark")
"""Options about media and dialogues."""
LOST = ("questions are left out, as they cannot be shown",
        "annotated times have no frame, no frame size or no box")  # fmt: skip
"""End of the message about left-out entries: for dialogues, and for boxes and masks."""


def export(
    context: typer.Context,
    out: Out,
    form: Annotated[str, opt("FORMAT", "Format; an unknown name lists all.", "--as")],
    to: Annotated[Path, opt("DIR", "Folder to write, new or empty.")],
    root: Annotated[Texts, opt("DATASET=DIR", "Folder of the dataset's videos.")] = None,
    prompts: Annotated[File, opt("DIR", "Your prompt texts, for formats with prompts.")] = None,
    media: Annotated[
        Literal["clips", "frames", "none"] | None,
        opt(None, "Dialogues: cut clips or frames [clips with --root, else none]."),
    ] = None,
    every: Annotated[str, opt("SECONDS", "Time between frames, with --media frames.")] = "2",
    size: Annotated[int, opt("PIXELS", "Maximum longer side of clips and frames.", min=32)] = 768,
    fps: Annotated[Text, opt("N", "Maximum frames per second of clips [all].")] = None,
    single: Annotated[bool, flag("--single", "One dialogue per question, not per clip.")] = False,
    limit: Annotated[Whole, opt("N", "Only N dialogues, the first by id.", min=1)] = None,
    benchmark: Annotated[Texts, opt("NAME", "Dialogues: only of this benchmark; several.")] = None,
    settings: Annotated[
        Texts, opt("NAME=VALUE", "Setting of the format; several.", "--set")
    ] = None,
    overlay: Annotated[bool, flag("--overlay", "Dialogues: draw boxes and a clock.")] = False,
    blur: Blur = None,
    media_store: Annotated[Text, opt("DIR", "Folder of the cut media [OUT.media].")] = None,
    workers: Annotated[int, opt("N", "Processes that cut media.", min=1)] = 1,
    runner: Annotated[str, opt("NAME", "Engine that cuts media, as for build.")] = "direct",
) -> int:
    """Write a finished dataset for training, evaluation or a published benchmark's tools.

    A format takes the rows that fit it, whatever their benchmark.

    \b
    surgqa export out --as surgstu --to clips --root cholect50=/data/cholect50 --set boxes=bbox_2d
    surgqa export out --as medstreambench --to medstream
    surgqa export out --as surgcot --to chains
    surgqa export out --as sapbench --to sap --root cholect50=/data/cholect50
    surgqa export out --as surgveo --to samples --root autolaparo=/data/autolaparo
    surgqa export out --as messages --to chat --root cholect50=/data/cholect50 --workers 4
    surgqa export out --as llama-factory --to chat --media frames --root cholect50=DIR
    surgqa export out --as qwen-vl --to chat --benchmark surgstu --root cholect50=DIR

    \b
    surgstu: questions about clips with event tuples and candidate lists; --set times=seconds,
    tenths or fraction, boxes=list or bbox_2d, answers=short or sentences, context=none or example.
    medstreambench: questions at a point in time, and streams; for each dataset a file with answers
    and one without, for models.
    surgcot: chains, one per line; Q, Q_dq and Q_dq_clue as messages, by split.
    sapbench: next actions and plans with messages, references, clips; with --root the frames.
    surgveo: continuations with both prompts; with --root frames and eight-second references.
    messages, sharegpt, llava, qwen-vl, ms-swift, llama-factory: dialogues for fine-tuning.
    hub, webdataset: the same with frames and clips inside.
    coco, cvat, label-studio, fiftyone: boxes and masks of the evidence; with --root the frames.
    lm-eval, lmms-eval, vlmevalkit, inspect: tasks that score like 'surgqa score'.
    """
    from surgqa.pipeline.cli.progress import Progress
    from surgqa.pipeline.cutting import CutRun
    from surgqa.pipeline.talks import write_marks, write_talks
    from surgqa.transforms.exports.formats import adjusted, counts_in_words, format_of, require_fit
    from surgqa.transforms.media.cuts import CutLook
    from surgqa.transforms.places.fresh import new_folder
    from surgqa.transforms.store import OutputFolder

    folder = OutputFolder(out).with_items()
    one, roots = adjusted(format_of(form), settings or ()), roots_of(root, folder)
    write = _write_of(one, prompts) if one.write or prompts else None
    _refuse_unused(context, one)
    hidden = hidden_of(roots, blur)
    if write and (hidden or blur):
        raise _cannot_hide(form, hidden)
    one = of_benchmarks(one, folder, benchmark or ())
    found = require_fit(folder, one)
    with new_folder(to) as partial:
        if write:
            written = write(folder, partial, roots)
        else:
            shows = _shown(one, media, bool(roots))
            turns = "question" if one.each else "item" if single else "clip"
            telling = _telling(shows, every, turns, limit, overlay)
            look = CutLook(size, rate_of(fps, "--fps"))
            store = None if shows == "none" else _store(out, roots, look, media_store, hidden)
            with Progress() as progress:
                cutting = CutRun(runner, workers, list(context.obj or ()), progress)
                if one.sheet:
                    written, lost = write_marks(folder, one, partial, store, cutting)
                else:
                    written, lost = write_talks(folder, one, partial, telling, store, cutting)
            tell_lost(lost, LOST[bool(one.sheet)])
    write_result(table(written))
    if found.left:
        talk.say(
            f"{form} has no place for {counts_in_words(found.left)}; it takes {one.taking.words}"
        )
    talk.say(f"{form}: {to}")
    return EXIT_DONE


def of_benchmarks(form: Format, folder: OutputFolder, names: Sequence[str]) -> Format:
    """Return the format limited to the rows of some benchmarks; of all if none is given.

    Raises:
        UserError: the output has no items of a benchmark.
    """
    known = folder.benchmarks()
    for name in names:
        if name not in known:
            raise NothingSelected(f"the output has no items of {name}", expected=", ".join(known),
                                  found=name, where="--benchmark")  # fmt: skip
    return replace(form, taking=replace(form.taking, selected=frozenset(names)))


def _write_of(form: Format, prompts: Path | None) -> Write:
    """Return the writer of the format, with the user's prompts if there are any."""
    if prompts is None and form.write is not None:
        return form.write
    if prompts is None or form.with_prompts is None:
        raise Unsupported(
            f"{form.name} has no prompts",
            found=f"--prompts {prompts}",
            where="--prompts",
            fix="leave --prompts out",
        )
    return form.with_prompts(prompts)


def _cannot_hide(form: str, hidden: tuple[tuple[str, str], ...]) -> UserError:
    return Unsupported(f"{form} cannot hide faces and texts", where="--blur",
                       found=f"they must be hidden in {', '.join(dict(hidden)) or 'all'}",
                       fix="give --no-blur, or a format of dialogues")  # fmt: skip


def tell_lost(lost: Sequence[LeftOut], words: str, file: str = "left_out.jsonl") -> None:
    """Print how many entries were left out, and the most frequent reason."""
    if lost:
        why, count = Counter(str(one["reason"]) for one in lost).most_common(1)[0]
        talk.say(f"{len(lost)} {words}: see {file}; {count} of them: {why}")


def _refuse_unused(context: typer.Context, form: Format) -> None:
    """Refuse options that the format does not use."""
    unused = (*CUTS, *SHOWS) if form.write else SHOWS if form.sheet else ()
    sources = {name: context.get_parameter_source(name) for name in unused}
    given = [name for name, source in sources.items() if source and source.name == "COMMANDLINE"]
    if given:
        option = f"--{given[0].replace('_', '-')}"
        raise Unsupported(f"{form.name} does not use {option}", found=option, where=option,
                          fix=f"leave {option} out")  # fmt: skip


def _shown(form: Format, media: str | None, rooted: bool) -> str:
    """Return the media to show: the requested media, otherwise the format's first choice."""
    if media is None:
        return form.media[0] if rooted else "none"
    if media not in form.media:
        raise Unsupported(f"{form.name} cannot show {media}", expected=" or ".join(form.media),
                          found=f"--media {media}", where="--media")  # fmt: skip
    return media


def _telling(media: str, every: str, turns: str, limit: int | None, overlay: bool) -> DialogueForm:
    """Return the settings by which items become dialogues."""
    from surgqa.transforms.exports.talking import DialogueForm
    from surgqa.transforms.inference.frames import step_us

    return DialogueForm(media, step_us(every), turns, limit, overlay=overlay)


def _store(
    out: str, roots: Mapping[str, Place], look: CutLook, folder: str | None,
    hidden: tuple[tuple[str, str], ...],
) -> CutStore:  # fmt: skip
    """Return the folder of cut media, by default next to the dataset, so that others reuse it."""
    from surgqa.transforms.media.cutting import CutStore

    tell_hidden(dict(hidden))
    given = tuple((name, str(one)) for name, one in sorted(roots.items()))
    return CutStore(folder or f"{out.rstrip('/')}.media", given, look, hidden)
