/** Which heads look alike: all pairs as a matrix, the same as a map, and the nearest of one head. */

import { grey, legendRamp } from "./marks.js";
import { box, dot, drawing, frame, headButton, key, level, rampKey, stroked, written } from "../../lib/chart.js";
import { css, rampAt } from "../../lib/colour.js";
import { wordMap } from "../../lib/map.js";
import { element, filledText, put, svg } from "../../lib/spans.js";

const [NEAR, FAR] = [0.2, 0.8]; // distances that are darkest and lightest, for every model
const TREE = 54; // px
const LAYER = 9;
const WIDEST = 560;
const FAINTEST = 0.005; // a share that is drawn: one per cent, rounded
const NUMBERED = 26; // px of a cell that has its number

/** How dark a distance is, 0 to 1. */
export function darkness(distance) {
  return Math.max(0, Math.min(1, (FAR - distance) / (FAR - NEAR)));
}

/** The distances of a matrix from its bytes in base64. */
export function distancesOf(cells) {
  return Uint8Array.from(atob(cells), (letter) => letter.charCodeAt(0));
}

/** @type {Drawer<"atlas_matrix">} */
function matrix(block, { colours, width, legend, memory, id }) {
  const n = block.names.length;
  const side = Math.min(width - 26, WIDEST);
  const cell = side / n;
  const foot = TREE + side + 10;
  const last = Math.max(...block.layers);
  const picture = drawing(side + 26, foot + (last + 1) * LAYER + 4, block.label);
  const tallest = Math.max(...block.forks.map((fork) => fork[4]), 1e-9);
  const X = (at) => (at + 0.5) * cell;
  const Y = (height) => TREE - 3 - ((TREE - 8) * height) / tallest;
  const cells = distancesOf(block.cells);
  const image = {
    x: 0,
    y: TREE,
    width: side,
    height: side,
    style: "image-rendering:pixelated",
    preserveAspectRatio: "none",
  };
  const at = block.names.indexOf(block.focus);
  put(
    picture,
    ...block.forks.map(([x0, x1, y0, y1, height]) =>
      stroked(`M${X(x0)},${Y(y0)}V${Y(height)}H${X(x1)}V${Y(y1)}`, colours.muted),
    ),
    svg("image", { ...image, href: drawn(cells, n, colours) }),
    at >= 0 && frame(at * cell - 1, TREE - 1, cell + 2, side + 2, colours.accent, 2),
  );
  for (let layer = 0; layer <= last; layer++) {
    const y = foot + layer * LAYER;
    picture.append(level(y + 7.5, 0, side, colours.border));
    block.layers.forEach(
      (one, i) => one === layer && picture.append(box(i * cell, y, Math.max(1, cell - 0.8), 7, colours.text)),
    );
    if (layer === 0 || layer === last) picture.append(written(side + 4, y + 8, `L${layer}`, "muted-ink", 12));
  }
  const told = element("p.atlas-told", { "aria-live": "off" });
  picture.append(...block.names.map((name, i) => headButton(i * cell, TREE, cell, side, name, legend.likes)));
  const tell = (pair) => {
    memory.set(id, { cells: block.cells, pair });
    const names = `${block.names[Math.floor(pair / n)]} and ${block.names[pair % n]}`;
    told.textContent = `${names}: ${(cells[pair] / 255).toFixed(2)}`;
  };
  const before = memory.get(id); // what was told when a click drew it anew: a finger points by that alone
  if (before?.cells === block.cells) tell(before.pair);
  const point = (event) => {
    const corner = picture.getBoundingClientRect();
    const part = (side + 26) / corner.width;
    const [i, j] = [
      ((event.clientX - corner.left) * part) / cell,
      ((event.clientY - corner.top) * part - TREE) / cell,
    ].map(Math.floor);
    if (i >= 0 && i < n && j >= 0 && j < n) tell(j * n + i);
  };
  picture.addEventListener("pointermove", point);
  picture.addEventListener("click", point);
  const near = filledText(legend.near, { distance: NEAR });
  const far = filledText(legend.far, { distance: FAR });
  const focus = element("i.atlas-frame", { style: `border-color:${colours.accent}` });
  return [picture, told, key([near, rampKey(legendRamp(colours, false, 1, 0)), far], [focus, block.focus])];
}

