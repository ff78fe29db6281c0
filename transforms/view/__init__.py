"""View a finished dataset in the browser: SQL queries over its files, and a page for the results.

DuckDB reads the Parquet files where they are. No dataset is changed or loaded completely.
"""

from surgqa.transforms.view.api import Api
from surgqa.transforms.view.database import Database
from surgqa.transforms.view.server import Server

__all__ = ["Api", "Database", "Server"]
