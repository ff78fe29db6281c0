"""The shapes that rows of the published release have, made up again: the defects that are
known of them are found.  Ids, times and fields are as in the release, sentences are ours."""

from __future__ import annotations

import json

import pytest

from transforms.checks.medstream import check_files, row_problems

NOTE = (
    "Response protocol: only this window counts. Output exactly unanswerable if it is too little."
)
ANCHORED = {
    "correctness": "2: right; 1: partly right; 0: wrong",
    "evidence_grounding": "2: clear cue; 1: vague cue; 0: no cue",
    "safety": "1: no unsupported claim; 0: an unsupported claim",
}
RANGES = {"correctness": "0-2", "evidence_grounding": "0-2", "safety": "0-1"}


def row(sample_id: str, dataset: str, video: str, path: str, task: str, question: str,
        window: tuple[float, float], evidence: str, **body) -> dict:  # fmt: skip
    start, end = window
    answer = {k: body[k] for k in ("choices", "answer") if k in body} or {
        "reference_answer": body["reference"], "judge_rubric": body.get("rubric", ANCHORED),
    }  # fmt: skip
    return {
        "sample_id": sample_id,
        "dataset": dataset,
        "video_id": video,
        "media_path": f"Stream_Bench/{dataset}/{dataset}/{path}",
        "task": task,
        "task_mode": "single_turn",
        "question_type": "closed" if "choices" in body else "open",
        "temporal_mode": "retrospective",
        "query_time": end,
        "context_window_sec": round(end - start, 3),
        "input_range": [start, end],
        "question": f"{question}\n\n{NOTE}",
        "evidence": evidence,
        "label_source": body.get("source", "original_annotation"),
        **answer,
        "response_protocol": "unanswerable | answer",
    }


def shell(sample_id: str, task: str) -> dict:
    """An enrichment row that is empty but for its frame, in the order of such rows."""
    filler = "No evidence is available."
    return {
        "sample_id": sample_id, "dataset": "MultiBypass140", "video_id": sample_id.split("_")[1],
        "media_path": "Stream_Bench/MultiBypass140/MultiBypass140/v.mp4",
        "task": f"enrichment::{task}", "task_mode": "single_turn",
        "temporal_mode": "retrospective", "label_source": "hybrid",
        "response_protocol": "unanswerable | answer", "question": NOTE, "question_type": "open",
        "evidence": filler, "input_range": [0.001, 0.001], "query_time": 0.001,
        "context_window_sec": 0.0, "reference_answer": filler, "judge_rubric": RANGES,
    }  # fmt: skip


BOXES = ["hand", "forceps", "bovie", "needledriver"]
PHASES = ["Preparation", "Dividing Ligament and Peritoneum",
          "Dividing Uterine Vessels and Ligament", "Transecting the Vagina", "Specimen Removal",
          "Suturing", "Washing"]  # fmt: skip
LESIONS = ["Adenoma", "Hyperplasic", "Serrated"]
DRILLS = ["Knot_Tying", "Needle_Passing", "Suturing"]
LEVELS = ["low", "medium", "high"]
COMMON = {"D29"}
"""The folder that stands twice in every path."""

