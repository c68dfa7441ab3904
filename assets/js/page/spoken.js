/**
 * A screen reader hears what changed away from where its reader is: another page, a notice, a finding that is new.
 *
 * Notices are Streamlit's elements, known by their keys; findings are told by the views that draw them. What a page
 * opens with is read there: findings are said once its reader has done something.
 */

import { FOUND } from "../lib/found.js";

const NOTICE = '[class*="st-key-notice_"]';
const DEEDS = ["pointerdown", "keydown"];
const SOON = 700; // ms in which one deed's changes come together
const SETTLED = 3000; // ms without a change, of what changes again and again: a run that counts says only its end
const MOST = 2; // findings in one go
const HEARD = 5000; // ms after which what was said is gone: whoever reads on finds it on the page alone
const UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";

/** @typedef {{title: string, notices: string[], found: string[]}} Standing what stands on a page */

/**
 * What is to be said of a page that changed: its name if it is another page, notices that are new, and findings that
 * are, of another page the first alone.
 * @param {Standing} before @param {Standing} now
 */
export function toSay(before, now) {
  const fresh = (/** @type {"notices" | "found"} */ part) => now[part].filter((text) => !before[part].includes(text));
  const turned = before.title !== now.title;
  return [...(turned ? [now.title] : []), ...fresh("notices"), ...fresh("found").slice(0, turned ? 1 : MOST)];
}

/** Speaks for a window's page. @param {Window} window */
export function speak(window) {
  const page = window.document;
  const voice = page.createElement("div");
  voice.setAttribute("role", "status");
  voice.style.cssText = UNSEEN;
  page.body.append(voice);

  /** @type {Map<Element, {found: string[], at: number}>} */
  const views = new Map();
  /** @type {Standing} */
  let before = { title: page.title, notices: [], found: [] };
  let done = false; // whether the reader has done something
  let timer = 0;
  let silence = 0;

  /** @returns {Standing} */
  function standing() {
    for (const root of views.keys()) if (!root.isConnected) views.delete(root);
    const shown = [...page.querySelectorAll(NOTICE)].map(({ textContent }) => (textContent ?? "").trim());
    return {
      title: page.title,
      notices: shown.filter(Boolean),
      found: [...views.values()].flatMap(({ found }) => found),
    };
  }

  function say() {
    timer = 0;
    const now = standing();
    const lines = toSay(done ? before : { ...now, notices: before.notices }, now);
    before = now;
    if (lines.length) speakOf(lines);
  }

  function speakOf(/** @type {string[]} */ lines) {
    voice.replaceChildren(...lines.map((line) => Object.assign(page.createElement("p"), { textContent: line })));
    window.clearTimeout(silence);
    silence = window.setTimeout(() => voice.replaceChildren(), HEARD);
  }

  function sayIn(/** @type {number} */ delay) {
    window.clearTimeout(timer);
    timer = window.setTimeout(say, delay);
  }

  for (const deed of DEEDS) page.addEventListener(deed, () => (done = true), { capture: true, passive: true });
  window.addEventListener(FOUND, (event) => {
    const { root, found } = /** @type {CustomEvent} */ (event).detail;
    const known = views.get(root);
    if (known && String(known.found) === String(found)) return;
    const at = window.performance.now();
    views.set(root, { found, at });
    sayIn(known && at - known.at < SETTLED ? SETTLED : SOON);
  });
  const isNew = (/** @type {Node} */ node) =>
    node instanceof Element && (node.matches(NOTICE) || node.querySelector(NOTICE) !== null);
  new MutationObserver((changes) => {
    if (timer) return;
    if (page.title !== before.title || changes.some(({ addedNodes }) => [...addedNodes].some(isNew))) sayIn(SOON);
  }).observe(page, { subtree: true, childList: true });
}
