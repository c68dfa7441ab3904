/** The pictures that stand on a page, from the top down, each with the heading above it. */

const HEADINGS = "h1, h2, h3, [data-testid='stExpander'] summary p";
const PICTURE = "svg, canvas, table, .hero";
const OURS = ".stBidiComponent, [data-testid='stBidiComponentIsolated'], [data-testid='stBidiComponentRegular']";
const THEIRS = ".js-plotly-plot";
const LEAST = { width: 120, height: 40 }; // px of a picture that is worth a file

/** @param {Document} page @returns {{title: string, key: string, node: Element}[]} */
export function found(page) {
  const main = page.querySelector("[data-testid='stMain']") ?? page.body;
  const pictures = [];
  let title = "";
  for (const node of main.querySelectorAll(`${HEADINGS}, ${OURS}, ${THEIRS}`)) {
    if (node.closest("[role='dialog']")) continue;
    if (node.matches(HEADINGS)) title = node.textContent.trim();
    else {
      const inside = node.shadowRoot ?? node;
      const root = node.matches(THEIRS) ? node : inside.querySelector(".parallax");
      const size = root?.getBoundingClientRect();
      if (!root || size.width < LEAST.width || size.height < LEAST.height) continue;
      if (!node.matches(THEIRS) && !root.querySelector(PICTURE)) continue;
      const own = root.querySelector("h1, h2, h3")?.textContent.trim();
      if (own && !root.querySelector(".hero")) title = own; // a sentence stands above its component's first heading
      pictures.push({ title, key: keyOf(node), node: root });
    }
  }
  return numbered(pictures);
}

/** The key that Streamlit writes into the class of what holds an element. */
function keyOf(node) {
  const held = node.closest("[class*='st-key-']");
  return held ? [...held.classList].find((name) => name.startsWith("st-key-")).slice(7) : "";
}

/** Pictures under one heading told apart by their number. */
export function numbered(pictures) {
  const counts = new Map();
  for (const { title } of pictures) counts.set(title, (counts.get(title) ?? 0) + 1);
  const seen = new Map();
  return pictures.map((one) => {
    if (counts.get(one.title) < 2) return one;
    const number = (seen.get(one.title) ?? 0) + 1;
    seen.set(one.title, number);
    return { ...one, title: `${one.title || "Picture"} (${number})` };
  });
}

/** A name for a file, of letters that every system takes; a long title keeps the number at its end. */
export function fileName(...parts) {
  const words = parts
    .join(" ")
    .toLowerCase()
    .normalize("NFKD")
    .match(/[a-z0-9]+/g) ?? ["picture"];
  const [, start, number] = /^(.*?)(-\d+)?$/.exec(words.join("-")) ?? [];
  return `parallax-${start?.slice(0, 60)}${number ?? ""}`;
}
