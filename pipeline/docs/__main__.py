"""``python -m pipeline.docs``: write the generated pages of ``docs/``."""

from pipeline.docs import write_pages

write_pages()
