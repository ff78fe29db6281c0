"""``python -m surgqa.pipeline.docs``: write the generated pages of ``docs/``."""

from surgqa.pipeline.docs import write_pages

write_pages()
