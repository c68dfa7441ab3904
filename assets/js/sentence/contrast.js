/** The component "contrast": the other version of the sentence, and the slot in which one of its words is changed. */

import { letterChip } from "../blocks/draw.js";
import { dress } from "../lib/colour.js";
import { REFIT } from "../lib/fitting.js";
import { NARROW } from "../lib/layout.js";
import { element } from "../lib/spans.js";
/** @import { Tell } from "../drawers.d.ts" */

/** Which piece the slot opens on: the changed word, else the cue, else the last word. */
export function slotPlace(pieces, contrast) {
  const changed = contrast ? contrast.pieces.findIndex((piece) => piece.changed) : -1;
  if (changed >= 0) return changed;
  const cue = pieces.findIndex((piece) => piece.roles.includes("cue"));
  return cue >= 0 ? cue : pieces.findLastIndex((piece) => piece.at !== null);
}

export function createContrast(parent, tokens) {
  const root = element("div", { class: "parallax readings ambiguity" });
  const contrast = element("div", { class: "contrast-line" });
  root.append(contrast);
  parent.append(root);
  let spec = null;
  let editing = null; // the piece that is being changed
  /** @type {Tell} */
  let trigger = () => {};

  const quiet = (act, text) => element("button", { type: "button", class: "quiet", "data-act": act }, text);

  /** Draws the line anew; a button that had the focus has it again. */
  function drawContrast() {
    const focused = contrast.contains(root.getRootNode().activeElement);
    fillContrast();
    if (focused) contrast.querySelector(editing === null ? '[data-act="edit"]' : "input")?.focus();
  }

  function fillContrast() {
    if (editing !== null) return contrast.replaceChildren(...editor());
    if (!spec.contrast) {
      const button = element("button", { type: "button", class: "plain-button", "data-act": "edit" }, "Change one word");
      return contrast.replaceChildren(button, element("span", { class: "hint" }, "so that only one reading is left: then you can see what moves."));
    }
    const said = element("span", { class: "said" });
    spec.contrast.pieces.forEach((piece, i) => {
      if (piece.space && i) said.append(" ");
      said.append(piece.changed ? element("span", { class: "changed" }, piece.text) : piece.text);
    });
    const forces = spec.contrast.forces ? [element("span", { class: "hint" }, "forces ", letterChip(spec.contrast.forces))] : [];
    return contrast.replaceChildren(said, ...forces, quiet("edit", "Change another word"));
  }

  function editor() {
    const source = spec.contrast ? spec.contrast.pieces : spec.pieces;
    const row = element("span", { class: "said" });
    const input = element("input", { type: "text", class: "slot", "aria-label": "the other word", maxlength: 60, size: Math.max(6, source[editing].text.length + 4), value: source[editing].text });
    source.forEach((piece, i) => {
      if (piece.space && i) row.append(" ");
      if (i === editing) row.append(input);
      else if (spec.pieces[i].at === null) row.append(piece.text);
      else row.append(element("button", { type: "button", class: "pick", "data-slot": i }, piece.text));
    });
    return [row, element("button", { type: "button", class: "plain-button", "data-act": "save" }, "Compare"), ...(spec.contrast ? [quiet("drop", "Leave it out")] : []), quiet("cancel", "Cancel")];
  }

  function startEditing(at) {
    editing = at ?? slotPlace(spec.pieces, spec.contrast);
    drawContrast();
    const input = contrast.querySelector("input");
    input.focus();
    input.select();
  }

  function save() {
    const typed = contrast.querySelector("input").value.trim();
    const word = spec.pieces[editing].at;
    editing = null;
    drawContrast();
    if (typed) trigger("contrast", { word, text: typed });
  }

  function act(name) {
    if (name === "edit") startEditing(null);
    else if (name === "save") save();
    else if (name === "drop") {
      editing = null;
      trigger("drop", { name });
    } else {
      editing = null;
      drawContrast();
    }
  }

  const stop = new AbortController();
  const listen = (name, handler) => root.addEventListener(name, handler, { signal: stop.signal });
  listen("click", (event) => {
    const hit = event.target.closest("[data-act],[data-slot]");
    if (!hit) return;
    if (hit.dataset.slot === undefined) act(hit.dataset.act);
    else startEditing(Number(hit.dataset.slot));
  });
  listen("keydown", (event) => {
    if (!event.target.matches?.("input")) return;
    if (event.key === "Enter") save();
    else if (event.key === "Escape") act("cancel");
    else return;
    event.preventDefault();
  });
  globalThis.addEventListener?.(REFIT, () => dress(root, tokens), { signal: stop.signal });
  const sizes = new ResizeObserver(([entry]) => root.classList.toggle("narrow", entry.contentRect.width <= NARROW / 1.4));
  sizes.observe(root);

  return {
    update(data, setTriggerValue) {
      spec = data;
      trigger = setTriggerValue;
      dress(root, tokens);
      root.classList.toggle("large", spec.large);
      if (editing !== null && editing >= spec.pieces.length) editing = null;
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
