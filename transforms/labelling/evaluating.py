"""The fitness gate: measure what a store's boxes allow to conclude, and record it there."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson

from ontology.errors import UserError
from ontology.fitness import FILE, made_by
from transforms.labelling.films import film_of, known_classes
from transforms.labelling.fitness import Entitling, Measured, fitness_of
from transforms.labelling.measuring import about_truth, known_frames
from transforms.labelling.rounds import Project
from transforms.labelling.view import StoreView
from transforms.places import write_whole


def measure_fitness(project: Project, view: StoreView, settings: Entitling) -> Measured:
    """Measure the store's own boxes on the reviewed frames of the held-out part.

    Raises:
        UserError: no held-out frame was reviewed, or their videos were observed with different
            settings.
    """
    frames = known_frames(project, view)
    videos = sorted({one.video_id for one in frames})
    told = [view.facts(video_id) for video_id in videos]
    makers = {made_by(one) for one in told}
    if len(makers) != 1:
        raise UserError(
            "there are no frames to measure on" if not videos
            else "the videos that were reviewed were observed in different ways",
            expected="reviewed frames of the part held out, in videos observed with one detector, "
            "one rate and one setting of 'link'",
            found="none reviewed" if not videos else f"{len(makers)} ways in {len(videos)} videos",
            fix="surgqa label choose STORE --part held-out, correct, and import" if not videos
            else "observe all videos of the store again with the same settings",
        )  # fmt: skip
    films = [film_of(view, video_id, frames) for video_id in videos]
    classes = {name for one in told for name in known_classes(one)}
    classes |= {name for one in films for name in one.seen}
    return fitness_of(films, classes, makers.pop(), settings)


def record_fitness(project: Project, view: StoreView, measured: Measured) -> dict[str, Any]:
    """Write the result where builds read it, and to the latest round.

    Returns:
        The step of the round's record, plain JSON.
    """
    fitness = asdict(measured.fitness)
    write_whole(project.store / FILE, orjson.dumps(fitness, option=orjson.OPT_INDENT_2))
    frames = known_frames(project, view)
    step = {
        "step": "fitness", "fitness": fitness, "on": about_truth(project, frames),
        "classes": {name: asdict(one) for name, one in measured.classes.items()},
        "together": asdict(measured.together), "dense": asdict(measured.dense),
    }  # fmt: skip
    plain: dict[str, Any] = orjson.loads(orjson.dumps(step))  # NaN becomes null
    project.add(project.rounds()[-1].number, plain)
    return plain
