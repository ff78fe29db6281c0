"""Facts or elements picked from many."""
