"""How many words of a page a visitor can read without a click."""

# What is drawn counts as a picture: words of maps, pattern labels under them, the reader's own sentence, formulas, a
# step's arrays.
PICTURES = ", ".join(
    (
        "[data-testid=stIconMaterial]", ".map-words", ".thumb-role", ".role", ".sentence", ".math", ".katex",
        ".pair-line button", ".sheet-looks", ".change-variant figcaption",
    )
)  # fmt: skip
WALK = """(pictures) => {
  const SKIP = new Set(["SCRIPT", "STYLE", "SVG", "CANVAS", "TABLE", "INPUT", "TEXTAREA", "SELECT", "NOSCRIPT"]);
  const NAME = /^(L\\d+)?H\\d+$|^L\\d+$|^[Ll]ayer \\d+$|^head \\d+$|^[^A-Za-z]*$/;
  let words = 0;
  const seen = (node) => {
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    const open = style.visibility !== "hidden" && style.clipPath === "none" && Number(style.opacity) > 0.05;
    return style.display === "contents" || (box.width > 1 && box.height > 1 && open);
  };
  const walk = (node) => {
    if (node.nodeType === 3) {
      if (NAME.test(node.textContent.trim())) return;
      for (const word of node.textContent.trim().split(/\\s+/)) if (word && !NAME.test(word)) words += 1;
      return;
    }
    if (node.nodeType !== 1 || SKIP.has(node.tagName.toUpperCase()) || node.matches(pictures)) return;
    if (node.tagName === "DETAILS" && !node.open) {
      const summary = node.querySelector("summary");
      return void (summary && walk(summary));
    }
    if (!seen(node) && !node.shadowRoot) return;
    if (node.shadowRoot) for (const child of node.shadowRoot.childNodes) walk(child);
    for (const child of node.childNodes) walk(child);
  };
  walk(document.querySelector('[data-testid="stMain"]'));
  return words;
}"""


def visible_words(page) -> int:
    """Return the words of the main part of a page that can be read without a click; names and numbers do not count."""
    return int(page.evaluate(WALK, PICTURES))
