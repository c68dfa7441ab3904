/**
 * What views do alike: one is drawn for a width and in the colours of the theme, stands once its fonts are there, and is
 * drawn again whenever one of these is another. On what screen it stands the page is told, for the rest waits for that.
 */

import { dress } from "./colour.js";
import { fitting, onPaper } from "./fitting.js";

export const NARROW = 640; // a component this wide or less is laid out for a phone

/**
 * @param {HTMLElement} root of the view; it gets `data-ready` when it stands, and the class `narrow` on a phone
 * @param {object} tokens
 * @param {{fonts: string[], draw: () => void, measure?: () => void, waits?: boolean}} view what its words are set in;
 * how it is drawn; what is to be measured anew when fonts have come; whether it cannot be drawn before they are there
 */
export function standing(root, tokens, { fonts, draw, measure = () => {}, waits = false }) {
  const stop = new AbortController();
  let given = false; // whether there is something to draw
  let fontsCame = false;
  /** @type {Tell[]} */
  let [send, tell] = [() => {}, () => {}];
  let told = "";

  const look = {
    width: 0,
    colours: null,
    /** Whether it is laid out for a phone. */
    narrow: () => look.width <= NARROW,
    /** Listens until the view is closed. @param {string} name @param {(event: any) => unknown} handler @param {EventTarget} node */
    listen: (name, handler, node = root) => node.addEventListener(name, handler, { signal: stop.signal }),
    signal: stop.signal,
    /** Tells the server an event. @type {Tell} */
    trigger: (name, value) => send(name, value),
    redraw,
    /** Takes note that there is something new to draw, and of how the server is told. @param {Tell} setTriggerValue @param {Tell} setStateValue */
    update(setTriggerValue, setStateValue = () => {}) {
      [given, send, tell] = [true, setTriggerValue, setStateValue];
      look.colours = dress(root, tokens);
      look.width = widthOf(root, look.width);
      if (fontsCame && root.dataset.ready === undefined)
        stand(); // what is unpacked may come behind the fonts
      else redraw();
    },
    close() {
      stop.abort();
      root.remove();
    },
  };

  function redraw() {
    if (!given || !look.width || (waits && !fontsCame)) return;
    root.classList.toggle("narrow", look.narrow());
    draw();
    if (root.dataset.ready === "") tellScreen();
  }

  function stand() {
    measure();
    redraw();
    root.dataset.ready = "";
    tellScreen();
  }

  function tellScreen() {
    const screen = look.narrow() ? "narrow" : "wide";
    if (told !== screen && !onPaper()) tell("screen", (told = screen));
  }

  fitting(root, fonts, stop.signal, {
    resized(next) {
      look.width = next;
      redraw();
    },
    refit(next) {
      [look.width, look.colours] = [next, dress(root, tokens)];
      redraw();
    },
    ready() {
      fontsCame = true;
      look.width = widthOf(root, look.width);
      if (given) stand();
    },
  });
  return look;
}

/** The width of a root in whole px; what is not laid out, as paper or a closed part of the page, keeps what it had. */
export const widthOf = (root, had) => Math.floor(root.clientWidth) || had;
