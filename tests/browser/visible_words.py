"""How many words a visitor can read on a page without a click: what every page has a budget of.

Counted at 1280 × 800, on the whole page: headings, sentences, buttons, labels, keys, captions. Not counted: what stands
in pictures and tables, words of rows and columns, names of heads and layers, labels under the small maps, the reader's
own sentence, what is closed (its summary counts), what only screen readers hear, and the bar with what stands in it.
"""

from playwright.sync_api import Page

WIDTH, HEIGHT = 1280, 800
COUNT = r"""() => {
  const SKIP = new Set(["SCRIPT", "STYLE", "SVG", "CANVAS", "TABLE", "INPUT", "TEXTAREA", "SELECT", "NOSCRIPT"]);
  const NAME = /^(L\d+)?H\d+$|^L\d+$|^Layer$|^[Ll]ayer \d+$|^head \d+$|^[^A-Za-z]*$/;
  // Words of maps, the reader's sentence, formulas, a tooltip, and Share and Download in the bar.
  const IN_PICTURE = ".axis-word, .math, .sheet-looks, " +
    ".column-label, .row-label, .sentence, .cell-sentence, .katex, " +
    "[data-testid=stIconMaterial], .gauge, .tip, .cell-tip, .st-key-share, [data-testid=stDataFrame]";
  let words = 0;
  const said = [];
  const seen = (node) => {
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    const there = box.width > 1 && box.height > 1 && style.visibility !== "hidden" && style.clipPath === "none";
    return style.display === "contents" || (there && Number(style.opacity) > 0.05);
  };
  const walk = (node) => {
    if (node.nodeType === 3) {
      const shown = node.textContent.trim().split(/\s+/).filter((word) => word && !NAME.test(word));
      words += shown.length;
      said.push(...shown);
      return;
    }
    if (node.nodeType !== 1 || SKIP.has(node.tagName.toUpperCase()) || node.matches(IN_PICTURE)) return;
    if (node.tagName === "DETAILS" && !node.open) {
      const summary = node.querySelector("summary");
      if (summary) walk(summary);
      return;
    }
    if (!seen(node) && !node.shadowRoot) return;
    if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) walk(child);
    for (const child of node.childNodes) walk(child);
  };
  walk(document.querySelector('[data-testid="stMain"]'));
  return [words, said.join(" ")];
}"""


def visible_words(page: Page) -> tuple[int, str]:
    """Return how many words a page shows as it stands, and these words, for whoever has to find one too many."""
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    count, said = page.evaluate(COUNT)
    return count, said
