/** The component "sentence + overview": what Streamlit calls on every update, and everything that listens. */

import { fingerprint } from "../lib/envelope.js";
import { gridMove, reachWord, rowMove, sideways } from "../lib/keyboard.js";
import { nthHead, thumbnailSize } from "../lib/grid.js";
import { resting } from "../lib/resting.js";
import { lineBoxes } from "../lib/sentence.js";
import { element, spanNodes } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { askView } from "./ask.js";
import { gridView, legend } from "./grid.js";
import { aiming, asksOf, cellLine } from "./one_cell.js";
import { saidView } from "./finding.js";
import { sentenceView } from "./sentence.js";
import { swipeText } from "./sight.js";
import { focusKey, headAbout, headLinks, sideOf } from "./spec.js";

/**
 * What is pointed at: a head by its number, or -1; a line of the answers with it, or that it is a pin's number.
 * @typedef {{index: number, row?: {side?: string, other?: string, share?: string}, pin?: boolean}} Shown
 */

/** @type {Shown} */
const NOBODY = { index: -1 };

export default function createOverview(parent, tokens) {
  const root = element("div.parallax.overview");
  parent.append(root);
  const sentence = sentenceView(root);
  const said = saidView(root);
  const ask = askView(root);
  const every = element("section.every", { "aria-label": "all heads" });
  root.append(every);
  const title = element("h2");
  const lead = element("p.lead");
  const key = element("div.legend");
  const tools = element("div.tools");
  every.append(element("div.headline", title, lead), tools);
  const swipe = element("div.swipe", element("span"), element("b"));
  every.append(swipe);
  const grid = gridView(every);
  const below = element("div.below");
  const about = element("p.about-layout");
  below.append(about);
  tools.append(key);
  every.append(below);

  let spec = null;
  let arrays = null;
  let painted = "";
  let pointed = NOBODY; // what the mouse is on: a head by its number, perhaps one look of it
  let focused = NOBODY; // what the keyboard reached
  let swiped = false;
  let closing = false; // the answers were closed: the focus goes to their word

  const fonts = ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"'];
  const look = standing(root, tokens, { fonts, draw: drawAll, measure: () => sentence.remeasure() });
  const { listen, narrow, trigger } = look;
  const preview = () => (pointed.index >= 0 ? pointed : focused);
  const pinIndex = (name) => grid.cells.findIndex((_, i) => nthHead(i, spec.heads) === name);

  /**
   * A head as the sentence shows it; `row` is a line of the answers, which shows one look at the word alone.
   * @param {Shown} shown @param {number | null} number of its pin
   */
  function subject({ index, row }, number) {
    if (index < 0) return null;
    const one =
      row && row.side === "1" ? { q: Number(row.other), k: spec.lock, weight: Number(row.share) / 100 } : null;
    return {
      name: nthHead(index, spec.heads),
      number,
      about: headAbout(spec, index),
      links: one ? [one] : headLinks(spec, arrays, index),
      look: one
        ? [one.q, one.k, Number(row.share)]
        : row
          ? [spec.lock, Number(row.other), Number(row.share)]
          : spec.looks[index],
      focus: focusKey(spec, index),
      alone: Boolean(one),
      side: row ? "" : sideOf(spec, index),
    };
  }

  /** The heads on the sentence: the first two pins, the first giving way to a preview of a head that is not one of them. */
  function drawSentence() {
    const pins = spec.pins.slice(0, 2).map(pinIndex);
    const subjects = pins.map((index, i) => subject({ index }, i + 1));
    const shown = preview();
    const place = pins.indexOf(shown.index);
    if (shown.index >= 0 && (place < 0 || shown.row))
      subjects[Math.max(0, place)] = subject(shown, numberOf(shown.index));
    sentence.draw(spec, look.colours, look.width, narrow(), [subjects[0] ?? null, subjects[1] ?? null]);
  }

  function numberOf(index) {
    const place = spec.pins.indexOf(nthHead(index, spec.heads));
    return place < 0 ? null : place + 1;
  }

  function showPreview() {
    const { index, row } = preview();
    grid.point(row ? -1 : index);
    showTip();
    drawSentence();
    said.drawFinding(spec, preview(), index >= 0 && numberOf(index) !== null, narrow());
    said.note.style.visibility = row ? "hidden" : ""; // it is about the pinned heads, and another's look is told above it
  }

  /** The rows and columns of a thumbnail, as they are drawn. */
  const mapShape = () => ({
    rows: arrays.maps.shape[2],
    columns: arrays.maps.shape[3],
    causal: spec.causal,
  });

  function showTip() {
    const { index, row } = preview();
    const quiet = narrow() || row || pointed.pin !== undefined;
    grid.frame(aim.at, mapShape());
    if (aim.at) grid.tooltip(spec, aim.at.index, cellLine(spec, aim.at.cell));
    else grid.tooltip(spec, quiet ? -1 : index);
  }

  function openCell({ index, cell }) {
    trigger("cell", { head: nthHead(index, spec.heads), query: cell.q, key: cell.k });
  }

  function openNamed(index) {
    trigger("one_cell", { head: nthHead(index, spec.heads) });
  }

  function drawAll() {
    root.classList.toggle("large", spec.large);
    title.textContent = spec.title;
    lead.textContent = spec.lead;
    key.replaceChildren(...legend(look.colours, spec.scale, spec.say, spec.brought));
    const count = grid.shape(spec, narrow());
    const cells = Math.max(arrays.maps.shape[2], arrays.maps.shape[3]);
    grid.place(
      thumbnailSize({
        column: look.width,
        heads: spec.heads,
        cells,
        narrow: narrow(),
        large: spec.large,
      }),
    );
    const picture = `${count} ${fingerprint(arrays.maps.data)} ${spec.scale} ${spec.causal} ${narrow()} ${look.colours.ramp} ${Boolean(arrays.left)}`;
    if (picture !== painted) grid.paint(spec, arrays, look.colours);
    painted = picture;
    grid.mark(spec);
    about.replaceChildren(...spanNodes(spec.about ?? []));
    if (pointed.index >= count || pointed.row) pointed = NOBODY;
    if (focused.index >= count || focused.row) focused = NOBODY;
    sentence.setPieces(spec.pieces, spec.asks);
    said.drawNote(spec, narrow());
    showPreview();
    const { pieces, widths, gaps } = sentence.parts;
    ask.draw(
      spec,
      look.colours,
      lineBoxes(widths, gaps, 100).map((box, i) => ({ ...box, at: pieces[i].at })),
      narrow(),
    );
    drawSwipe();
    if (closing && !spec.asked) sentence.focusLocked();
    closing = false;
  }

  function drawSwipe() {
    swipe.hidden = !narrow() || !grid.cells.length;
    swipe.firstChild.textContent = spec.cells ? "Tap: pin · Hold: numbers of one cell" : "Tap a head to pin it";
    if (!swipe.hidden) swipe.lastChild.textContent = swipeText(grid.visible(spec.heads), spec.heads, swiped);
  }

  function close() {
    closing = true;
    trigger("asked", { position: null });
  }

  /** What an event is on: a head of the grid, a line of the answers, a pin's number. @returns {Shown} */
  function target(node) {
    const row = node.closest?.("[data-ask]");
    const pin = node.closest?.("[data-pin]");
    if (row) return { index: Number(row.dataset.index), row: { ...row.dataset } };
    if (pin) return { index: pinIndex(spec.pins[Number(pin.dataset.pin)]), pin: true };
    return { index: grid.headAt(node) };
  }

  const asks = {
    pin: (index) => trigger("picked", { head: nthHead(index, spec.heads) }),
    cell: openNamed,
  };

  function onKey(event) {
    if (event.altKey || event.metaKey) return;
    const index = grid.headAt(event.target);
    const word = event.target.closest?.(".hero [data-at]");
    const press = event.key === "Enter" || event.key === " ";
    if (event.key === "Escape" && spec.asked) close();
    else if (word) {
      const words = [...word.parentElement.querySelectorAll("[data-at]")];
      const next = rowMove(sideways(event.key, Boolean(spec.rtl)), words.indexOf(word), words.length);
      if (press) trigger("asked", { position: Number(word.dataset.at) });
      else if (next === null) return;
      else reachWord(words, next);
    } else if (index >= 0) {
      const next = gridMove(event.key, event.ctrlKey, index, spec.layers, spec.heads);
      const asked = asksOf(event.key, event.shiftKey, spec.cells);
      if (next !== null) grid.reach(next, true);
      else if (asked && !event.repeat) asks[asked](index);
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
  const aim = aiming(listen, grid, () => (spec?.cells ? mapShape() : null), showTip);
  const rest = resting(listen, (node) => (spec?.cells && grid.headAt(node) >= 0 ? grid.headAt(node) : null), openNamed);
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
    if (rest.swallows()) return;
    const { index, row, pin } = target(event.target);
    const word = event.target.closest(".hero [data-at]");
    const more = event.target.closest("[data-more]");
    if (pin) pointAt({ index, pin });
    else if (index >= 0 && !row && spec.cells && event.shiftKey) {
      if (aim.pressed?.index === index) openCell(aim.pressed);
    } else if (index >= 0) {
      trigger("picked", { head: nthHead(index, spec.heads) });
    } else if (word) trigger("asked", { position: Number(word.dataset.at) });
    else if (event.target.closest("[data-close]")) close();
    else if (more) {
      ask.more(Number(more.dataset.more));
      look.redraw();
    }
  });
  listen(
    "scroll",
    () => {
      swiped ||= grid.wrap.scrollLeft > 20;
      if (spec) drawSwipe();
    },
    grid.wrap,
  );

  return {
    update(data, setTriggerValue, setStateValue) {
      ({ header: spec, arrays } = data);
      aim.forget();
      look.update(setTriggerValue, setStateValue);
    },
    close() {
      said.close();
      look.close();
    },
  };
}
