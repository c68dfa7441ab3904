/** Which heads look alike: all pairs as a matrix, the same as a map, effective numbers, and the nearest of one head. */

import { css, rampAt } from "../../lib/colour.js";
import { element, filledText, svg } from "../../lib/spans.js";
import { numbersBelow, scale, ticks, tickStep, upright } from "../../lib/chart.js";
import { canvas, headButton, label } from "../draw.js";
import { grey, ink, legendRamp } from "./marks.js";
/** @import { Drawer } from "../../drawers.d.ts" */

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
export function matrix(place, block, { colours, width, legend }) {
  const n = block.names.length;
  const layers = 1 + Math.max(...block.layers);
  const side = Math.min(width - 26, WIDEST);
  const cell = side / n;
  const foot = TREE + side + 10;
  const picture = canvas(side + 26, foot + layers * LAYER + 4, block.label);
  const tallest = Math.max(...block.forks.map((fork) => fork[4]), 1e-9);
  const X = (at) => (at + 0.5) * cell;
  const Y = (height) => TREE - 3 - ((TREE - 8) * height) / tallest;
  for (const [x0, x1, y0, y1, height] of block.forks) picture.append(svg("path", { d: `M${X(x0)},${Y(y0)}V${Y(height)}H${X(x1)}V${Y(y1)}`, fill: "none", stroke: colours.muted }));
  const cells = distancesOf(block.cells);
  picture.append(svg("image", { x: 0, y: TREE, width: side, height: side, href: drawn(cells, n, colours), style: "image-rendering:pixelated", preserveAspectRatio: "none" }));
  const at = block.names.indexOf(block.focus);
  if (at >= 0) picture.append(svg("rect", { x: at * cell - 1, y: TREE - 1, width: cell + 2, height: side + 2, fill: "none", stroke: colours.accent, "stroke-width": 2 }));
  for (let layer = 0; layer < layers; layer++) {
    const y = foot + layer * LAYER;
    picture.append(svg("line", { x1: 0, x2: side, y1: y + 7.5, y2: y + 7.5, stroke: colours.border }));
    block.layers.forEach((one, i) => one === layer && picture.append(svg("rect", { x: i * cell, y, width: Math.max(1, cell - 0.8), height: 7, fill: colours.text })));
    if (layer === 0 || layer === layers - 1) picture.append(label(side + 4, y + 8, `L${layer}`, { "font-size": 12, class: "muted-ink" }));
  }
  const told = element("p", { class: "atlas-told", "aria-live": "off" });
  block.names.forEach((name, i) => picture.append(headButton(i * cell, TREE, cell, side, name, legend.likes)));
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const part = (side + 26) / box.width;
    const [i, j] = [((event.clientX - box.left) * part) / cell, ((event.clientY - box.top) * part - TREE) / cell].map(Math.floor);
    if (i >= 0 && i < n && j >= 0 && j < n) told.textContent = `${block.names[j]} and ${block.names[i]}: ${(cells[j * n + i] / 255).toFixed(2)}`;
  });
  const ramp = element("i", { class: "atlas-ramp", style: `background:${legendRamp(colours, false, 1, 0)}` });
  place.append(picture, told, element("div", { class: "atlas-legend" }, element("span", {}, filledText(legend.near, { distance: NEAR }), ramp, filledText(legend.far, { distance: FAR })), element("span", {}, element("i", { class: "atlas-frame", style: `border-color:${colours.accent}` }), block.focus)));
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
export function plane(place, block, { colours, width, narrow, legend }) {
  const height = narrow ? width : Math.min(width, WIDEST);
  const picture = canvas(width, height, block.label);
  const at = fitted(block.points, width, height);
  const focus = block.names.indexOf(block.focus);
  const near = block.near.map((name) => block.names.indexOf(name));
  for (const other of near) picture.append(svg("line", { x1: at[focus][0], y1: at[focus][1], x2: at[other][0], y2: at[other][1], stroke: colours.accent, "stroke-width": 1.25, "stroke-opacity": 0.6 }));
  at.forEach(([x, y], i) => {
    const strong = i === focus || near.includes(i);
    picture.append(label(x, y + 5.5, block.layers[i], { "font-size": narrow ? 14 : 16, "text-anchor": "middle", class: `code halo${strong ? "" : " muted-ink"}`, "font-weight": strong ? 600 : 400 }));
  });
  if (focus >= 0) picture.append(svg("circle", { cx: at[focus][0], cy: at[focus][1], r: 13, fill: "none", stroke: colours.accent, "stroke-width": 2 }));
  if (focus >= 0) picture.append(name(at[focus], block.focus, width));
  at.forEach(([x, y], i) => picture.append(headButton(x - 12, y - 12, 24, 24, block.names[i], legend.likes)));
  place.append(picture);
}

