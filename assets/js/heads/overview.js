/**
 * The sentence with the arcs of two heads, the finding, the answer about a word, and all heads as small maps. Pointing
 * at a head redraws arcs and finding without the server; a click sends "head" with its name, or "word" with a position.
 */

import { gridMove, reachWord, rowMove, sideways } from "../lib/keyboard.js";
import { nthHead, thumbnailSize } from "../lib/grid.js";
import { element, spanNodes } from "../lib/spans.js";
import { viewOf } from "../lib/view.js";
import { askView } from "./ask.js";
import { gridView, legend } from "./grid.js";
import { saidView } from "./finding.js";
import { sentenceView } from "./sentence.js";
import { answerConnection, focusKey, headAbout, headLinks, sideOf } from "./spec.js";

/**
 * What is pointed at: a head by its number, or -1; a line of the answers with it, or that it is a pin's number.
 * @typedef {{index: number, row?: {ask?: string, way?: string, other?: string, share?: string, usual?: string}, pin?: boolean}} Shown
 */

/** @type {Shown} */
const NOBODY = { index: -1 };

export default function createOverview(parent, tokens) {
  const root = element("div.parallax.overview");
  const sentence = sentenceView(root);
  const said = saidView(root);
  const ask = askView(root);
  const every = element("section.every", { "aria-label": "all heads" });
  root.append(every);
  const title = element("h2");
  const lead = element("p.lead");
  const key = element("div.legend");
  const tools = element("div.tools", key);
  const swipe = element("div.swipe", element("span", "Tap a head to pin it"), element("b", "swipe for more →"));
  every.append(element("div.headline", title, lead), tools, swipe);
  const grid = gridView(every);
  const about = element("p.about-layout");
  every.append(about);

  let spec = null;
  let arrays = null;
  let colours = null;
  let pointed = NOBODY; // what the mouse is on: a head by its number, perhaps one connection of it
  let focused = NOBODY; // what the keyboard reached
  let closed = null; // the word whose answers were closed: it gets the focus

  const fonts = ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"'];
  const view = viewOf(parent, root, tokens, draw, { fonts, measure: () => sentence.remeasure() });
  const { listen, narrow, send } = view;
  const preview = () => (pointed.index >= 0 ? pointed : focused);
  const pinIndex = (name) => grid.cells.findIndex((_, i) => nthHead(i, spec.heads) === name);

  /** A head as the sentence shows it. @param {Shown} shown */
  function subject({ index, row }) {
    if (index < 0) return null;
    if (row) return connection(answerConnection(spec, { index, row }));
    const links = headLinks(spec, arrays, index);
    return { ...named(index), links, look: spec.looks[index], focus: focusKey(spec, index), side: sideOf(spec, index) };
  }

  /**
   * One connection of a head at the selected word, or all of its connections from that word.
   * @param {[number, number, number, number, number | null]} connection
   */
  function connection([index, query, key, share, usual]) {
    const alone = key === spec.lock;
    const links = alone ? [{ q: query, k: key, weight: share / 100 }] : headLinks(spec, arrays, index);
    return { ...named(index), links, look: [query, key, share, usual], focus: focusKey(spec, index), alone, side: "" };
  }

  const named = (index) => ({
    name: nthHead(index, spec.heads),
    number: numberOf(index),
    about: headAbout(spec, index),
  });

  /** The heads on the sentence: the one that leads an answer, else two pins, the first giving way to a preview. */
  function drawSentence() {
    const pins = spec.leading ? [] : spec.pins.slice(0, 2).map(pinIndex);
    const subjects = spec.leading ? [connection(spec.leading)] : pins.map((index) => subject({ index }));
    const shown = preview();
    const place = pins.indexOf(shown.index);
    if (shown.index >= 0 && (place < 0 || shown.row)) subjects[Math.max(0, place)] = subject(shown);
    sentence.draw(spec, colours, view.width, narrow(), [subjects[0] ?? null, subjects[1] ?? null]);
  }

  function numberOf(index) {
    const place = spec.pins.indexOf(nthHead(index, spec.heads));
    return place < 0 ? null : place + 1;
  }

  function showPreview() {
    const { index, row } = preview();
    grid.point(row ? -1 : index);
    drawSentence();
    said.drawFinding(spec, preview(), index >= 0 && numberOf(index) !== null, narrow());
    said.note.style.visibility = row ? "hidden" : ""; // it is about the finding, and another connection is shown
  }

  function draw(data, now) {
    ({ header: spec, arrays } = data);
    colours = now;
    root.classList.toggle("large", spec.large);
    title.textContent = spec.title;
    lead.textContent = spec.lead;
    key.replaceChildren(...legend(colours, spec.say, spec.ablated.length > 0));
    const count = grid.shape(spec, narrow());
    const cells = Math.max(arrays.maps.shape[2], arrays.maps.shape[3]);
    const room = { column: view.width, heads: spec.heads, cells, narrow: narrow(), large: spec.large };
    grid.place(thumbnailSize({ ...room, sideways: grid.turned ? spec.layers : 0 }));
    grid.paint(spec, arrays, colours);
    grid.mark(spec);
    about.replaceChildren(...spanNodes(spec.about ?? []));
    if (pointed.index >= count || pointed.row) pointed = NOBODY;
    if (focused.index >= count || focused.row) focused = NOBODY;
    sentence.setPieces(spec.pieces, spec.asks);
    said.drawNote(spec, narrow());
    showPreview();
    ask.draw(spec, colours, narrow());
    swipe.hidden = !narrow();
    if (closed !== null && !spec.asked) sentence.focusWord(closed);
    closed = null;
  }

  function close() {
    closed = spec.lock;
    send("word", { position: null });
  }

  /** What an event is on: a head of the grid, a line of the answers, a pin's number. @returns {Shown} */
  function target(node) {
    const row = node.closest?.("[data-ask]");
    const pin = node.closest?.("[data-pin]");
    if (row) return { index: Number(row.dataset.index), row: { ...row.dataset } };
    if (pin) return { index: pinIndex(spec.pins[Number(pin.dataset.pin)]), pin: true };
    return { index: grid.headAt(node) };
  }

  const pin = (index) => send("head", { head: nthHead(index, spec.heads) });
  const select = (word) => send("word", { position: Number(word.dataset.at) });

  function onKey(event) {
    if (event.altKey || event.metaKey) return;
    const index = grid.headAt(event.target);
    const word = event.target.closest?.(".hero [data-at]");
    const press = event.key === "Enter" || event.key === " ";
    if (event.key === "Escape" && spec.asked) close();
    else if (word) {
      const words = [...word.parentElement.querySelectorAll("[data-at]")];
      const next = rowMove(sideways(event.key, Boolean(spec.rtl)), words.indexOf(word), words.length);
      if (press) select(word);
      else if (next === null) return;
      else reachWord(words, next);
    } else if (index >= 0) {
      const next = gridMove(event.key, event.ctrlKey, index, spec.layers, spec.heads, grid.turned);
      if (next !== null) grid.reach(next, true);
      else if (press && !event.repeat) pin(index);
      else return;
    } else return;
    event.preventDefault();
  }

  const same = (one, other) => one.index === other.index && one.row?.ask === other.row?.ask;
  const pointAt = (next) => {
    if (same(next, pointed)) return;
    pointed = next;
    showPreview();
  };
  listen("pointerover", (event) => {
    if (event.pointerType !== "mouse" || !spec) return;
    const next = target(event.target);
    const beside = pointed.pin && next.index < 0 && said.contains(event.target);
    if (!beside) pointAt(next); // the number of a pin may have moved a little from under the pointer
  });
  listen("pointerleave", () => pointAt(NOBODY));
  listen("focusin", (event) => {
    const index = grid.headAt(event.target);
    if (index >= 0) grid.reach(index, false);
    const next = event.target.matches(":focus-visible") ? target(event.target) : NOBODY;
    if (!same(next, focused)) {
      focused = next;
      if (next.index >= 0) pointed = NOBODY; // the mouse may still rest somewhere; what was done last counts
      showPreview();
    }
  });
  listen("focusout", () => {
    if (focused.index < 0) return;
    focused = NOBODY;
    showPreview();
  });
  listen("keydown", onKey);
  listen("click", (event) => {
    const shown = target(event.target);
    const word = event.target.closest(".hero [data-at]");
    const more = event.target.closest("[data-more]");
    if (shown.pin) pointAt(shown);
    else if (shown.index >= 0) pin(shown.index);
    else if (word && spec.asks) select(word);
    else if (event.target.closest("[data-close]")) close();
    else if (more) {
      ask.more(Number(more.dataset.more));
      view.redraw();
    }
  });
  return {
    update: view.update,
    close() {
      said.close();
      view.close();
    },
  };
}
