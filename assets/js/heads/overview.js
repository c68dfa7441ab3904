/** The component "sentence + overview": what Streamlit calls on every update, and everything that listens. */

import { dress } from "../lib/colour.js";
import { fingerprint, openEnvelope } from "../lib/envelope.js";
import { fitting, onPaper } from "../lib/fitting.js";
import { gridView, legend } from "./grid.js";
import { focusKey, headLinks, headName, headSentence, onlyHead } from "./header.js";
import { gridMove, rowMove } from "../lib/keyboard.js";
import { NARROW, thumbnailSize } from "../lib/layout.js";
import { sentenceView } from "./sentence.js";
import { element, plainText, spanNodes } from "../lib/spans.js";

const LIVE_DELAY = 200; // ms a preview must last before a screen reader hears it

export default function createOverview(parent, tokens) {
  const root = element("div", { class: "parallax overview" });
  parent.append(root);
  const sentence = sentenceView(root);
  const finding = element("h1", { class: "finding" });
  const note = element("p", { class: "note" });
  const title = element("h2");
  const key = element("div", { class: "legend" });
  root.append(finding, note, element("div", { class: "headline" }, title, key));
  const grid = gridView(root);
  const back = element("button", { type: "button", class: "plain-button", "data-back": "" }, "All back");
  const hint = element("span", { class: "hint" });
  const live = element("div", { class: "unseen", "aria-live": "polite" });
  root.append(element("div", { class: "below" }, back, hint), live);

  let spec = null;
  let arrays = null;
  let colours = null;
  let painted = "";
  let trigger = () => {};
  let tell = () => {};
  let told = ""; // what the page was told of the screen, once something was drawn on it
  let pointed = -1; // the head under the mouse
  let focused = -1; // the head that the keyboard reached
  let width = 0;
  let timer = 0;

  const narrow = () => width <= NARROW;
  const preview = () => (pointed >= 0 ? pointed : focused);

  function subject(index, number) {
    if (index < 0) return null;
    const name = headName(index, spec.heads);
    return { name, number, links: headLinks(spec, arrays, index), look: spec.looks[index], focus: focusKey(spec, index) };
  }

  /** The heads on the sentence: the first two pins, the first giving way to a preview of a head that is not one of them. */
  function drawSentence() {
    const pins = spec.pins.slice(0, 2).map((name) => grid.cells.findIndex((_, i) => headName(i, spec.heads) === name));
    const subjects = pins.map((index, i) => subject(index, i + 1));
    const index = preview();
    if (index >= 0 && !pins.includes(index)) subjects[0] = subject(index, null);
    sentence.draw(spec, colours, width, narrow(), [subjects[0] ?? null, subjects[1] ?? null]);
  }

  function drawFinding() {
    const index = preview();
    const action = index >= 0 && spec.pins.includes(headName(index, spec.heads)) ? "Pinned: click to release it." : "A preview: click to pin it.";
    const sentences = index < 0 ? spec.finding : [headSentence(spec, index), [["muted", action]]];
    finding.replaceChildren(...sentences.flatMap((spans, i) => [...(i ? [narrow() ? " " : element("br")] : []), ...spanNodes(spans)]));
    note.replaceChildren(...(spec.chosen ? [element("span", { class: "badge" }, "chosen for you")] : []), ...spanNodes(spec.note));
    clearTimeout(timer);
    timer = setTimeout(() => (live.textContent = index < 0 ? "" : plainText(headSentence(spec, index))), LIVE_DELAY);
  }

  function showPreview() {
    grid.point(pointed);
    grid.tooltip(spec, narrow() ? -1 : preview());
    drawSentence();
    drawFinding();
  }

  function drawAll() {
    if (!spec || !width) return;
    root.classList.toggle("narrow", narrow());
    if (root.dataset.ready === "") tellScreen();
    root.classList.toggle("large", spec.large);
    title.textContent = spec.title;
    key.replaceChildren(...legend(colours, spec.scale, spec.say.share_legend));
    const count = grid.shape(spec, narrow());
    const cells = Math.max(arrays.maps.shape[2], arrays.maps.shape[3]);
    grid.place(thumbnailSize({ column: width, heads: spec.heads, cells, narrow: narrow(), large: spec.large }));
    const picture = `${count} ${fingerprint(arrays.maps.data)} ${spec.scale} ${spec.causal} ${narrow()} ${colours.ramp}`;
    if (picture !== painted) grid.paint(spec, arrays, colours);
    painted = picture;
    grid.mark(spec);
    back.disabled = spec.off.length === 0;
    hint.replaceChildren(...hintNodes(narrow()));
    pointed = pointed < count ? pointed : -1;
    focused = focused < count ? focused : -1;
    sentence.setPieces(spec.pieces);
    showPreview();
  }

  /** The page draws the rest only once the first picture stands, and its own figures for a narrow screen. */
  function tellScreen() {
    const screen = narrow() ? "narrow" : "wide";
    if (told !== screen && !onPaper()) tell("screen", (told = screen));
  }

  function only(index) {
    const name = headName(index, spec.heads);
    if (onlyHead(spec) === name) trigger("all_back", { head: name });
    else trigger("only", { head: name });
  }

  function lock(word) {
    const position = Number(word.dataset.at);
    trigger("lock", { position: position === spec.lock ? null : position });
  }

  function onKey(event) {
    const index = grid.headAt(event.target);
    const word = event.target.closest?.("[data-at]");
    const press = event.key === "Enter" || event.key === " ";
    if (event.altKey || event.metaKey) return;
    if (word) {
      const words = [...word.parentElement.querySelectorAll("[data-at]")];
      const next = rowMove(event.key, words.indexOf(word), words.length);
      if (press) lock(word);
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

  const stop = new AbortController();
  const listen = (name, handler) => root.addEventListener(name, handler, { signal: stop.signal });
  const pointAt = (index) => {
    if (index === pointed) return;
    pointed = index;
    showPreview();
  };
  listen("pointerover", (event) => event.pointerType === "mouse" && pointAt(grid.headAt(event.target)));
  listen("pointerleave", () => pointAt(-1));
  listen("focusin", (event) => {
    const index = grid.headAt(event.target);
    if (index >= 0) grid.reach(index, false);
    const next = index >= 0 && event.target.matches(":focus-visible") ? index : -1;
    if (next !== focused) {
      focused = next;
      if (next >= 0) pointed = -1; // the mouse may still rest somewhere; what was done last counts
      showPreview();
    }
  });
  listen("focusout", () => {
    if (focused < 0) return;
    focused = -1;
    showPreview();
  });
  listen("keydown", onKey);
  listen("click", (event) => {
    const index = grid.headAt(event.target);
    const word = event.target.closest("[data-at]");
    if (index >= 0) trigger("picked", { head: headName(index, spec.heads) });
    else if (word) lock(word);
    else if (event.target.closest("[data-back]")) trigger("all_back", {});
  });

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

function hintNodes(narrow) {
  const kbd = (text) => element("kbd", {}, text);
  if (narrow) return ["Tap a head to pin or release it, and a word to see who looks at it. With a keyboard: arrows, ", kbd("Enter"), ", ", kbd("S"), " for only this head."];
  return ["Point to preview on the sentence. Click to pin or release. Arrow keys and ", kbd("Enter"), " do the same; ", kbd("S"), " shows only the head in focus."];
}
