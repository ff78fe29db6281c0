"""``python -m surgqa.pipeline.cli``: the same as ``surgqa``."""

from surgqa.pipeline.cli.app import main

if __name__ == "__main__":
    main()
