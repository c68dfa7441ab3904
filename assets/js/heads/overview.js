/** The component "sentence + overview": what Streamlit calls on every update, and everything that listens. */

import { dress } from "../lib/colour.js";
import { fingerprint, openEnvelope } from "../lib/envelope.js";
import { fitting, onPaper } from "../lib/fitting.js";
import { gridMove, rowMove } from "../lib/keyboard.js";
import { NARROW, lineBoxes, screenOf, thumbnailSize } from "../lib/layout.js";
import { element, plainText, spanNodes } from "../lib/spans.js";
import { askView } from "./ask.js";
import { gridView, legend } from "./grid.js";
import { focusKey, headAbout, headLinks, headName, headSentence, onlyHead, pointing } from "./spec.js";
import { rolesView } from "./roles.js";
import { sentenceView } from "./sentence.js";
import { sight, swipeText } from "./sight.js";
import { stripView } from "./strip.js";

const LIVE_DELAY = 200; // ms a preview must last before a screen reader hears it
const NOBODY = { index: -1 };

export default function createOverview(parent, tokens) {
  const root = element("div", { class: "parallax overview" });
  parent.append(root);
  const strip = stripView(root); // first, so that it stands under the bar however far the heads are below
  const sentence = sentenceView(root);
  const finding = element("h1", { class: "finding" });
  const note = element("p", { class: "note" });
  root.append(finding, note);
  const ask = askView(root);
  const every = element("section", { class: "every", "aria-label": "all heads" });
  root.append(every);
  const title = element("h2");
  const key = element("div", { class: "legend" });
  const headline = element("div", { class: "headline" }, title, key);
  every.append(headline);
  const filter = { role: null, near: false, rule: false };
  const roles = rolesView(every, headline, filter, () => drawAll());
  const swipe = element("div", { class: "swipe" }, element("span", {}, "Tap a head to pin it."), element("b"));
  every.append(swipe);
  const grid = gridView(every);
  const back = element("button", { type: "button", class: "plain-button", "data-back": "" }, "All back");
  const hint = element("span", { class: "hint" });
  const about = element("p", { class: "roles-about" });
  const live = element("div", { class: "unseen", "aria-live": "polite" });
  every.append(about, element("div", { class: "below" }, back, hint));
  root.append(live);

  let spec = null;
  let arrays = null;
  let colours = null;
  let painted = "";
  let trigger = () => {};
  let tell = () => {};
  let told = ""; // what the page was told of the screen, once something was drawn on it
  let pointed = NOBODY; // what the mouse is on: a head by its number, perhaps one look of it
  let focused = NOBODY; // what the keyboard reached
  let tapped = -1; // the head that a finger pinned last: the strip shows it
  let width = 0;
  let timer = 0;
  let swiped = false;
  let closing = false; // the answers were closed: the focus goes to their word

  const narrow = () => width <= NARROW;
  const preview = () => (pointed.index >= 0 ? pointed : focused);
  const pinIndex = (name) => grid.cells.findIndex((_, i) => headName(i, spec.heads) === name);

  /** A head as the sentence shows it; `row` is a line of the answers, which shows one look at the word alone. */
  function subject({ index, row }, number) {
    if (index < 0) return null;
    const one = row && row.side === "1" ? { q: Number(row.other), k: spec.lock, weight: Number(row.share) / 100 } : null;
    return {
      name: headName(index, spec.heads),
      number,
      about: headAbout(spec, index),
      links: one ? [one] : headLinks(spec, arrays, index),
      look: one ? [one.q, one.k, Number(row.share)] : row ? [spec.lock, Number(row.other), Number(row.share)] : spec.looks[index],
      focus: focusKey(spec, index),
      alone: Boolean(one),
    };
  }

  /** The heads on the sentence: the first two pins, the first giving way to a preview of a head that is not one of them. */
  function drawSentence() {
    const pins = spec.pins.slice(0, 2).map(pinIndex);
    const subjects = pins.map((index, i) => subject({ index }, i + 1));
    const shown = preview();
    const place = pins.indexOf(shown.index);
    if (shown.index >= 0 && (place < 0 || shown.row)) subjects[Math.max(0, place)] = subject(shown, numberOf(shown.index));
    sentence.draw(spec, colours, width, narrow(), [subjects[0] ?? null, subjects[1] ?? null]);
    const small = shown.index >= 0 && !shown.row ? shown.index : numberOf(tapped) ? tapped : (pins[0] ?? -1);
    strip.draw(spec, subject({ index: small }, null), small, sentence.parts, colours, width, narrow());
  }

  function numberOf(index) {
    const place = spec.pins.indexOf(headName(index, spec.heads));
    return place < 0 ? null : place + 1;
  }

  /** What is said of a preview: the sentence of the head, or of the line of the answers that is pointed at. */
  function previewSaid({ index, row }) {
    if (!row) return headSentence(spec, index);
    const [query, to] = row.side === "1" ? [Number(row.other), spec.lock] : [spec.lock, Number(row.other)];
    return [["plain", "From "], ["word", spec.queries[query]], ["plain", ", "], ["head", headName(index, spec.heads)], ["plain", " looks at "], ["word", spec.keys[to]], ["plain", ` (${row.share}\u00a0%).`]];
  }

  function drawFinding() {
    const shown = preview();
    const pinned = shown.index >= 0 && numberOf(shown.index) !== null;
    const action = pinned ? "Pinned: {click} to release it." : "A preview: {click} to pin it.";
    const previewed = shown.index >= 0 && [previewSaid(shown), ...(shown.pin ? [] : [[["muted", action]]])];
    const inOne = narrow() || spec.finding.length < 2; // a preview takes no more lines than the finding: what is below stays
    finding.style.minHeight = previewed ? `${finding.offsetHeight}px` : "";
    finding.replaceChildren(...(previewed || spec.finding).flatMap((spans, i) => [...(i ? [inOne ? " " : element("br")] : []), ...spanNodes(pointing(spans, narrow()))]));
    clearTimeout(timer);
    const said = plainText(shown.index < 0 ? pointing(spec.finding.flat(), narrow()) : previewSaid(shown));
    timer = setTimeout(() => live.textContent !== said && (live.textContent = said), LIVE_DELAY);
  }

  /** The quiet lines, with the numbers of the third and fourth pin; pointing does not change them. */
  function drawNote() {
    const had = note.contains(note.getRootNode().activeElement) ? note.getRootNode().activeElement.dataset.pin : null;
    const more = spec.pins.slice(2).flatMap((name, i) => [" ", element("button", { type: "button", class: "disc", "data-pin": i + 2, "aria-label": `show the arcs of ${name}, pinned ${i + 3}` }, String(i + 3))]);
    note.replaceChildren(...(spec.chosen ? [element("span", { class: "badge" }, "chosen for you")] : []), ...spanNodes(pointing(spec.note, narrow())), ...more);
    if (had !== null) note.querySelector(`[data-pin="${had}"]`)?.focus();
  }

  function showPreview() {
    const { index, row } = preview();
    grid.point(row ? -1 : index);
    grid.tooltip(spec, narrow() || strip.shown || row || pointed.pin !== undefined ? -1 : index);
    grid.fade(spec, filter, index);
    drawSentence();
    drawFinding();
    note.style.visibility = row ? "hidden" : ""; // it is about the pinned heads, and another's look is told above it
  }

  function drawAll() {
    if (!spec || !width) return;
    root.classList.toggle("narrow", narrow());
    if (root.dataset.ready === "") tellScreen();
    root.classList.toggle("large", spec.large);
    title.textContent = spec.title;
    key.replaceChildren(...legend(colours, spec.scale, spec.say.share_legend, spec.rtl));
    const count = grid.shape(spec, narrow());
    const cells = Math.max(arrays.maps.shape[2], arrays.maps.shape[3]);
    grid.place(thumbnailSize({ column: width, heads: spec.heads, cells, narrow: narrow(), large: spec.large }));
    const picture = `${count} ${fingerprint(arrays.maps.data)} ${spec.scale} ${spec.causal} ${narrow()} ${colours.ramp} ${Boolean(arrays.left)}`;
    if (picture !== painted) grid.paint(spec, arrays, colours);
    painted = picture;
    grid.mark(spec);
    roles.draw(spec.roles, narrow());
    about.replaceChildren(...spanNodes(spec.roles?.about ?? spec.about ?? []));
    for (const part of [sentence.hero, finding, note]) part.hidden = Boolean(spec.alone);
    back.disabled = spec.off.length === 0;
    hint.replaceChildren(...hintNodes(narrow(), spec.alone));
    if (pointed.index >= count || pointed.row) pointed = NOBODY;
    if (focused.index >= count || focused.row) focused = NOBODY;
    sentence.setPieces(spec.pieces, spec.asks);
    drawNote();
    showPreview();
    const { pieces, widths, gaps } = sentence.parts;
    ask.draw(spec, colours, lineBoxes(widths, gaps, 100).map((box, i) => ({ ...box, at: pieces[i].at })), narrow());
    drawSwipe();
    if (closing && !spec.asked) sentence.focusLocked();
    closing = false;
  }

  function drawSwipe() {
    swipe.hidden = !narrow() || !grid.cells.length;
    if (!swipe.hidden) swipe.lastChild.textContent = swipeText(grid.visible(spec.heads), spec.heads, swiped);
  }

  /** The page draws the rest only once the first picture stands, and its own figures for a narrow screen. */
  function tellScreen() {
    const screen = screenOf(width);
    if (told !== screen && !onPaper()) tell("screen", (told = screen));
  }

  function only(index) {
    const name = headName(index, spec.heads);
    if (onlyHead(spec) === name) trigger("all_back", { head: name });
    else trigger("only", { head: name });
  }

  function close() {
    closing = true;
    trigger("asked", { position: null });
  }

  /** What an event is on: a head of the grid, a line of the answers, a pin's number. */
  function target(node) {
    const row = node.closest?.("[data-ask]");
    const pin = node.closest?.("[data-pin]");
    if (row) return { index: Number(row.dataset.index), row: { ...row.dataset } };
    if (pin) return { index: pinIndex(spec.pins[Number(pin.dataset.pin)]), pin: true };
    return { index: grid.headAt(node) };
  }

  function onKey(event) {
    if (event.altKey || event.metaKey) return;
    const index = grid.headAt(event.target);
    const word = event.target.closest?.(".hero [data-at]");
    const press = event.key === "Enter" || event.key === " ";
    if (event.key === "Escape" && spec.asked) close();
    else if (word) {
      const words = [...word.parentElement.querySelectorAll("[data-at]")];
      const next = rowMove(event.key, words.indexOf(word), words.length);
      if (press) trigger("asked", { position: Number(word.dataset.at) });
      else if (next === null) return;
      else {
        for (const other of words) other.tabIndex = -1;
        words[next].tabIndex = 0;
        words[next].focus();
      }
    } else if (index >= 0) {
      const next = gridMove(event.key, event.ctrlKey, index, spec.layers, spec.heads);
      if (next !== null) grid.reach(next, true);
      else if (press && !event.repeat) trigger("picked", { head: headName(index, spec.heads) });
      else if (event.key.toLowerCase() === "s" && !event.ctrlKey && !event.repeat) only(index);
      else return;
    } else return;
    event.preventDefault();
  }

  function seen(left) {
    const away = left && !spec?.alone;
    if (away === strip.shown) return;
    strip.show(away);
    if (spec && width) showPreview();
  }

  const stop = new AbortController();
  const listen = (name, handler) => root.addEventListener(name, handler, { signal: stop.signal });
  const same = (one, other) => one.index === other.index && one.row?.ask === other.row?.ask;
  const pointAt = (next) => {
    if (same(next, pointed)) return;
    pointed = next;
    showPreview();
  };
  listen("pointerover", (event) => {
    if (event.pointerType !== "mouse" || !spec) return;
    const next = target(event.target);
    const beside = pointed.pin && next.index < 0 && (note.contains(event.target) || finding.contains(event.target));
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
    const { index, row, pin } = target(event.target);
    const word = event.target.closest(".hero [data-at]");
    const more = event.target.closest("[data-more]");
    if (pin) pointAt({ index, pin });
    else if (index >= 0) {
      if (narrow() && !row) tapped = index;
      trigger("picked", { head: headName(index, spec.heads) });
    } else if (word) trigger("asked", { position: Number(word.dataset.at) });
    else if (event.target.closest("[data-close]")) close();
    else if (more) {
      ask.more(Number(more.dataset.more));
      drawAll();
    } else if (event.target.closest("[data-back]")) trigger("all_back", {});
  });
  grid.wrap.addEventListener("scroll", () => {
    swiped ||= grid.wrap.scrollLeft > 20;
    if (spec) drawSwipe();
  }, { signal: stop.signal });
  sight(sentence.hero, every, seen, stop.signal);

  fitting(root, ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"'], stop.signal, {
    resized(next) {
      width = next;
      drawAll();
    },
    refit(next) {
      [width, colours] = [next, dress(root, tokens)];
      drawAll();
    },
    ready() {
      if (!spec) return;
      sentence.remeasure();
      drawAll();
      root.dataset.ready = "";
      tellScreen();
    },
  });

  return {
    update(data, setTriggerValue, setStateValue) {
      ({ header: spec, arrays } = openEnvelope(data));
      trigger = setTriggerValue;
      tell = setStateValue;
      colours = dress(root, tokens);
      width = Math.floor(root.clientWidth) || width;
      drawAll();
    },
    close() {
      stop.abort();
      clearTimeout(timer);
      root.remove();
    },
  };
}

function hintNodes(narrow, alone) {
  const kbd = (text) => element("kbd", {}, text);
  if (alone) return ["Click or tap a head to pin or release it. Arrow keys and ", kbd("Enter"), " do the same; ", kbd("S"), " shows only the head in focus."];
  if (narrow) return ["Tap a head to pin or release it, and a word to ask about it. With a keyboard: arrows, ", kbd("Enter"), ", ", kbd("S"), " for only this head."];
  return ["Point to preview on the sentence. Click to pin or release. Arrow keys and ", kbd("Enter"), " do the same; ", kbd("S"), " shows only the head in focus."];
}
