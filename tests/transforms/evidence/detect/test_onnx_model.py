"""On which device a detector of ONNX Runtime runs."""

from types import SimpleNamespace

import pytest

from surgqa.ontology.errors import DeviceMissing
from surgqa.transforms.evidence.detect import onnx_model
from surgqa.transforms.evidence.detect.onnx_model import CPU, CUDA
from tests.each import cases


def providers(device, *there):
    runtime = SimpleNamespace(get_available_providers=lambda: [*there, CPU])
    return onnx_model._providers(runtime, device)


@cases(("device", "number"), [("auto", 0), ("cuda", 0), ("cuda:0", 0), ("cuda:1", 1)])
def test_the_numbered_gpu_comes_before_the_cpu(device, number):
    assert providers(device, CUDA) == [(CUDA, {"device_id": number}), CPU]


@cases(("device", "there"), [("cpu", (CUDA,)), ("cpu", ()), ("auto", ())])
def test_the_cpu_alone(device, there):
    assert providers(device, *there) == [CPU]


def test_a_gpu_that_is_asked_for_and_not_there():
    with pytest.raises(DeviceMissing, match="no device cuda:1 for ONNX Runtime"):
        providers("cuda:1")


@pytest.mark.parametrize(("number", "told"), [("2", "cuda:2"), (None, "cuda:0")])
def test_the_device_that_accepted_the_model(number, told):
    options = {CUDA: {} if number is None else {"device_id": number}}
    on_gpu = SimpleNamespace(
        get_providers=lambda: [CUDA, CPU], get_provider_options=lambda: options
    )
    assert onnx_model._ran_on(on_gpu) == told
    assert onnx_model._ran_on(SimpleNamespace(get_providers=lambda: [CPU])) == "cpu"
