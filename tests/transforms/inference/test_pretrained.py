"""A pretrained model as a program: the words of a job as a chat, and tiny real models."""

from __future__ import annotations

import base64
import io
import json
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from surgqa.transforms.inference.pretrained import answer, conversation

JPEG = cv2.imencode(".jpg", np.full((48, 96, 3), 90, np.uint8))[1].tobytes()
IMAGE = {"caption": "Picture at 0.00 s:",
         "url": f"data:image/jpeg;base64,{base64.b64encode(JPEG).decode()}"}  # fmt: skip
BLIND = {"job_id": "a", "system": "You see.", "user": "What?", "images": []}
SEEING = BLIND | {"images": [IMAGE, IMAGE | {"caption": None}], "not_shown": ["It is lost."]}


def test_pictures_stand_behind_their_captions_and_before_the_question():
    system, user = conversation(SEEING, lambda data: data)
    assert system == {"role": "system", "content": [{"type": "text", "text": "You see."}]}
    said = [one.get("text") or one["image"] for one in user["content"]]
    assert said == ["Picture at 0.00 s:", JPEG, JPEG, "It is lost.", "What?"]


def test_a_model_that_sees_nothing_is_told_texts_alone():
    assert conversation(BLIND, None) == [
        {"role": "system", "content": "You see."}, {"role": "user", "content": "What?"},
    ]  # fmt: skip
    assert len(conversation(BLIND | {"system": ""}, None)) == 1
    with pytest.raises(ValueError, match="accepts no images"):
        conversation(SEEING, None)


def test_every_job_is_answered_as_it_is_read():
    sink = io.BytesIO()
    lines = [json.dumps(BLIND | {"job_id": name}).encode() for name in "ab"]
    answer(lines, sink, lambda messages: messages[-1]["content"] + " A", sees=False)
    assert [json.loads(line) for line in sink.getvalue().splitlines()] == [
        {"job_id": "a", "response": "What? A"}, {"job_id": "b", "response": "What? A"},
    ]  # fmt: skip


ROLES = "{% for m in messages %}{{ m['role'] }}: {% for p in m['content'] %}"
SEEN = ROLES + "{{ '<image>' if p['type'] == 'image' else p['text'] }}{% endfor %}\n{% endfor %}"
READ = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"


def letters(template: str):
    """A tokenizer of single letters."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = ["<unk>", "<s>", "</s>", "<pad>", "<image>", *(chr(n) for n in range(32, 127))]
    one = Tokenizer(models.WordLevel({w: n for n, w in enumerate(words)}, unk_token="<unk>"))
    one.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return PreTrainedTokenizerFast(
        tokenizer_object=one, unk_token="<unk>", bos_token="<s>", eos_token="</s>",
        pad_token="<pad>", additional_special_tokens=["<image>"], chat_template=template,
    )  # fmt: skip


TINY = {"hidden_size": 32, "intermediate_size": 32, "num_attention_heads": 2}


def reader(folder: Path) -> None:
    """A language model with random weights."""
    from transformers import LlamaConfig, LlamaForCausalLM

    words = letters(READ)
    words.save_pretrained(folder)
    LlamaForCausalLM(
        LlamaConfig(vocab_size=len(words), num_hidden_layers=1, **TINY)
    ).save_pretrained(folder)


def seer(folder: Path) -> None:
    """The same with an eye."""
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    words = letters(SEEN)
    eye = CLIPVisionConfig(num_hidden_layers=2, image_size=28, patch_size=14, **TINY)
    text = LlamaConfig(vocab_size=len(words), num_hidden_layers=1, **TINY)
    config = LlavaConfig(vision_config=eye, text_config=text, image_token_id=4, image_seq_length=4)
    LlavaForConditionalGeneration(config).save_pretrained(folder)
    shown = CLIPImageProcessor(size={"shortest_edge": 28}, crop_size={"height": 28, "width": 28})
    LlavaProcessor(
        shown, tokenizer=words, patch_size=14,
        vision_feature_select_strategy="default", chat_template=SEEN, num_additional_image_tokens=1,
    ).save_pretrained(folder)  # fmt: skip


def asked(folder: Path, *jobs: dict) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "surgqa.transforms.inference.pretrained", str(folder),
    "--max-tokens",
            "5"]  # fmt: skip
    text = "".join(json.dumps(job) + "\n" for job in jobs)
    return subprocess.run(line, input=text, capture_output=True, text=True, check=False)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore")
def test_real_models_answer(tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    torch.manual_seed(0)
    seer(tmp_path / "seer")
    reader(tmp_path / "reader")
    for folder, jobs in (("seer", [SEEING, BLIND | {"job_id": "b"}]), ("reader", [BLIND])):
        done = asked(tmp_path / folder, *jobs)
        assert done.returncode == 0, done.stderr
        told = [json.loads(line) for line in done.stdout.splitlines()]
        assert [one["job_id"] for one in told] == [job["job_id"] for job in jobs]
        assert all(one["response"] and "What" not in one["response"] for one in told)
    done = asked(tmp_path / "reader", SEEING)
    assert (done.returncode, done.stdout) == (3, "") and "accepts no images" in done.stderr
    done = asked(tmp_path / "nowhere", BLIND)
    assert done.returncode == 3 and "Traceback" not in done.stderr
