/** Every head as a disc for its mean lean, filled to a and open to b, and a ring for the floor that all share. */

import { element, filledText, svg } from "../../lib/spans.js";
import { discRadius } from "../change/marks.js";
import { canvas, headButton, label, signedNumber } from "../draw.js";
/** @import { Drawer } from "../../drawers.d.ts" */

/** How a head's disc is painted: beyond the floor in the ink of text, within it pale; open to b. */
export function painted(lean, floor, colours) {
  const ink = floor !== null && Math.abs(lean) > floor ? colours.text : colours.aside;
  return lean < 0 ? { fill: colours.background, stroke: ink, "stroke-width": 2 } : { fill: ink, stroke: ink, "stroke-width": 2 };
}

/** @type {Drawer<"atlas_lean">} */
export function lean(place, block, { colours, width, narrow, legend }) {
  const { lean: values, pins, top: full } = block;
  const floor = block.floor ?? null;
  const [left, top] = [narrow ? 28 : 64, 24];
  const pitch = Math.min(64, (width - left) / values[0].length);
  const height = Math.max(pitch, narrow ? 30 : 0);
  const largest = Math.min(pitch, height) * 0.44;
  const picture = canvas(width, top + values.length * height + 6, block.label);
  values.forEach((row, layer) => {
    const y = top + layer * height + height / 2;
    picture.append(label(0, y + 5, narrow ? `L${layer}` : `Layer ${layer}`, { "font-size": narrow ? 13 : 14 }));
    row.forEach((value, head) => {
      const x = left + head * pitch + pitch / 2;
      if (!layer && (pitch > 22 || head % 2 === 0)) picture.append(label(x, 13, narrow ? head : `H${head}`, { "font-size": 12, class: "code muted-ink", "text-anchor": "middle" }));
      picture.append(svg("circle", { cx: x, cy: y, r: discRadius(Math.abs(value), full, largest), ...painted(value, floor, colours) }));
      if (floor !== null) picture.append(svg("circle", { cx: x, cy: y, r: discRadius(floor, full, largest), fill: "none", stroke: colours.muted, "stroke-dasharray": "2 2" }));
      const name = `L${layer}H${head}`;
      if (pins.includes(name)) picture.append(svg("rect", { x: x - pitch / 2 + 2, y: y - height / 2 + 2, width: pitch - 4, height: height - 4, rx: 3, fill: "none", stroke: colours.accent, "stroke-width": 2 }));
      picture.append(headButton(left + head * pitch, y - height / 2, pitch, height, name, filledText(legend.mean, { lean: signedNumber(value, 3) })));
    });
  });
  place.append(picture, marksAndFloor(floor, full, colours, legend));
}

function marksAndFloor(floor, full, colours, legend) {
  const mark = (value, text) => {
    const disc = svg("svg", { width: 24, height: 24, "aria-hidden": "true" }, svg("circle", { cx: 12, cy: 12, r: 8, ...painted(value, 1, colours) }));
    return element("span", {}, disc, text);
  };
  const ring = svg("svg", { width: 24, height: 24, "aria-hidden": "true" }, svg("circle", { cx: 12, cy: 12, r: 9, fill: "none", stroke: colours.muted, "stroke-dasharray": "2 2" }));
  const marks = [mark(2, legend.a_beyond), mark(-2, legend.b_beyond), mark(0.5, legend.a_within), mark(-0.5, legend.b_within)];
  const floors = floor === null ? [] : [element("span", {}, ring, filledText(legend.floor, { lean: floor.toFixed(3) }))];
  return element("div", { class: "change-legend" }, ...(floor === null ? marks.slice(2) : marks), ...floors, element("span", {}, filledText(legend.area, { lean: full.toFixed(3) })));
}
