/** Where a key leads in a grid of heads or a row of words; what it can reach. */

const STEPS = new Map([
  ["ArrowLeft", [0, -1]],
  ["ArrowRight", [0, 1]],
  ["ArrowUp", [-1, 0]],
  ["ArrowDown", [1, 0]],
]);

const TURNED = { ArrowLeft: "ArrowUp", ArrowRight: "ArrowDown", ArrowUp: "ArrowLeft", ArrowDown: "ArrowRight" };

/**
 * The head that a key moves to, or null when the key means nothing here. Edges hold; Home and End go to the ends of the
 * layer, with Ctrl to the first and last head of all. In a grid that is turned, layers run from left to right.
 */
export function gridMove(pressed, ctrl, index, layers, heads, isTurned = false) {
  const key = (isTurned && TURNED[pressed]) || pressed;
  const layer = Math.floor(index / heads);
  const head = index % heads;
  if (key === "Home") return ctrl ? 0 : layer * heads;
  if (key === "End") return ctrl ? layers * heads - 1 : layer * heads + heads - 1;
  if (!STEPS.has(key)) return null;
  const [down, right] = STEPS.get(key);
  return clamp(layer + down, layers) * heads + clamp(head + right, heads);
}

/** The word that a key moves to among a row of words, or null. */
export function rowMove(key, index, count) {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (!STEPS.has(key)) return null;
  const [down, right] = STEPS.get(key);
  return clamp(index + down + right, count);
}

/** Makes one of some words, which are one stop of the Tab key, the one that it reaches, with the focus. */
export function reachWord(words, at) {
  for (const word of words) word.tabIndex = -1;
  words[at].tabIndex = 0;
  words[at].focus();
}

/** An arrow key as it is meant where places run from right to left: those to the sides change theirs. */
export function sideways(key, rtl) {
  return (rtl && { ArrowLeft: "ArrowRight", ArrowRight: "ArrowLeft" }[key]) || key;
}

/** Lets the Tab key reach those of some places that scroll sideways, so that arrow keys scroll them; the others are no stop. */
export function reachScrolling(places) {
  for (const place of places)
    if (place.scrollWidth > place.clientWidth + 1) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
}

function clamp(value, count) {
  return Math.max(0, Math.min(count - 1, value));
}
