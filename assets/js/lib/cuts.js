/** Links that a click cuts or restores: the wide line of an arc, and buttons. */

import { element, svg } from "./spans.js";

/** @typedef {{name: string, isCut: boolean, action: string}} Cut what is sent, and what a click does in words */

/** The wide invisible line that takes clicks on an arc, or null. @param {Cut | null} cut @param {Tell} send */
export function arcHit(cut, path, send) {
  if (!cut) return null;
  const hit = svg("path.hit", { d: path, fill: "none" }, svg("title", cut.action));
  hit.addEventListener("click", () => send("cut", cut.name));
  return hit;
}

/** A button that cuts or restores a link, or null. @param {Cut | null} cut @param {Tell} send @param {...any} content */
export function cutButton(name, cut, send, ...content) {
  if (!cut) return null;
  const { isCut, action } = cut;
  const attributes = { "data-cut": cut.name, "aria-pressed": String(isCut), "aria-label": action, title: action };
  const button = element(name, attributes, ...content);
  button.addEventListener("click", () => send("cut", cut.name));
  return button;
}

/** The button of an arc, over its arrow head, or null. @param {Cut | null} cut @param {{x: number, y: number}} tip @param {Tell} send */
export function tipButton(cut, { x, y }, send) {
  const button = cutButton("button.arc-end", cut, send);
  if (button) Object.assign(button.style, { left: `${x}px`, top: `${y}px` });
  return button;
}
