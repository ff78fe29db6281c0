"""What axe-core finds on a page: rules of WCAG and good practice that people rely on."""

from importlib.resources import files

SETTLED = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))"
"""Colours follow a change of scheme in the next frame."""
SOURCE = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
WORDLESS = """
[...function* () {
  const every = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (every.nextNode()) {
    const text = every.currentNode.data;
    if (/^(null|NaN)$|\\[object /.test(text)) yield ['text', text];
  }
}()]
"""
"""Values that a script wrote as text by mistake."""
RUN = """
axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations
  .filter((one) => ['serious', 'critical'].includes(one.impact))
  .map((one) => [one.id, ...one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120))]))
"""


def violations(page, source: str = SOURCE) -> list[list[str]]:
    """Serious violations: the rule and some of the elements; and values that are no words."""
    page.eval(SETTLED)
    page.eval(f"{source}; true")
    return page.eval(RUN) + page.eval(WORDLESS)
