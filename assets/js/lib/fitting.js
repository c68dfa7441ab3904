/** When a component is drawn: once its fonts are there, and again whenever its width or how its letters are set changes. */

import { element } from "./spans.js";

export const REFIT = "parallax-refit"; // what a window says when it was laid out anew for paper, or back

const LETTERS = "letters of words";
const SCROLLS = ".gridwrap, .scroller, .scroll-x";

/** Whether the page is laid out for paper: nothing of that is the server's business. */
export const onPaper = () => document.documentElement.classList.contains("printing");

/** Makes what scrolls sideways on a screen as much smaller as it has to be on paper. */
function shrink(places) {
  for (const place of places) {
    place.style.zoom = "";
    if (onPaper() && place.scrollWidth > place.clientWidth) place.style.zoom = place.clientWidth / place.scrollWidth;
  }
}

/**
 * Follow the width of a root and wait for fonts, which measured words need; calls come only until `signal` aborts.
 * @param {Element} root
 * @param {string[]} fonts as CSS writes them @param {AbortSignal} signal
 * @param {{resized: (width: number) => void, ready: () => void}} told a new width in whole px, perhaps with other
 * colours: it has to be drawn before this returns; the fonts are there, or words are set otherwise than they were, as by
 * a style of the reader's own
 */
export function fitting(root, fonts, signal, { resized, ready }) {
  let width = 0;
  const sizes = new ResizeObserver(([entry]) => {
    const next = Math.floor(entry.contentRect.width);
    if (next === width || next === 0) return;
    width = next;
    resized(width);
    if (onPaper()) fit();
  });
  sizes.observe(root);
  signal.addEventListener("abort", () => sizes.disconnect());
  const fit = () => shrink(root.querySelectorAll(SCROLLS));
  const again = () => {
    resized((width = Math.floor(root.clientWidth) || width));
    fit();
  };
  globalThis.addEventListener?.(REFIT, again, { signal });
  followScreen(signal, again);
  Promise.all(fonts.map((font) => document.fonts.load(font).catch(() => null))).then(() => {
    if (signal.aborted) return;
    ready();
    document.fonts.addEventListener("loadingdone", ready, { signal }); // a text may need more than the part of a font
    followLetters(root, signal, ready);
  });
}

/** Tells when a px of the page is another number of the screen's, which canvases are drawn in. @param {AbortSignal} signal */
function followScreen(signal, told) {
  const now = globalThis.matchMedia?.(`(resolution: ${globalThis.devicePixelRatio}dppx)`);
  const changed = () => {
    told();
    followScreen(signal, told);
  };
  now?.addEventListener("change", changed, { once: true, signal });
}

/** Tells when letters are set otherwise, by how wide some that are not seen are. @param {Element} root @param {AbortSignal} signal */
function followLetters(root, signal, told) {
  const letters = element("span.letters", { "aria-hidden": "true" }, LETTERS);
  let width = 0;
  const sizes = new ResizeObserver(([{ contentRect }]) => {
    if (width && contentRect.width && contentRect.width !== width) told();
    width = contentRect.width || width; // what is not laid out has none
  });
  root.append(letters);
  sizes.observe(letters);
  signal.addEventListener("abort", () => sizes.disconnect());
}
