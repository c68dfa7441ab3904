/**
 * What a page shows of the text before is marked as soon as another one is taken: it is dimmed, busy, and answers
 * neither pointer nor Enter. Each part loses the mark when it has come anew, and all of them when no run follows.
 *
 * Streamlit says of each part whether it is older than the run (`data-stale`), but begins to fade it half a second after
 * the run has begun, and until then nothing tells the finding of one sentence from that of another.
 */

import { anotherText, ASKED, DRAWN, STANDS } from "./another_text.js";

export const OF = "parallax-of"; // the event in which the bar says what a run is of
const BEFORE = "data-before"; // the mark, see page.css
const APP = '[data-testid="stApp"]';
const STATE = "data-test-script-state";
const PART = '[class*="st-key-page_"] [data-testid="stElementContainer"]';
const CONTROL = (
  "Button ButtonGroup Checkbox DownloadButton FileUploader LinkButton MultiSelect NumberInput PageLink " +
  "Radio Selectbox Slider TextArea TextInput"
)
  .split(" ")
  .map((kind) => `[data-testid="st${kind}"]`)
  .join();
const APART = '[class*="st-key-page_apart_"], [class*="st-key-apart_"]'; // a page of no sentence, and a place
const OF_THE_SENTENCE = ".st-key-of_the_sentence"; // in such a place, of the sentence all the same
const EXAMPLE = '[class*="st-key-example_"] button, [class*="st-key-further_example_"] button';
const CHOSEN = '[aria-checked="true"], [aria-pressed="true"]';
const QUIET = 100; // ms after the end of a run in which the next one may begin
const PATIENCE = 10_000; // ms without a run: what was taken leads to none

/** Whether a key in a field means: take it. @param {KeyboardEvent} event @param {string} tag of the field */
export function takes({ key, ctrlKey, metaKey, isComposing }, tag) {
  return key === "Enter" && !isComposing && (tag !== "TEXTAREA" || ctrlKey || metaKey);
}

/** Marks what is of the text before, from now on. @param {Window} window */
export function markBefore(window) {
  const page = window.document;
  const follows = anotherText();
  const had = new Map(); // what stood in a field before it was typed in
  const textInAddress = () => new URLSearchParams(window.location.search).get("text");
  let fields = ["text"];
  let address = textInAddress();
  let fresh = new WeakSet(); // parts that have come anew
  let ran = false;
  let stopped = false; // by the reader
  let timer = 0;
  let frame = 0;

  /** @type {() => HTMLElement | null} */
  const app = () => page.querySelector(APP);
  const running = () => !["initial", "notRunning"].includes(app()?.getAttribute(STATE) ?? "initial");

  // ---- what was taken

  const nameOf = (node) => node.matches?.("textarea, input") && fields.find((name) => node.closest(`.st-key-${name}`));

  function standing(name) {
    /** @type {HTMLInputElement | HTMLTextAreaElement} */
    const field = page.querySelector(`.st-key-${name} :is(textarea, input)`);
    return !field || (field === page.activeElement && field.value !== had.get(name)) ? null : field.value;
  }

  function take(field) {
    const name = nameOf(field);
    if (!name || had.get(name) === field.value) return;
    had.set(name, field.value);
    follows.take(name, field.value);
    turned();
  }

  function choose() {
    follows.choose();
    turned();
  }

  /** @type {(event: string, handler: (event: any) => unknown, node?: EventTarget) => void} */
  const listen = (event, handler, node = page) => node.addEventListener(event, handler, { capture: true });
  listen("focusin", ({ target }) => nameOf(target) && had.set(nameOf(target), target.value));
  listen("focusout", ({ target }) => take(target));
  listen("keydown", (event) => takes(event, event.target.tagName) && take(event.target));
  listen("click", ({ target }) => target.closest?.(EXAMPLE)?.matches(`:not(${CHOSEN})`) && choose());
  listen("popstate", () => textInAddress() !== address && choose(), window);
  listen(OF, ({ detail }) => {
    fields = Object.keys(detail).filter((name) => name !== "model");
    follows.says(detail);
    if (follows.phase === DRAWN) markAll((part) => part.dataset.stale === "true");
    turned();
  });

  // ---- what is marked

  const ofSentence = (part) => {
    if (part.querySelector(CONTROL)) return false;
    return part.closest(`${APART}, ${OF_THE_SENTENCE}`)?.matches(OF_THE_SENTENCE) ?? true;
  };

  function markAll(which = (/** @type {HTMLElement} */ _part) => true) {
    for (const part of /** @type {NodeListOf<HTMLElement>} */ (page.querySelectorAll(PART))) {
      if (part.hasAttribute(BEFORE) || !which(part) || !ofSentence(part)) continue;
      part.setAttribute(BEFORE, "");
      part.setAttribute("aria-busy", "true");
    }
  }

  /** Something was taken, said, drawn or ended. */
  function turned() {
    clearTimeout(timer);
    const { phase } = follows;
    if (phase === STANDS) parts.disconnect();
    else
      parts.observe(app() ?? page, {
        subtree: true,
        childList: true,
        attributes: true,
        attributeFilter: ["data-stale"],
      });
    if (phase !== STANDS && !running()) timer = setTimeout(ran ? ended : giveUp, ran ? QUIET : PATIENCE);
    look();
  }

  function look() {
    const { phase } = follows;
    if (phase === ASKED) {
      fresh = new WeakSet();
      markAll();
    }
    if (phase === DRAWN && running())
      for (const part of page.querySelectorAll(`[${BEFORE}][data-stale="false"]`)) fresh.add(part);
    frame ||= window.requestAnimationFrame(() => (frame = window.requestAnimationFrame(unmark))); // a part is drawn a moment after it has come
  }

  function unmark() {
    frame = 0;
    for (const part of page.querySelectorAll(`[${BEFORE}]`)) {
      if (follows.phase !== STANDS && !fresh.has(part)) continue;
      part.removeAttribute(BEFORE);
      part.removeAttribute("aria-busy");
    }
  }

  function ended() {
    ran = false;
    if (stopped) follows.giveUp();
    else follows.ended(standing);
    address = textInAddress();
    turned();
  }

  function giveUp() {
    if (app()?.dataset.testConnectionState === "CONNECTED") follows.giveUp();
    turned();
  }

  const parts = new MutationObserver(look);
  new MutationObserver(() => {
    const runs = running();
    if (runs && !ran) {
      follows.began();
      stopped = false;
    }
    ran ||= runs;
    stopped ||= app()?.getAttribute(STATE) === "stopRequested";
    turned();
  }).observe(page, { subtree: true, attributes: true, attributeFilter: [STATE] });

  // ---- what it does not answer

  const still = (event) => {
    if (!event.target.closest?.(`[${BEFORE}]`)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  listen("click", still);
  listen("keydown", (event) => ["Enter", " "].includes(event.key) && still(event));
}
