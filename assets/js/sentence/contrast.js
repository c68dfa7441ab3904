/** The component "contrast": the changed version of the sentence, and the field that replaces one word. */

import { letterChip } from "../blocks/caption.js";
import { dress } from "../lib/colour.js";
import { REFIT } from "../lib/fitting.js";
import { NARROW } from "../lib/standing.js";
import { flowed } from "../lib/sentence.js";
import { element, refill } from "../lib/spans.js";

export function createContrast(parent, tokens) {
  const root = element("div.parallax.as-blocks.ambiguity");
  parent.append(root);
  let given = ""; // what is drawn, as text
  /** @type {Tell} */
  let trigger = () => {};

  /** The changed version, its changed words marked. */
  function changedLine({ pieces, forces }) {
    const words = flowed(pieces, ({ changed, text }) => (changed ? element("span.changed", text) : text));
    return element(
      "div.contrast-line",
      element("span.hint", "Changed:"),
      element("span.said.sentence", { dir: "auto" }, ...words),
      forces && element("span.hint", "only ", letterChip(forces), " fits"),
    );
  }

  /** The field for the word that replaces another, with its buttons. */
  function fieldLine({ text, value }, removable) {
    const input = element("input.slot", { type: "text", maxlength: 60, size: Math.max(10, text.length + 4), value });
    return element(
      "div.contrast-line",
      element("label.hint", "Replace ", element("i.word", { dir: "auto" }, text), " by ", input),
      element("button.plain-button", { "data-act": "save" }, "Compare"),
      removable && element("button.quiet", { "data-act": "drop" }, "Remove"),
    );
  }

  function save() {
    const input = root.querySelector("input");
    const text = input.value.trim();
    if (!text) return input.focus();
    return trigger("contrast", { text });
  }

  const stop = new AbortController();
  const listen = (name, handler) => root.addEventListener(name, handler, { signal: stop.signal });
  listen("click", ({ target }) => {
    const act = target.closest("[data-act]")?.dataset.act;
    if (act === "save") save();
    else if (act === "drop") trigger("drop", { name: "drop" });
  });
  listen("keydown", (event) => {
    // while letters are composed keys are theirs
    if (event.key !== "Enter" || event.isComposing || !event.target.matches?.("input")) return;
    event.preventDefault();
    save();
  });
  globalThis.addEventListener?.(REFIT, () => dress(root, tokens), { signal: stop.signal });
  const fit = () => root.classList.toggle("narrow", root.clientWidth <= NARROW / 1.4);
  const sizes = new ResizeObserver(fit);
  sizes.observe(root);

  return {
    update(spec, setTriggerValue) {
      trigger = setTriggerValue;
      dress(root, tokens);
      root.classList.toggle("large", spec.large);
      fit(); // before anything is drawn, else what is below moves a frame later
      const text = JSON.stringify([spec.contrast, spec.replaced]);
      if (text !== given) {
        given = text;
        const focused = root.contains(root.getRootNode().activeElement);
        const { contrast, replaced } = spec;
        refill(root, contrast && changedLine(contrast), fieldLine(replaced, Boolean(contrast)));
        if (focused) root.querySelector("input").focus();
      }
      root.dataset.ready = "";
    },
    close() {
      stop.abort();
      sizes.disconnect();
      root.remove();
    },
  };
}
