"""Lines whose mutants no test can tell from them, by how they begin, and why."""

from __future__ import annotations

EQUIVALENT = {
    "BATCH = ": "how many rows are read at once",
    '"preserve_insertion_order": ': "an order of rows that no query asks for",
    "BYTES = ": "how long a digest is",
    "KEPT = ": "how many different answers are counted",
    "CHUNK = ": "how many bytes are read at once",
    "PART = ": "how many bytes are read at once",
    "os.ftruncate(number, 0)": "the text of a lock, which is longer, covers a byte that stays",
    "MOST = ": "how many fillings one query is of",
    "ROWS_PER_BUCKET = ": "how many rows one scratch file holds",
    "THREADS = ": "how many threads the database has",
    "FAR = ": "beyond the end of any recording, however far",
    "NOBODY_LOOKED = ": "longer than any recording, however long",
    "moved = [(a[k] + a[k - 2] ": "of four numbers k - 2 and k + 2 are one place",
    "if TYPE_CHECKING:": "only what is named in annotations is imported there",
    "blocks.append(mine + (number << 32))": "of blocks of videos only which are the same",
    'if (found := data.rfind(b"\\n")) >= 0:': "a line end that is read first is seen in more of it",
    "@lru_cache(": "how much is kept",
    "@dataclass(": "whether rows of values can be changed, and have a dictionary",
}
