/**
 * A screen reader hears what changed away from where its reader is: another page, a notice, a finding that is new. They
 * are Streamlit's elements, known by their keys; a picture with a finding of its own has a live region. What a page opens
 * with is read there: findings are said once its reader has done something.
 */

const NOTICE = '[class*="st-key-notice_"]';
const FINDING = ".st-key-finding";
const DEEDS = ["pointerdown", "keydown"];
const SOON = 700; // ms in which one deed's changes come together
const SETTLED = 3000; // ms without a change, of what changes again and again: a run that counts says only its end
const HEARD = 5000; // ms after which what was said is gone: whoever reads on finds it on the page alone
const UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap";

/** @typedef {{title: string, notices: string[], found: string[]}} Standing what stands on a page */

/**
 * What is to be said of a page that changed: its name if it is another page, notices and findings that are new.
 * @param {Standing} before @param {Standing} now
 */
export function toSay(before, now) {
  const fresh = (/** @type {"notices" | "found"} */ part) => now[part].filter((text) => !before[part].includes(text));
  return [...(before.title === now.title ? [] : [now.title]), ...fresh("notices"), ...fresh("found")];
}

/** Speaks for a window's page. @param {Window} window */
export function speak(window) {
  const page = window.document;
  const voice = page.createElement("div");
  voice.setAttribute("role", "status");
  voice.style.cssText = UNSEEN;
  page.body.append(voice);

  const shown = (/** @type {string} */ which) =>
    [...page.querySelectorAll(which)].map(({ textContent }) => (textContent ?? "").trim()).filter(Boolean);
  const standing = () => ({ title: page.title, notices: shown(NOTICE), found: shown(FINDING) });
  /** @type {Standing} */
  let before = { title: page.title, notices: [], found: [] };
  let done = false; // whether the reader has done something
  let said = -SETTLED; // when a change was last seen
  let seen = JSON.stringify(before);
  let timer = 0;
  let silence = 0;

  function say() {
    timer = 0;
    said = window.performance.now();
    const now = standing();
    const lines = toSay(done ? before : { ...now, notices: before.notices }, now);
    before = now;
    if (!lines.length) return;
    voice.replaceChildren(...lines.map((line) => Object.assign(page.createElement("p"), { textContent: line })));
    window.clearTimeout(silence);
    silence = window.setTimeout(() => voice.replaceChildren(), HEARD);
  }

  for (const deed of DEEDS) page.addEventListener(deed, () => (done = true), { capture: true, passive: true });
  new MutationObserver(() => {
    const now = JSON.stringify(standing());
    if (now === seen) return;
    seen = now;
    const again = window.performance.now() - said < SETTLED;
    window.clearTimeout(timer);
    timer = window.setTimeout(say, again ? SETTLED : SOON);
  }).observe(page, { subtree: true, childList: true, characterData: true });
}
