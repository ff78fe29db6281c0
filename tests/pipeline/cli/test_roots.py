"""A folder given with --root that can show nothing is an error, not a result without images."""

import pytest

from surgqa.pipeline.cli.app import run
from tests.transforms.view.made import write

COMMANDS = {
    "view": ["--static"], "export": ["--as", "llava", "--to"], "jobs": ["--to"],
    "evaluate": ["--command", "one=true", "--to"],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("given", "told"), [
    ("elsewhere={there}", "the output has no dataset 'elsewhere'"),
    ("films={there}/gone", "the folder of films is missing"),
])  # fmt: skip
def test_a_folder_of_no_dataset_is_an_error(tmp_path, capsys, command, given, told):
    out = write(tmp_path / "out")
    root = given.format(there=tmp_path)
    line = [command, str(out), *COMMANDS[command], str(tmp_path / "to"), "--root", root]
    assert run(line) in (2, 3)
    assert told in capsys.readouterr().err