function drawn(cells, n, colours) {
  const paper = document.createElement("canvas");
  paper.width = paper.height = n;
  const brush = paper.getContext("2d");
  const dots = brush.createImageData(n, n);
  cells.forEach((byte, i) => dots.data.set([...grey(colours, darkness(byte / 255)), 255], 4 * i));
  brush.putImageData(dots, 0, 0);
  return paper.toDataURL();
}

/** Where points stand in a picture of this size: one scale for both directions, in the middle. */
export function fitted(points, width, height, edge = 26) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const factor = Math.min((width - 2 * edge) / Math.max(x1 - x0, 1e-9), (height - 2 * edge) / Math.max(y1 - y0, 1e-9));
  return points.map(([x, y]) => [width / 2 + (x - (x0 + x1) / 2) * factor, height / 2 + (y - (y0 + y1) / 2) * factor]);
}

/** @type {Drawer<"atlas_plane">} */
function plane(block, { colours, width, narrow, legend }) {
  const height = narrow ? width : Math.min(width, WIDEST);
  const picture = drawing(width, height, block.label);
  const at = fitted(block.points, width, height);
  const focus = block.names.indexOf(block.focus);
  const near = block.near.map((name) => block.names.indexOf(name));
  const thread = { stroke: colours.accent, "stroke-width": 1.25, "stroke-opacity": 0.6 };
  for (const other of near)
    picture.append(svg("line", { x1: at[focus][0], y1: at[focus][1], x2: at[other][0], y2: at[other][1], ...thread }));
  at.forEach(([x, y], i) => {
    const look = i === focus || near.includes(i) ? "bold" : "muted-ink";
    picture.append(written(x, y + 5.5, block.layers[i], `code halo middle ${look}`, narrow ? 14 : 16));
  });
  if (focus >= 0) {
    const [x, y] = at[focus];
    const right = x > width - 90;
    picture.append(dot(x, y, 13, "none", colours.accent, 2));
    picture.append(written(x + (right ? -16 : 16), y - 10, block.focus, right ? "code halo end" : "code halo"));
  }
  picture.append(...at.map(([x, y], i) => headButton(x - 12, y - 12, 24, 24, block.names[i], legend.likes)));
  return picture;
}

/** @type {Drawer<"atlas_like">} */
function like(block, { colours }) {
  const line = element("div.atlas-likes", { role: "group", "aria-label": block.label });
  block.heads.forEach((one, i) => {
    const button = element("button", { class: `atlas-thumb${i ? "" : " itself"}`, "data-act": one.name });
    if (one.weights) button.append(thumbnail(one.weights, colours, block.rtl));
    button.append(element("span.say-head", one.name), element("span.atlas-under", one.text));
    line.append(button);
  });
  return line;
}

function thumbnail(weights, colours, rtl) {
  const n = weights.length;
  const picture = svg("svg", { viewBox: `0 0 ${n} ${n}`, "aria-hidden": "true", "shape-rendering": "crispEdges" });
  weights.forEach((row, i) =>
    row.forEach((value, j) => {
      const x = rtl ? n - 1 - j : j;
      if (value > 0.004) picture.append(box(x, i, 1, 1, css(rampAt(colours.ramp, value))));
    }),
  );
  return picture;
}

/** Words that look at words: rows look at columns. @type {Drawer<"atlas_heat">} */
function heat({ words, weights, rtl, label }, { colours, width, gauge, legend }) {
  const size = 15;
  const longest = Math.max(...words.map((word) => gauge(word))) * size;
  const beside = longest + 14;
  const cell = Math.max(12, Math.min(44, (width - beside - 10) / words.length));
  const map = {
    rows: words,
    columns: words,
    label,
    cell,
    beside,
    above: longest * 0.72 + 20,
    after: 40,
    below: 4,
    size,
    look: "serif",
    rtl,
    colours,
  };
  const { picture } = wordMap({
    ...map,
    colour: (q, k) => (weights[q][k] < FAINTEST ? null : rampAt(colours.ramp, weights[q][k])), // it would have the page's own colour
    text: (q, k) => (cell < NUMBERED ? "" : String(Math.round(100 * weights[q][k]))),
  });
  const ramp = rampKey(legendRamp(colours, true));
  return [element("div.scroll-x", picture), key([rtl ? legend.axes_rtl : legend.axes], ["0", ramp, "100\u00a0%"])];
}

export const ALIKE_DRAWERS = {
  atlas_matrix: matrix,
  atlas_plane: plane,
  atlas_like: like,
  atlas_heat: heat,
};
