/** Does it matter: how far ablating each head moves the score. */

import { eachHead, headName, headNumbers, layerNames } from "../lib/grid.js";
import {
  box,
  drawing,
  frame,
  hatchDefs,
  headButton,
  inkOver,
  scale,
  signedNumber,
  tickStep,
  written,
} from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";

const NUMBERED = 0.27; // of the scale of effects, from which on one is written

/** The scale of effects: ± 0.03 unless some head moves the score further; then the next pleasant number. */
export function effectScale(effects) {
  const most = effects.reduce(
    (largest, effect) => (effect === null ? largest : Math.max(largest, Math.abs(effect))),
    0,
  );
  return most <= 0.03 ? 0.03 : tickStep(most, 1);
}

/** @type {Drawer<"effect_map">} */
function effectMap(block, { colours, width, narrow, id, legend }) {
  const [layers, heads] = [block.effect.length, block.effect[0].length];
  const [left, top] = [narrow ? 30 : 64, 24];
  const pitch = Math.floor((Math.min(width, 520) - left) / heads);
  const places = { left, top, pitch, row: pitch * 0.86, narrow };
  const full = effectScale(block.effect.flat());
  const absent = (layer) => layer >= block.reach;
  const cells = eachHead(block.effect, places, (effect, layer, head, x, y) => {
    const wide = pitch - (absent(layer) ? 0 : 2);
    if (effect === null) return box(x, y + 1, wide, places.row - 3, `url(#${id})`);
    const colour = rampAt(colours.lean, (effect / full + 1) / 2);
    const text = signedNumber(effect * block.times, block.times > 1 ? 0 : 1);
    const look = { style: `fill:${inkOver(colour, colours)}` };
    const numbered = !narrow && Math.abs(effect) >= NUMBERED * full;
    return [
      box(x, y, pitch - 2, places.row - 2, css(colour)),
      numbered && written(x + pitch / 2 - 1, y + places.row / 2 + 4, text, "code middle", 12, look),
      block.hint && headButton(x, y, pitch - 2, places.row - 2, headName(layer, head), block.hint),
    ];
  });
  const middle = left + (heads * pitch) / 2;
  const later = block.effect.map((_, layer) => {
    const y = top + (layer + 0.5) * places.row;
    const ground = box(middle - 48, y - 10, 96, 20, colours.background);
    return absent(layer) && [ground, written(middle, y + 4.5, legend.later, "middle muted-ink")];
  });
  return drawing(
    left + pitch * heads,
    top + layers * places.row + 4,
    block.label,
    hatchDefs(id, colours),
    headNumbers(heads, { ...places, at: 14 }),
    layerNames(layers, { ...places, quiet: absent }),
    cells,
    later,
    block.direct !== null && directFrame(block.direct, heads, places),
  );
}

/** The frame of the layer whose heads act on the answer without a detour. */
export function directFrame(layer, heads, { left, top, pitch, row }) {
  const look = { rx: 2, "stroke-opacity": 0.75, "stroke-dasharray": "4 3" };
  return frame(left - 3, top + layer * row - 2, heads * pitch + 4, row + 2, "currentColor", 1.25, look);
}

export const MATTER_DRAWERS = { effect_map: effectMap };