function name([x, y], text, width) {
  const right = x > width - 90;
  return label(x + (right ? -16 : 16), y - 10, text, { "font-size": 13, "text-anchor": right ? "end" : "start", class: "code halo" });
}

/** @type {Drawer<"atlas_different">} */
export function different(place, block, { colours, width }) {
  const [rowHeight, left] = [30, 76];
  const most = Math.max(2, Math.ceil(Math.max(...block.rows.flatMap(([, one, other]) => [one, other])) + 0.5));
  const X = scale(left, width - 30, 0, most);
  const foot = block.rows.length * rowHeight;
  const picture = canvas(width, foot + 30, block.label);
  const values = ticks(1, most, Math.max(1, Math.round(tickStep(most, 6))));
  picture.append(...values.map((value) => upright(X(value), 0, foot, colours.border)), ...numbersBelow(X, foot + 18, values, (value) => `${value}`));
  block.rows.forEach(([text, one, other], i) => {
    const y = i * rowHeight + rowHeight / 2;
    picture.append(
      label(0, y + 5, text, { "font-size": 14, "font-weight": i ? 400 : 600 }),
      svg("line", { x1: X(other), x2: X(one), y1: y, y2: y, stroke: colours.control_border, "stroke-width": 1.25 }),
      svg("circle", { cx: X(other), cy: y, r: 5, fill: colours.background, stroke: colours.text, "stroke-width": 1.25 }),
      svg("circle", { cx: X(one), cy: y, r: 5.5, fill: colours.text }),
      label(Math.max(X(one), X(other)) + 12, y + 5, one.toFixed(1), { "font-size": 14, class: "code" }),
    );
  });
  place.append(picture);
}

/** @type {Drawer<"atlas_like">} */
export function like(place, block, { colours }) {
  const line = element("div", { class: "atlas-likes", role: "group", "aria-label": block.label });
  block.heads.forEach((one, i) => {
    const button = element("button", { type: "button", class: `atlas-thumb${i ? "" : " itself"}`, "data-act": one.name });
    if (one.weights) button.append(thumbnail(one.weights, colours));
    button.append(element("span", { class: "say-head" }, one.name), element("span", { class: "atlas-under" }, one.text));
    line.append(button);
  });
  place.append(line);
}

function thumbnail(weights, colours) {
  const n = weights.length;
  const picture = svg("svg", { viewBox: `0 0 ${n} ${n}`, "aria-hidden": "true", "shape-rendering": "crispEdges" });
  weights.forEach((row, i) => row.forEach((value, j) => value > 0.004 && picture.append(svg("rect", { x: j, y: i, width: 1, height: 1, fill: css(rampAt(colours.ramp, value)) }))));
  return picture;
}

/** Words that look at words: rows look at columns. @type {Drawer<"atlas_heat">} */
export function heat(place, block, { colours, width, gauge, legend }) {
  const n = block.words.length;
  const size = 15;
  const left = Math.max(...block.words.map((word) => gauge(word))) * size + 14;
  const cell = Math.max(12, Math.min(44, (width - left - 10) / n));
  const top = Math.max(...block.words.map((word) => gauge(word))) * size * 0.72 + 20;
  const picture = canvas(left + n * cell + 40, top + n * cell + 4, block.label);
  block.words.forEach((word, i) => {
    const x = left + i * cell + cell / 2;
    const y = top + i * cell;
    picture.append(label(x, top - 8, word, { "font-size": size, class: "serif", transform: `rotate(-46 ${x} ${top - 8})` }), label(left - 10, y + cell / 2 + 5, word, { "font-size": size, class: "serif", "text-anchor": "end" }));
    block.weights[i].forEach((value, j) => {
      if (value < FAINTEST) return; // it would have the page's own colour, and be written 0
      const colour = rampAt(colours.ramp, value);
      picture.append(svg("rect", { x: left + j * cell, y, width: cell - 1, height: cell - 1, fill: css(colour) }));
      if (cell >= NUMBERED) picture.append(label(left + (j + 0.5) * cell, y + cell / 2 + 4, Math.round(100 * value), { "font-size": 12, class: "code", "text-anchor": "middle", style: `fill:${ink(colour, colours)}` }));
    });
  });
  picture.append(svg("rect", { x: left - 0.5, y: top - 0.5, width: n * cell, height: n * cell, fill: "none", stroke: colours.border }));
  const ramp = element("i", { class: "atlas-ramp", style: `background:${legendRamp(colours, true)}` });
  const said = element("span", {}, legend.axes);
  place.append(element("div", { class: "scroll-x" }, picture), element("div", { class: "atlas-legend" }, said, element("span", {}, "0", ramp, "100\u00a0%")));
}
