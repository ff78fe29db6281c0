"""``python -m pipeline.cli``: the same as ``surgqa``."""

from pipeline.cli.app import main

if __name__ == "__main__":
    main()
