"""View a finished dataset: queries over its files, and a page that shows the results.

Nothing here changes a dataset or loads it completely: DuckDB reads the Parquet files in place.
"""

from surgqa.transforms.view.api import Api
from surgqa.transforms.view.database import Database
from surgqa.transforms.view.server import Server

__all__ = ["Api", "Database", "Server"]
