/** What a view has found, told to whoever speaks for the page (`page/spoken.js`): a shadow root hides it from there. */

export const FOUND = "parallax-found";

/** Tells the findings that a view shows now, each once. @param {Element} root of the view @param {Iterable<Element>} lines */
export function tellFound(root, lines) {
  const found = [...lines].map(textOf).filter(Boolean);
  window.dispatchEvent(new CustomEvent(FOUND, { detail: { root, found: [...new Set(found)] } }));
}

/** A line as it is heard. @param {Element} line */
const textOf = (line) => (line.textContent ?? "").replace(/\s+/gu, " ").trim();
