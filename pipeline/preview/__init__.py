"""Preview: one template rendered on a dataset's sample, and why it declined elsewhere.

Also when to do so again: see :func:`edits`.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ontology.errors import UserError
from ontology.files import listed
from ontology.records import Item, Rejected, VideoEvidence
from ontology.times import print_seconds
from pipeline.preview.chains import preview_chain
from pipeline.preview.programs import preview_program
from pipeline.preview.queries import preview_query
from transforms.language import (
    Chain,
    Query,
    Question,
    Template,
    TemplateErrors,
    templates_folder,
)
from transforms.language.findings import below
from transforms.language.load import parse_file
from transforms.language.program import Program, parse_folder
from transforms.language.program.parse import LINT_ONLY
from transforms.language.small import language_of
from transforms.questions import ask
from transforms.registry import load_reader, load_sample
from transforms.timeline import build_timeline
from transforms.windows import View, cut_clips, view_windows

CLIPS = "cholect50"
"""Dataset whose sample templates of clips are asked about if none is named."""


def preview(
    template: str, dataset: str | None, n: int, root: Path | None = None,
    videos: Sequence[str] = (),
) -> str:  # fmt: skip
    """Text of at most ``n`` items, and the reasons of units without one; all of a family.

    Args:
        template: an id, or the path of a file.
        dataset: whose sample is asked; if None the first one that gives items.
        n: of a chain, whole chains.
        root, videos: the dataset's own files instead of its sample.

    Raises:
        UserError: no such template, dataset, folder or recording.
        TemplateErrors: the file has findings.
    """
    file = template_file(template)
    if language_of(file) == "question":
        return "\n\n".join(
            preview_program(one, dataset, n, root, videos) for one in _programs(template, file)
        )
    return "\n\n".join(_shown(found, dataset, n) for found in _templates(template))


def _programs(name: str, file: Path) -> Sequence[Program]:
    """The programs of a file, or the one of an id."""
    own = Path(name).suffix == ".yaml"
    folder = file.resolve().parent.parent
    programs, findings = parse_folder(folder, [file.resolve()])
    wrong = [one for one in findings if one.code not in {*LINT_ONLY, "T103"}]
    if wrong:
        raise TemplateErrors(below(folder, wrong))
    return [one for one in programs if own or one.id == name]


def _shown(found: Question, dataset: str | None, n: int) -> str:
    if isinstance(found, Query):
        return preview_query(found, dataset, n)
    if isinstance(found, Chain):
        return preview_chain(found, dataset, n)
    assert isinstance(found, Template)
    return _asked(found, dataset or CLIPS, n)


def _asked(found: Template, dataset: str, n: int) -> str:
    shown: list[str] = []
    declined: list[Rejected] = []
    windows = 0
    with tempfile.TemporaryDirectory() as folder:
        load_sample(dataset)(Path(folder))
        reader = load_reader(dataset)(Path(folder))
        for video_id in reader.videos():
            view = _view(reader.read(video_id))
            if view is None:
                continue
            windows += len(view.windows)
            asked = ask(view, [found], seed="42")
            declined += asked.declined
            shown += ["\n".join(_item(item, view)) for item in asked.items]
    where = f"{windows} windows of the {dataset} sample"
    head = f"{found.id} v{found.version}: asked {len(shown)} item(s) in {where}"
    return "\n\n".join([head, *shown[:n], *_reasons(declined)])


POLL_S = 0.3
"""Seconds between two looks at the files."""


def template_file(template: str) -> Path:
    """File of a template: the path itself, or that of a shipped id.

    Raises:
        UserError: no such file.
    """
    path = Path(template)
    if path.suffix != ".yaml":
        path = templates_folder() / f"{template.replace('.', '/')}.yaml"
        if not path.is_file():  # a variant lies in the file of its family
            path = path.parent.with_suffix(".yaml")
    if not path.is_file():
        raise UserError("no such template file", found=template)
    return path


def edits(file: Path, pause: Callable[[], None] = lambda: time.sleep(POLL_S)) -> Iterator[None]:
    """Yields at once, then after every change of the template or a shared block; endless.

    Nothing is yielded while the template is away, as some editors save by putting a new
    file in the place of the old one.

    Args:
        file: an existing template.
        pause: waits between two looks.
    """
    before: _State = {}
    while True:
        now = _state(file)
        if file in now and now != before:
            before = now
            yield
        pause()


_State = dict[Path, tuple[int, int, int]]


def _state(file: Path) -> _State:
    """Time, size and number of each file that the rendering is made from."""
    shared = file.resolve().parent.parent / "shared"
    blocks = [f for f in listed(shared) if f.suffix == ".yaml"] if shared.is_dir() else []
    state = {}
    for path in (file, *blocks):
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        state[path] = (found.st_mtime_ns, found.st_size, found.st_ino)
    return state


def _templates(name: str) -> Sequence[Question]:
    """The templates of a file, or the one of an id."""
    own = Path(name).suffix == ".yaml"
    file = template_file(name)
    folder = file.resolve().parent.parent if own else templates_folder()
    questions, findings = parse_file(file.resolve() if own else file, folder)
    findings = [f for f in findings if f.code != "T103" or not own]
    if findings:
        raise TemplateErrors(below(folder, findings))
    found = [question for question in questions if own or question.id == name]
    if not found:
        raise UserError(
            f"no template {name!r}",
            where=str(templates_folder()),
            fix="see 'surgqa list templates', or name a file",
        )
    return found


def _view(evidence: VideoEvidence) -> View | None:
    timeline = build_timeline(evidence)
    if timeline is None:
        return None
    cut = cut_clips(evidence.video, timeline.table.instants_us)
    return view_windows(timeline, cut.windows)


def _item(item: Item, view: View) -> Iterator[str]:
    start, end = (print_seconds(t) for t in (item.window.start_us, item.window.end_us))
    yield f"  {view.timeline.video.key}, {start}-{end} s"
    yield f"  Q  {item.question}"
    for option in item.options:
        mark = "*" if option.is_answer else " "
        yield f"    {mark} {option.key}) {option.text}  [{option.kind}]"
    yield "  A  " + item.answer.replace("\n", "\n     ")
    for step in item.reasoning:
        yield f"     - {step}"
    for gate in item.checks:
        yield f"     {gate.name}: {gate.measured:.4g} ({gate.limit})"
    for pointer in item.evidence[:4]:
        span = f"{print_seconds(pointer.start_us)}-{print_seconds(pointer.end_us)} s"
        yield f"     evidence: {pointer.kind} {pointer.id}, {span}"


def _reasons(declined: list[Rejected]) -> Iterator[str]:
    if not declined:
        return
    counts = Counter((r.where, r.reason) for r in declined)
    lines = [f"  {n} x  {where}: {reason}" for (where, reason), n in sorted(counts.items())]
    yield "not asked in {} window(s)\n{}".format(len(declined), "\n".join(lines))
