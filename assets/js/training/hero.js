/** The sentence with what each run's heads look at from the pivot: arcs on a line, tints where that is too narrow. */

import { css, inkOn, parseColour, rampAt } from "../lib/colour.js";
import { measured } from "../lib/fitting.js";
import { blockSize, gapsBefore, lineBoxes, lineSize } from "../lib/sentence.js";
import { element, percentText, svg } from "../lib/spans.js";
import { FAINTEST, pivotArcs, pivotLinks, rowOf } from "./pivot.js";

const LARGEST = 74;
const ABOVE = 162; // px for the arcs of the first run
const BELOW = 184; // and of the second, with the names of its heads
const TONE = 0.72; // of the ramp

/** The ink of a head: the colour of the reading whose noun it holds, else that of weights. */
function headInk(run, moment, head, colours) {
  const noun = run.holds[moment][head];
  return noun === 0 ? colours.a.graphic : noun === 1 ? colours.b.graphic : css(rampAt(colours.ramp, TONE));
}

export function heroView(parent) {
  const gauge = element("div", { class: "gauge", "aria-hidden": "true" });
  const hero = element("div", { class: "hero" });
  parent.append(gauge, hero);
  let sizes = null;
  let words = "";

  function measure(spec) {
    if (sizes && words === spec.words.join(" ")) return;
    words = spec.words.join(" ");
    const gaps = gapsBefore(spec.words.map((_, at) => ({ at, space: at > 0 })));
    sizes = { ...measured(gauge, spec.words.map((word) => element("span", {}, word))), gaps };
  }

  const looksOf = (spec, run, array, moment) => run.last.map((head) => rowOf(array, moment, head, spec.pivot));

  function drawLine(spec, runs, colours, size) {
    const boxes = lineBoxes(sizes.widths, sizes.gaps, size);
    const baseline = ABOVE + size * 0.8;
    const height = ABOVE + size * 1.22 + (runs.length > 1 ? BELOW : 20);
    const row = element("div", { class: "sentence" });
    row.style.cssText = `font-size:${size}px;top:${baseline - size * sizes.baseline}px`;
    spec.words.forEach((word, at) => {
      const span = element("span", { class: at === spec.pivot ? "piece pivot" : "piece" }, word);
      span.style.left = `${boxes[at].x}px`;
      span.style.setProperty("--under", `${size * (sizes.baseline + 0.17)}px`);
      row.append(span);
    });
    const arcs = svg("svg", { "aria-hidden": "true" });
    const names = [];
    runs.forEach(({ run, array, moment }, side) => {
      const up = side === 0;
      const links = pivotLinks(looksOf(spec, run, array, moment), spec.pivot);
      const shapes = pivotArcs(links, boxes, spec.pivot, { y: up ? ABOVE - 2 : baseline + size * 0.37, up });
      for (const { link, path, arrow, width } of shapes) {
        const ink = headInk(run, moment, link.head, colours);
        arcs.append(svg("path", { d: path, fill: "none", stroke: ink, "stroke-width": width }), svg("path", { d: arrow, fill: ink }));
      }
      for (const { link, label } of shapes)
        if (label) arcs.append(svg("text", { x: label.x, y: label.y + (up === !label.inside ? -8 : 20), class: "arc-label" }, percentText(Math.round(link.weight * 100))));
      names.push(element("div", { class: `run-name${up ? "" : " below"}` }, ...runName(run, moment, colours)));
    });
    const copy = element("div", { class: "copy" }, arcs, row, ...names);
    copy.style.height = `${height}px`;
    hero.replaceChildren(copy);
  }

  function drawBlock(spec, runs, colours, column) {
    const size = blockSize(sizes.widths, sizes.gaps, column);
    hero.replaceChildren(
      ...runs.map(({ run, array, moment }) => {
        const looks = looksOf(spec, run, array, moment);
        const row = element("div", { class: "sentence" });
        row.style.cssText = `font-size:${size}px`;
        spec.words.forEach((word, at) => {
          const strongest = looks.reduce((best, look, head) => (look[at] > looks[best][at] ? head : best), 0);
          const weight = looks[strongest][at];
          const shown = at !== spec.pivot && weight >= FAINTEST;
          const held = run.holds[moment][strongest];
          const full = held === 0 ? parseColour(colours.a.wash) : held === 1 ? parseColour(colours.b.wash) : rampAt(colours.ramp, weight);
          const span = element("span", { class: at === spec.pivot ? "piece pivot" : "piece" }, word);
          if (shown) span.style.cssText = `background:${css(full)};color:${inkOn(full, colours.number_on_light, colours.number_on_dark)};${held === null ? "" : `box-shadow:inset 0 -3px ${headInk(run, moment, strongest, colours)}`}`;
          row.append(span, ...(shown && weight >= 0.1 ? [element("span", { class: "percent" }, percentText(Math.round(weight * 100)))] : []), " ");
        });
        return element("div", { class: "copy" }, element("div", { class: "run-name" }, ...runName(run, moment, colours)), row);
      }),
    );
  }

  return {
    remeasure() {
      sizes = null;
    },
    draw(spec, runs, colours, column, narrow, alternative) {
      measure(spec);
      const size = narrow ? null : lineSize(sizes.widths, sizes.gaps, column, LARGEST);
      hero.className = `hero ${size === null ? "block" : "line"}`;
      if (size === null) drawBlock(spec, runs, colours, column);
      else drawLine(spec, runs, colours, size);
      hero.setAttribute("role", "img");
      hero.setAttribute("aria-label", alternative);
    },
  };
}

function runName(run, moment, colours) {
  const heads = run.last.map((index, head) => {
    const name = element("span", { class: "held" }, run.heads[index]);
    if (run.holds[moment][head] === null) return name;
    const dot = element("i", { class: run.holds[moment][head] === 0 ? "round" : run.holds[moment][head] === 1 ? "square" : "line" });
    dot.style.background = headInk(run, moment, head, colours);
    name.prepend(dot);
    return name;
  });
  return [element("b", {}, run.title), ...(run.last.length > 1 || run.heads.length > 1 ? heads : [])];
}
