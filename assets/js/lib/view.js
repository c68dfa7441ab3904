/** A view of one picture: drawn with the newest data whenever these, its width, its fonts or its colours change. */

import { dress } from "./colour.js";
import { fitting } from "./fitting.js";

export const PHONE = 640; // px: a component this wide or less is laid out for a phone

/**
 * @template Data
 * @param {Element} parent @param {HTMLElement} root of the view; it gets `data-ready` when it stands, and the class `narrow`
 * on a phone @param {object} tokens @param {(data: Data, colours: any, send: Tell) => void} draw
 * @param {{fonts?: string[], measure?: () => void}} needs what its words are set in, as CSS writes it; what is to be
 * measured anew when fonts have come
 */
export function viewOf(parent, root, tokens, draw, { fonts = [], measure = () => {} } = {}) {
  parent.append(root);
  const stop = new AbortController();
  /** @type {Data | null} */
  let data = null;
  /** @type {Tell} */
  let tell = () => {};
  let fontsCame = false;

  const view = {
    width: 0,
    /** Whether it is laid out for a phone. */
    narrow: () => view.width <= PHONE,
    /** Listens until the view is closed. @param {string} name @param {(event: any) => unknown} handler @param {EventTarget} node */
    listen: (name, handler, node = root) => node.addEventListener(name, handler, { signal: stop.signal }),
    /** Tells the server an event. @type {Tell} */
    send: (name, value) => tell(name, value),
    redraw,
    /** @param {Data} next @param {Tell} setTriggerValue */
    update(next, setTriggerValue) {
      [data, tell] = [next, setTriggerValue];
      redraw();
    },
    close() {
      stop.abort();
      root.remove();
    },
  };

  function redraw() {
    view.width = widthOf(root, view.width);
    if (data === null || !view.width) return;
    root.classList.toggle("narrow", view.narrow());
    const focused = placeOfFocus(root);
    draw(data, dress(root, tokens), view.send);
    if (focused >= 0 && placeOfFocus(root) < 0) root.querySelectorAll("button")[focused]?.focus();
    if (fontsCame) root.dataset.ready = "";
  }

  function ready() {
    fontsCame = true;
    measure();
    redraw();
  }

  fitting(root, fonts, stop.signal, { resized: redraw, ready });
  return view;
}

/** The width of a root in whole px; what is not laid out, as paper or a closed part of the page, keeps what it had. */
export const widthOf = (root, had) => Math.floor(root.clientWidth) || had;

/** Which of its buttons has the focus, or -1: what is drawn anew would lose it. @param {HTMLElement} root */
function placeOfFocus(root) {
  const { activeElement } = /** @type {ShadowRoot | Document} */ (root.getRootNode());
  return [...root.querySelectorAll("button")].findIndex((button) => button === activeElement);
}
