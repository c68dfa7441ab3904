/** Two words for each reading: the second of each is a slot, with words to take and a field for any other. */

import { element, filledText } from "../lib/spans.js";
import { letterChip } from "./caption.js";
/** @import { Slot } from "../blocks.d.ts" */

/** Why a second word is refused, in the words of the legend, or "" where it can be taken. */
export function refusal(text, taken, legend) {
  const word = text.trim();
  if (!word) return "";
  if (/\s/u.test(word)) return legend.one_word;
  return taken.includes(word.toLowerCase()) ? legend.taken : "";
}

/** @type {Drawer<"second_words">} */
export function secondWords(block, { trigger, legend }) {
  return block.slots.map((slot) => slotNode(slot, block.taken, trigger, legend));
}

/** @param {Slot} slot */
function slotNode(slot, taken, trigger, legend) {
  const send = (text) => trigger("second", { side: slot.side, text });
  const node = element("span.second-words");
  const lead = () => [
    letterChip(slot.side.toUpperCase()),
    element("i.word", slot.first),
    element("span.muted", legend.and),
  ];
  const closed = () => {
    const open = element(
      "button",
      { class: slot.second ? "pill-button serif-pill" : "pill-button slot-pill" },
      slot.second || slot.ask,
    );
    if (slot.second) open.setAttribute("aria-label", filledText(legend.change, { word: slot.second }));
    open.addEventListener("click", opened);
    node.replaceChildren(...lead(), open);
    return open;
  };
  function opened() {
    const input = element("input.slot", {
      type: "text",
      "aria-label": slot.ask,
      maxlength: 60,
      size: 12,
      value: slot.second,
    });
    const complaint = element("span.hint", { role: "status" });
    const take = (text) => {
      const why = refusal(
        text,
        taken.filter((word) => word !== slot.second.toLowerCase()),
        legend,
      );
      complaint.textContent = why;
      if (!why && text.trim() !== slot.second) send(text.trim());
      if (!why) closed().focus();
    };
    input.addEventListener("keydown", (event) => {
      if (event.isComposing) return; // while letters are composed keys are theirs
      if (event.key === "Enter") take(input.value);
      else if (event.key === "Escape") closed().focus();
      else return;
      event.preventDefault();
    });
    const offered = slot.offered.map((word) => {
      const button = element("button.pill-button.serif-pill", word);
      button.addEventListener("click", () => take(word));
      return button;
    });
    const done = element("button.quiet", legend.take);
    done.addEventListener("click", () => take(input.value));
    node.replaceChildren(...lead(), input, done, ...offered, complaint);
    input.focus();
    input.select();
  }
  closed();
  return node;
}
