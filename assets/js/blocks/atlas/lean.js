/** Every head as a disc for its mean lean, filled to a and open to b, and a ring for the floor that all share. */

import { discPlaces } from "../change/map.js";
import { discRadius } from "../change/marks.js";
import { eachHead, headName, headNumbers, layerNames } from "../../lib/grid.js";
import { dot, drawing, frame, headButton, key, sample, signedNumber } from "../../lib/chart.js";
import { filledText } from "../../lib/spans.js";
/** @import { Drawer } from "../../drawers.d.ts" */

/** The disc of a head: beyond the floor in the ink of text, within it pale; open to b. */
function disc(x, y, radius, lean, floor, colours) {
  const ink = floor !== null && Math.abs(lean) > floor ? colours.text : colours.aside;
  return dot(x, y, radius, lean < 0 ? colours.background : ink, ink, 2);
}

const ring = (x, y, radius, colours) => dot(x, y, radius, "none", colours.muted, null, { "stroke-dasharray": "2 2" });

/** @type {Drawer<"atlas_lean">} */
export function lean(place, block, { colours, width, narrow, legend }) {
  const { lean: values, pins, top: full } = block;
  const floor = block.floor ?? null;
  const heads = values[0].length;
  const places = discPlaces(heads, width, narrow);
  const { top, pitch, row, side } = places;
  const picture = drawing(width, top + values.length * row + 6, block.label);
  const cells = eachHead(values, places, (value, layer, head, left, above) => {
    const [x, y, radius] = [left + pitch / 2, above + row / 2, (size) => discRadius(size, full, side * 0.44)];
    const name = headName(layer, head);
    return [
      disc(x, y, radius(Math.abs(value)), value, floor, colours),
      ...(floor === null ? [] : [ring(x, y, radius(floor), colours)]),
      ...(pins.includes(name) ? [frame(left + 2, above + 2, pitch - 4, row - 4, colours.accent, 2, { rx: 3 })] : []),
      headButton(left, above, pitch, row, name, filledText(legend.mean, { lean: signedNumber(value, 3) })),
    ];
  });
  picture.append(...headNumbers(heads, places), ...layerNames(values.length, places), ...cells);
  place.append(picture, marksAndFloor(floor, full, colours, legend));
}

function marksAndFloor(floor, full, colours, legend) {
  const mark = (value, text) => [sample(24, disc(12, 12, 8, value, 1, colours)), text];
  const beyond = [mark(2, legend.a_beyond), mark(-2, legend.b_beyond)];
  const within = [mark(0.5, legend.a_within), mark(-0.5, legend.b_within)];
  const area = [filledText(legend.area, { lean: full.toFixed(3) })];
  if (floor === null) return key(...within, area);
  return key(
    ...beyond,
    ...within,
    [sample(24, ring(12, 12, 9, colours)), filledText(legend.floor, { lean: floor.toFixed(3) })],
    area,
  );
}
