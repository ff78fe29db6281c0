"""Checkpoints, configurations, devices and what is said where one of them is wrong."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.evidence.base import device_of
from surgqa.transforms.evidence.segment import Extractor, MaskPrompt, Sam2Predictor, extractor
from surgqa.transforms.evidence.segment.model import beside_weights, config_of

PROMPT = MaskPrompt(0, "hook", 0, (0.1, 0.1, 0.5, 0.5), None, 0, 1)


def shapes(width, blocks, newer):
    told = {"image_encoder.trunk.patch_embed.proj.weight": (width, 3, 7, 7)}
    told |= {f"image_encoder.trunk.blocks.{n}.norm1.weight": (width,) for n in range(blocks)}
    return told | ({"no_obj_embed_spatial": (1, 64)} if newer else {})


@pytest.mark.parametrize(
    ("width", "blocks", "size"), [(96, 12, "t"), (96, 16, "s"), (112, 24, "b+"), (144, 48, "l")]
)
def test_the_configuration_follows_from_the_weights(tmp_path, width, blocks, size):
    path = tmp_path / "any name.pt"
    assert (
        config_of(shapes(width, blocks, True), path) == f"configs/sam2.1/sam2.1_hiera_{size}.yaml"
    )
    assert config_of(shapes(width, blocks, False), path) == f"configs/sam2/sam2_hiera_{size}.yaml"


@pytest.mark.parametrize("odd", [{}, shapes(16, 5, True)])
def test_other_weights_need_a_configuration(tmp_path, odd):
    with pytest.raises(UserError, match=r"mine\.json"):
        config_of(odd, tmp_path / "mine.pt")


@pytest.mark.parametrize(
    "text",
    [
        "{", "[]", '{"model": 1}', '{"overrides": []}',
        '{"overrides": {"image_encoder._target_": 1}}', '{"overrides": {"a b": 1}}',
        '{"overrides": {"image_size": "os.system"}}', '{"overrides": {"trunk": {"_target_": 1}}}',
        '{"overrides": {"stages": [1, "x"]}}',
    ],
)  # fmt: skip
def test_a_configuration_beside_the_weights_sets_values_and_names_no_code(tmp_path, text):
    (tmp_path / "w.json").write_text(text)
    with pytest.raises(UserError, match="next to the weights"):
        beside_weights(tmp_path / "w.pt")


def test_a_good_configuration_beside_the_weights_is_read(tmp_path):
    assert beside_weights(tmp_path / "w.pt") == {}
    (tmp_path / "w.json").write_text('{"config": "c", "overrides": {"a.b_2": [1, 2], "c": false}}')
    assert beside_weights(tmp_path / "w.pt")["overrides"] == {"a.b_2": [1, 2], "c": False}


def test_devices():
    told = {("auto", 2): "cuda:0", ("auto", 0): "cpu", ("cpu", 2): "cpu", ("cuda:1", 2): "cuda:1",
            ("cuda", 1): "cuda:0"}  # fmt: skip
    assert {given: device_of(*given) for given in told} == told
    for wanted, gpus in (("cuda:0", 0), ("cuda", 0), ("cuda:1", 1), ("tpu", 1), ("cuda:x", 1)):
        with pytest.raises(UserError, match="--device auto"):
            device_of(wanted, gpus)


def test_without_the_package_the_user_is_told_what_to_install(settings, monkeypatch):
    monkeypatch.setitem(sys.modules, "sam2", None)
    limits = replace(settings, image_size=64)  # a model of its own, not one that is loaded
    with pytest.raises(UserError, match=r"pip install 'surgqa\[segment\]'"):
        list(Sam2Predictor(limits).track([np.zeros((8, 8, 3), np.uint8)], [PROMPT]))
    monkeypatch.setattr(extractor, "LIBRARIES", ("a package that nobody has",))
    with pytest.raises(UserError, match=r"pip install 'surgqa\[segment\]'"):
        Extractor(limits).basis()


def test_nothing_to_track_loads_nothing(settings):
    assert list(Sam2Predictor(settings).track([], [PROMPT])) == []
    assert list(Sam2Predictor(settings).track([np.zeros((8, 8, 3), np.uint8)], [])) == []
