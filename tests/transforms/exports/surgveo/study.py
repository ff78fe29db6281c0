"""A small study, and its sheets as a rater would fill them in."""

import csv
import io

from surgqa.ontology.continuations import DIMENSIONS, TIMES_S
from surgqa.transforms.exports.surgveo.sheets import (
    HEADER,
    StudySample,
    make_study,
    order,
    write_table,
)

RATERS = {"laparoscopic": ("Ada", "Bo"), "neurosurgical": ("Ada", "Cy")}


def study(laparoscopic=2, neurosurgical=1, raters=None):
    samples = [
        StudySample(f"lap{k}", "laparoscopic", f"hysterectomy: stage <{k}> & \u2028")
        for k in range(laparoscopic)
    ]
    samples += [
        StudySample(f"neu{k}", "neurosurgical", "pituitary surgery: sellotomy")
        for k in range(neurosurgical)
    ]
    return make_study("pilot", "seed", samples, raters or RATERS)


def score_of(rater, clip, time_s, dimension):
    """What this rater gives: any fixed rule will do."""
    place = list(DIMENSIONS).index(dimension)
    return (len(rater) + int(clip.code[1:5], 16) + time_s + 3 * place) % 5 + 1


def rows_of(data):
    return list(csv.reader(io.StringIO(data.decode().removeprefix("\ufeff"), newline="")))


def csv_bytes(rows):
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\r\n").writerows(rows)
    return sink.getvalue().encode()


def filled_table(found, rater):
    """The rater's CSV sheet with all scores, a type of error and a comment on some rows."""
    rows = rows_of(write_table(found, rater))
    clips = {one.code: one for one in order(found, rater)}
    column = {name: k for k, name in enumerate(HEADER)}
    for k, row in enumerate(rows[1:]):
        clip = clips[row[column["video"]]]
        time_s, dimension = int(row[column["time_s"]]), row[column["dimension"]]
        row[column["score"]] = str(score_of(rater, clip, time_s, dimension))
        if k % 12 == 0:
            row[column["error_types"]] = "intent; target"
            row[column["comment"]] = 'odd, "very"'
    return rows


def json_text(found, rater):
    """As the page saves it."""
    import json

    videos = {
        one.code: {
            "scores": {str(t): {d: score_of(rater, one, t, d) for d in DIMENSIONS}
                       for t in TIMES_S},
            "errors": ["target", "intent"],
            "comment": 'odd, "very"',
        }
        for one in order(found, rater)
    }  # fmt: skip
    lines = ",\n".join(f"{json.dumps(code)}: {json.dumps(one)}" for code, one in videos.items())
    return (f'{{"format": "surgqa/surgveo-sheet-v1", "sheet": "pilot-{rater}",\n'
            f'"videos": {{\n{lines}\n}}}}\n')  # fmt: skip
