"""A worker that cuts clips does without Beam."""

import subprocess
import sys


def test_workers_that_cut_do_not_import_beam():
    code = (
        "import pickle, sys; from surgqa.transforms.steps.cut_piece import cut_piece;"
        "pickle.loads(pickle.dumps(cut_piece));"
        "print(sorted(name for name in sys.modules if name == 'apache_beam'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