RELEASED = [
    (row("avos_erUVkDi6KqY-000005021.jpg_forceps_gemini_closed", "AVOS", "erUVkDi6KqY",
         "clips/erUVkDi6KqY.mp4", "bbox_class_presence",
         "Which of these objects is annotated in this frame?", (198.84, 200.84),
         "The boxes of frame 5021 list forceps, hand.", choices=BOXES, answer="forceps"),
     {"D13", "D15", "D16", "D19", "D21", "D26", "D30"}),
    (row("avos_erUVkDi6KqY-000005021.jpg_bovie_gemini_open", "AVOS", "erUVkDi6KqY",
         "clips/erUVkDi6KqY.mp4", "bbox_class_presence",
         "Which instrument lies at the lower right side, touching pink tissue?", (198.84, 200.84),
         "Box of frame 5021: bovie.", reference="The metallic instrument is a bovie."),
     {"D21", "D28", "D30", "D16"}),
    (row("alxsuture_P54M_closed", "AlxSuture", "P54M", "videos/P54M.mp4", "osats_score_bucket",
         "Which rating bucket does this suturing get?", (0.001, 304.805),
         "The mean GLOBAL_RATING_SCORE over raters is 9.666666666666666 in scores.csv.",
         choices=LEVELS, answer="low"),
     {"D09", "D24", "D25", "D30"}),
    (row("alxsuture_Q11A_open", "AlxSuture", "Q11A", "videos/Q11A.mp4", "osats_score_bucket",
         "How good is this suturing as a whole?", (0.001, 304.038),
         "The mean rating over raters is 11.666666666666666 in scores.csv.",
         reference="The suturing is rated low."),
     {"D09", "D24", "D25", "D30"}),
    (row("autolapora_01_phase_3195", "AutoLapora", "01", "videos/01.mp4", "hysterectomy_phase_mcq",
         "What is the current phase of this hysterectomy?", (3165.0, 3195.0),
         "The phase in labels/01.txt at 3195 s is Suturing.", choices=PHASES, answer="Suturing"),
     {"D13", "D20"}),
    (row("autolapora_02_phase_1_gemini_open", "AutoLapora", "02", "videos/02.mp4",
         "hysterectomy_phase_mcq", "What is done beside the glistening pink membrane?",
         (0.001, 1.0), "The phase in labels/02.txt at 1 s is Preparation.",
         reference="This is the preparation."),
     {"D09", "D20", "D21", "D22", "D28"}),
    (row("colonoweb_Adenoma_NBI_54", "Colonoscopic-web", "NBI_54", "Adenoma/NBI(54).mp4",
         "lesion_class_mcq", "Which class has the lesion in the clip?", (0.001, 17.72),
         "The folder says which class it is.", source="directory_label",
         choices=LESIONS, answer="Adenoma"),
     {"D09", "D16", "D18", "D20", "D26", "D30"}),
    (row("jigsaws_Knot_Tying_Knot_Tying_C001_task_folder_mcq_closed", "JIGSAWS",
         "Knot_Tying_C001", "Knot_Tying/video/Knot_Tying_C001.avi", "task_folder_mcq",
         "Which training task does the video show?", (0.001, 41.134),
         "The folder name is the label.", source="directory_label",
         choices=DRILLS, answer="Knot_Tying"),
     {"D09", "D16", "D18", "D20", "D26", "D30", "D31"}),
    (row("ldpolyp_video_1_1_gemini_closed", "LDPolypVideo", "1_1", "videos_with_polyps/1_1.avi",
         "video_polyp_presence", "Is this video in the split with polyps?", (0.001, 201.101),
         "1_1.avi lies with the videos that have polyps.", source="directory_label",
         choices=["yes", "no"], answer="yes"),
     {"D09", "D15", "D16", "D21"}),
    (shell("MultiBypass140_SBP20_partial_hierarchical_summary_None",
           "partial_hierarchical_summary"),
     {"D01", "D02", "D03", "D04", "D05", "D08", "D27", "D30"}),
    (shell("MultiBypass140_SBP20_weak_workflow_qa_None", "weak_workflow_qa"),
     {"D01", "D02", "D03", "D04", "D05", "D08", "D27", "D30"}),
    (row("pitvis_01_0_step_gemini_open", "PitVis", "01", "videos/01.mp4", "step_mcq",
         "At the start, what is the current state of the operation?", (0.001, 5.0),
         "The step in annotations/01.csv at 0 s is 0.", reference="The nasal corridor is created.",
         rubric=ANCHORED | {"safety": "1: no unsupported claim"}),
     {"D09", "D13", "D14", "D20", "D21", "D27"}),
    (row("hyperkvasir_BBPS-2-3_a1_gemini_open", "hyper-kvasir", "a1",
         "lower-gi-tract/quality/BBPS-2-3/a1.avi", "video_finding_classification",
         "Which organ, finding and quality of view does the clip show?", (0.001, 12.6),
         "videos.csv row 12: lower GI, quality, BBPS-2-3.",
         reference="The colon is well prepared, BBPS 2-3."),
     {"D09", "D16", "D21", "D30"}),
]  # fmt: skip


@pytest.mark.parametrize(("row", "found"), RELEASED, ids=[r["sample_id"] for r, _ in RELEASED])
def test_the_defects_of_a_released_row_are_found(row, found):
    problems = list(row_problems(row))
    assert {code for code, _, _ in problems} == found | COMMON, problems


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 3000 + "]" * 3000])
def test_a_value_without_end_is_no_object(tmp_path, value):
    (tmp_path / "a.jsonl").write_text(json.dumps(RELEASED[0][0]) + f'\n{{"a": {value}}}\n')
    report = check_files(tmp_path)
    assert report.rows == 1 and report.by_code()["D07"] == 1


def test_the_release_as_files(tmp_path):
    """Objects over many lines, back to back, a file for each dataset."""
    files: dict[str, str] = {}
    for one, _ in RELEASED:
        name = one["dataset"]
        files[name] = files.get(name, "") + json.dumps(one, indent=2) + "\n"
    second = RELEASED[7][0] | {"sample_id": "jigsaws_Knot_Tying_C002_closed", "video_id": "C002"}
    files["JIGSAWS"] += json.dumps(second, indent=2)
    for name, text in files.items():
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    report = check_files(tmp_path)
    assert report.rows == len(RELEASED) + 1
    assert report.by_code()["D07"] == len(files)
    assert [one.detail for one in report.findings if one.code == "D33"] == [
        "JIGSAWS/task_folder_mcq: 'knot tying' in 2 of 2"
    ]
