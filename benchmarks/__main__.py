"""``python -m benchmarks``: the command that ``make bench`` runs."""

from benchmarks.bench import main

if __name__ == "__main__":
    raise SystemExit(main())
