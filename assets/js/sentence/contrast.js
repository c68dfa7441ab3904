/** The component "contrast": the changed version of the sentence, or the question for it with a field in the sentence. */

import { letterChip } from "../blocks/caption.js";
import { dress } from "../lib/colour.js";
import { REFIT } from "../lib/fitting.js";
import { NARROW } from "../lib/standing.js";
import { flowed } from "../lib/sentence.js";
import { element, refill, spanNodes } from "../lib/spans.js";

/** Which piece the field opens on: the word that the page thinks likeliest to decide, else the last word. */
export function slotPlace(pieces, door) {
  const found = pieces.findIndex((piece) => piece.at === door.slot);
  return found >= 0 ? found : pieces.findLastIndex((piece) => piece.at !== null);
}

/** The versions that are ready for one candidate. */
export function readyFor(door, side) {
  return door.offered.filter((one) => one.side === side);
}

export function createContrast(parent, tokens) {
  const root = element("div.parallax.as-blocks.ambiguity");
  const contrast = element("div.contrast-line");
  root.append(contrast);
  parent.append(root);
  let spec = null;
  let editing = null; // the piece that is being changed
  let asked = null; // the candidate that is to be left, "a" or "b"
  /** @type {Tell} */
  let trigger = () => {};

  const quiet = (act, ...text) => element("button.quiet", { "data-act": act }, ...text);
  const side = () => (spec.door.sides.includes(asked) ? asked : spec.door.side);

  /** Draws the line anew; a button that had the focus has it again. */
  function drawContrast() {
    const focused = contrast.contains(root.getRootNode().activeElement);
    const changed = spec.contrast && editing === null;
    contrast.className = changed ? "contrast-line" : "contrast-line door";
    refill(contrast, changed ? changedLine() : doorNodes());
    if (focused) contrast.querySelector(editing === null ? '[data-act="edit"]' : "input")?.focus();
  }

  function changedLine() {
    const { pieces } = spec.contrast;
    const long = pieces.flatMap(({ changed, at }) => (changed && spec.contrast.long?.[at]) || []);
    const words = flowed(pieces, ({ changed, text }) => (changed ? element("span.changed", text) : text));
    const { forces } = spec.contrast;
    return [
      element("span.hint", "Changed:"),
      element("span.said.sentence", { dir: "auto" }, ...words),
      ...long.map((text) => element("span.hint", text)),
      forces && element("span.hint", "only ", letterChip(forces), " fits"),
      quiet("edit", "Change another word"),
      quiet("drop", "Remove"),
    ];
  }

  /** The question, the sentence with a field or with a version that is ready, and what else can be done. */
  function doorNodes() {
    const { door } = spec;
    const ready = editing === null ? readyFor(door, side()) : [];
    const title = element("h2.door-asks", ...spanNodes(door.asks[side()]));
    const other = door.sides.find((one) => one !== side());
    const only = other && quiet("other", ...spanNodes(door.only[other]));
    if (ready.length) {
      const pills = ready.map(({ word, before, text }, i) =>
        element(
          "button.ready-pill",
          {
            "data-act": "ready",
            "data-ready-word": word,
            "data-ready": i,
            "aria-label": `Change ${before} to ${text}`,
          },
          element("span.muted", `${before} → `),
          element("i", text),
        ),
      );
      return [title, row(ready[0].word, null), element("div.door-ways", ...pills, quiet("edit", "Another word"), only)];
    }
    const at = editing ?? slotPlace(spec.pieces, door);
    const cancel = spec.contrast || readyFor(door, side()).length > 0;
    const word = spec.pieces[at].at;
    const long = door.long[word];
    const hint = element("span.hint", "Or click another word.");
    return [
      title,
      row(null, at),
      element(
        "div.door-ways",
        element("button.plain-button", { "data-act": "save" }, "Compare"),
        long && element("span.hint.slot-long", { title: door.best[word] }, long),
        hint,
        only,
        cancel && quiet("cancel", "Cancel"),
      ),
    ];
  }

  /** The sentence: one word marked as deciding, or one of them a field and all others to click. */
  function row(decides, field) {
    const words = flowed(spec.pieces, (piece, i) => {
      if (i === field) return fieldOf(piece);
      if (piece.at === null) return piece.text;
      if (piece.at === decides) return element("span.decides", piece.text);
      return element("button.pick", { "data-slot": i }, piece.text);
    });
    return element("span.said.sentence", { dir: "auto" }, ...words);
  }

  function fieldOf(piece) {
    const best = spec.door.best[piece.at];
    const value = spec.contrast && spec.contrast.pieces.find(({ at, changed }) => changed && at === piece.at)?.text;
    return element("input.slot", {
      type: "text",
      "aria-label": `another word for ${piece.text}${best ? `. ${best}` : ""}`,
      maxlength: 60,
      size: Math.max(6, piece.text.length + 4),
      placeholder: piece.text,
      value: value || null,
    });
  }

  function startEditing(at) {
    editing = at ?? slotPlace(spec.pieces, spec.door);
    drawContrast();
    const input = contrast.querySelector("input");
    input.focus();
    input.select();
  }

  function save() {
    const input = contrast.querySelector("input");
    const typed = input.value.trim();
    const word = spec.pieces[editing ?? slotPlace(spec.pieces, spec.door)].at;
    if (!typed) return input.focus();
    const forces = side().toUpperCase();
    editing = null;
    drawContrast();
    return trigger("contrast", { word, text: typed, forces });
  }

  /** @param {string} name @param {{ready?: string}} given */
  function act(name, { ready } = {}) {
    if (name === "edit") startEditing(null);
    else if (name === "save") save();
    else if (name === "ready") {
      const { word, text } = readyFor(spec.door, side())[Number(ready)];
      trigger("contrast", { word, text, forces: side().toUpperCase() });
    } else if (name === "other") {
      asked = spec.door.sides.find((one) => one !== side());
      drawContrast();
      contrast.querySelector('input, [data-act="ready"]')?.focus();
    } else {
      editing = null;
      if (name === "drop") trigger("drop", { name });
      else drawContrast();
    }
  }

  const stop = new AbortController();
  const listen = (name, handler) => root.addEventListener(name, handler, { signal: stop.signal });
  listen("click", (event) => {
    const hit = event.target.closest("[data-act],[data-slot]");
    if (!hit) return;
    if (hit.dataset.slot === undefined) act(hit.dataset.act, hit.dataset);
    else startEditing(Number(hit.dataset.slot));
  });
  listen("keydown", (event) => {
    if (!event.target.matches?.("input") || event.isComposing) return; // while letters are composed keys are theirs
    if (event.key === "Enter") save();
    else if (event.key === "Escape") act("cancel");
    else return;
    event.preventDefault();
  });
  globalThis.addEventListener?.(REFIT, () => dress(root, tokens), { signal: stop.signal });
  const fit = () => root.classList.toggle("narrow", root.clientWidth <= NARROW / 1.4);
  const sizes = new ResizeObserver(fit);
  sizes.observe(root);

  return {
    update(data, setTriggerValue) {
      spec = data;
      trigger = setTriggerValue;
      dress(root, tokens);
      root.classList.toggle("large", spec.large);
      fit(); // before anything is drawn, else what stands below moves a frame later
      if (editing !== null && editing >= spec.pieces.length) editing = null;
      if (!spec.door.sides.includes(asked)) asked = null;
      drawContrast();
      root.dataset.ready = "";
    },
    close() {
      stop.abort();
      sizes.disconnect();
      root.remove();
    },
  };
}
