/** What the pictures of a long text share: the colours of cells of one byte, and the legend. */

import { gradient } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { weightOf } from "../lib/envelope.js";
import { hatch } from "../lib/map.js";
import { element } from "../lib/spans.js";

/** For each byte its colour, where `top` is the weight of full colour. */
export function byteColours(ramp, top) {
  return Array.from({ length: 256 }, (_, byte) => css(rampAt(ramp, Math.min(1, weightOf(byte) / top))));
}

/** What full colour stands for. */
export function topText(top) {
  return top >= 1 ? "100\u00a0%" : `${Math.round(top * 100)}\u00a0% and more`;
}

export function legend(colours, top, ...notes) {
  const ramp = element("span.long-ramp");
  ramp.style.background = gradient(colours.ramp);
  const scale = element("span.long-scale", ramp, element("span", element("span", "0"), element("span", topText(top))));
  return element("div.long-legend", scale, ...notes.map((note) => element("span", note)));
}

/** A little hatched square for a legend. */
export function hatchKey(colours, text) {
  const key = element("span.long-hatch");
  key.style.background = `repeating-linear-gradient(45deg,transparent 0 4px,${colours.hatch} 4px 4.8px)`;
  return element("span.long-key", key, text);
}

/** Hatches over the whole text what a token cannot see, or what cannot see it, in a strip of some height. */
export function hatchHidden(pen, { at, token, pitch, room, y = 0, height }, colour) {
  const [x, end] = at ? [0, token] : [Math.min(room, token + pitch), room];
  pen.clearRect(x, y, end - x, height);
  hatch(pen, { x, y, width: end - x, height }, colour);
}
