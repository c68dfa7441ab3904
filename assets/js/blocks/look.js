/** Where heads look: the lean of every head. */

import { css, parseColour, rampAt } from "../lib/colour.js";
import { eachHead, headName, headNumbers, layerNames } from "../lib/grid.js";
import { element, svg } from "../lib/spans.js";
import { box, dot, drawing, keyEntries, level, readingMark, sample, wholePercent, written } from "../lib/chart.js";

/** One head's lean: A round, B square, neither a small dotted ring. Area is a + b, colour how the two divide it. */
function leanMark(x, y, a, b, none, largest, colours) {
  const total = a + b;
  if (none) {
    const [radius, dash] = largest > 12 ? [4, "1.5 2"] : [2.3, "1.2 1.4"];
    return dot(x, y, radius, "none", colours.abstain, largest > 12 ? 1.25 : 1, { "stroke-dasharray": dash });
  }
  const share = (a - b) / Math.max(total, 1e-9);
  const radius = Math.max(2.5, largest * Math.sqrt(Math.min(1, total)));
  const edge = css(
    rampAt(
      [parseColour(colours.control_border), parseColour(colours[share > 0 ? "a" : "b"].graphic)],
      Math.min(1, Math.abs(share) * 2.2),
    ),
  );
  return readingMark(x, y, radius, share > 0, {
    fill: css(rampAt(colours.lean, (share + 1) / 2)),
    stroke: edge,
    "stroke-width": 1.25,
  });
}

const ROLE_PATHS = {
  back: "M6,0 H-5 m4,-3.5 l-4,3.5 l4,3.5",
  ahead: "M-6,0 H5 m-4,-3.5 l4,3.5 l-4,3.5",
  itself: "M-3.5,3 a4.2,4.2 0 1 1 6,-.5 m.8,-4 l-.6,4.2 l-4,-.8",
};

/** The arrow of a head that looks at a place: one word back, one ahead, itself. */
function roleArrow(x, y, role) {
  return svg("path", {
    d: ROLE_PATHS[role],
    transform: `translate(${x},${y})`,
    fill: "none",
    stroke: "currentColor",
    "stroke-width": 1.4,
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
}

/**
 * Layers × heads of marks; `a` and `b` are strengths [layer][head], `none` marks heads that look along neither link.
 * @type {Drawer<"lean_map">}
 */
function leanMap(block, { colours, width, narrow }) {
  const heads = block.a[0].length;
  const [left, top] = [narrow ? 30 : 64, 24];
  const pitch = Math.min(46, Math.floor((width - left - 2) / heads));
  const [row, lift] = block.roles ? [pitch + (narrow ? 8 : 6), 4] : [pitch, 0]; // room for the arrows
  const places = { left, top, pitch, row, lift, narrow, size: narrow ? 13 : 14, at: 14, sparse: false };
  const largest = pitch * (block.roles ? 0.37 : 0.44);
  const middle = (x, y) => [x + pitch / 2, y + row / 2 - lift];
  const lines = block.a.map((_, layer) => {
    const [, y] = middle(left, top + layer * row);
    return level(y, left, left + heads * pitch, colours.border, { "stroke-opacity": 0.55 });
  });
  const marks = eachHead(block.a, places, (a, layer, head, x1, y1) => {
    const [x, y] = middle(x1, y1);
    const role = block.roles?.[layer][head];
    const mark = leanMark(x, y, a, block.b[layer][head], block.none[layer][head], largest, colours);
    return [
      dot(x, y, pitch * 0.2, colours.background),
      mark,
      ...(role ? [roleArrow(x, y + (narrow ? 12 : 16), role)] : []),
    ];
  });
  const [layer, head] = block.furthest;
  const [x, y] = middle(left + head * pitch, top + layer * row);
  const named = (_, layer, head, x, y) => {
    const cell = box(x, y, pitch, row, "transparent");
    cell.append(svg("title", headName(layer, head)));
    return cell;
  };
  const picture = drawing(
    left + heads * pitch + 2,
    top + block.a.length * row + 8,
    block.label,
    layerNames(block.a.length, places),
    headNumbers(heads, places),
    lines,
    marks,
    dot(x, y, pitch * (block.roles ? 0.43 : 0.56), "none", "currentColor", 2),
    eachHead(block.a, places, named),
  );
  picture.style.maxWidth = "100%";
  return picture;
}

/** What the marks of a `lean_map` mean. @type {Drawer<"key">} */
export function marksKey(block, { colours, legend }) {
  const none = dot(7, 10, 4, "none", colours.abstain, 1.25, { "stroke-dasharray": "1.5 2" });
  const arrows = block.arrows === false ? [] : Object.keys(ROLE_PATHS);
  return keyEntries(
    [sample(20, 20, dot(10, 10, 8, colours.a.graphic)), legend.a],
    [sample(20, 20, box(2.5, 2.5, 15, 15, colours.b.graphic)), legend.b],
    [sample(14, 20, none), legend.none],
    [sample(20, 20, dot(10, 10, 8, "none", "currentColor", 2)), legend.ring],
    ...arrows.map((role) => [sample(20, 20, roleArrow(10, 10, role)), legend[role]]),
  );
}

/** What the colours and sizes of a `lean_map` mean. @type {Drawer<"key">} */
export function leanLegend(block, { colours, legend }) {
  const stops = colours.diverging.map((colour, i) =>
    svg("stop", { offset: i / (colours.diverging.length - 1), "stop-color": colour }),
  );
  const ends = [legend.from, legend.even, legend.to];
  const ramp = drawing(
    230,
    30,
    legend.ramp,
    svg("defs", svg("linearGradient", { id: "lean-ramp" }, stops)),
    box(14, 0, 202, 10, "url(#lean-ramp)"),
    ends.map((text, i) => written(14 + 101 * i, 25, text, "muted-ink middle")),
  );
  const sizes = drawing(300, 44, legend.sizes);
  let x = 14;
  for (const share of [0.3, 0.6, 1]) {
    const radius = 19 * Math.sqrt(share);
    sizes.append(
      dot(x + radius, 20, radius, "none", colours.control_border),
      written(x + 2 * radius + 5, 25, wholePercent(share), "muted-ink"),
    );
    x += 2 * radius + 52;
  }
  const part = (text, picture) => element("div", element("div.legend-text", text), picture);
  return [part(legend.colour, ramp), part(legend.size, sizes)];
}

export const LOOK_DRAWERS = {
  lean_map: leanMap,
};
