/** A sentence with the attention of each training run's heads from the pivot: arcs on one line, else tints. */

import { parseColour, rampAt } from "../lib/colour.js";
import {
  arcInk,
  arcNodes,
  blockSize,
  gapsBefore,
  lineBoxes,
  lineSize,
  measured,
  setLine,
  tint,
} from "../lib/sentence.js";
import { element, percentText, svg } from "../lib/spans.js";
import { FAINTEST, pivotArcs, pivotLinks, rowOf } from "../lib/pivot.js";

const LARGEST = 74;
const ABOVE = 162; // px for the arcs of the first run
const BELOW = 184; // and of the second, with the names of its heads

/** The ink of a head: the colour of the reading whose noun it holds, else that of weights. */
function headInk(run, moment, head, colours) {
  const noun = run.holds[moment][head];
  return [colours.a.graphic, colours.b.graphic][noun] ?? arcInk(colours);
}

export function runsSentence(parent) {
  const gauge = element("div.gauge", { "aria-hidden": "true" });
  const hero = element("div.hero");
  parent.append(gauge, hero);
  let sizes = null;
  let words = "";

  function measure(spec) {
    if (sizes && words === spec.words.join(" ")) return;
    words = spec.words.join(" ");
    const gaps = gapsBefore(spec.words.map((_, at) => ({ at, space: at > 0 })));
    sizes = {
      ...measured(
        gauge,
        spec.words.map((word) => element("span", word)),
      ),
      gaps,
    };
  }

  const looksOf = (spec, run, array, moment) => run.last.map((head) => rowOf(array, moment, head, spec.pivot));

  const wordNode = (spec, at) =>
    element("span", { class: at === spec.pivot ? "piece pivot" : "piece" }, spec.words[at]);

  function drawLine(spec, runs, colours, size) {
    const boxes = lineBoxes(sizes.widths, sizes.gaps, size);
    const words = spec.words.map((_, at) => wordNode(spec, at));
    const row = element("div.sentence", ...words);
    const line = setLine(row, words, boxes, {
      size,
      baseline: sizes.baseline,
      above: ABOVE,
      below: runs.length > 1 ? BELOW : 20,
    });
    const shapes = runs.flatMap(({ run, array, moment }, side) => {
      const arcs = pivotArcs(
        pivotLinks(looksOf(spec, run, array, moment), spec.pivot),
        boxes,
        spec.pivot,
        side ? line.down : line.up,
      );
      return arcs.map((shape) => ({ ...shape, ink: headInk(run, moment, shape.link.head, colours) }));
    });
    const names = runs.map(({ run, moment }, side) =>
      element("div", { class: `run-name${side ? " below" : ""}` }, ...runName(run, moment, colours)),
    );
    hero.replaceChildren(
      element(
        "div.copy",
        { style: `height:${line.height}px` },
        svg("svg", { "aria-hidden": "true" }, ...arcNodes(shapes, "")),
        row,
        ...names,
      ),
    );
  }

  function drawBlock(spec, runs, colours, column) {
    const size = blockSize(sizes.widths, sizes.gaps, column);
    hero.replaceChildren(
      ...runs.map(({ run, array, moment }) => {
        const looks = looksOf(spec, run, array, moment);
        const words = spec.words.map((_, at) => {
          const word = wordNode(spec, at);
          const strongest = looks.reduce((best, look, head) => (look[at] > looks[best][at] ? head : best), 0);
          const weight = looks[strongest][at];
          if (at === spec.pivot || weight < FAINTEST) return [word];
          const held = run.holds[moment][strongest];
          const washes = [colours.a.wash, colours.b.wash].map(parseColour);
          tint(word, washes[held] ?? rampAt(colours.ramp, weight), colours);
          if (held !== null) word.style.boxShadow = `inset 0 -3px ${headInk(run, moment, strongest, colours)}`;
          return weight >= 0.1 ? [word, element("span.percent", percentText(Math.round(weight * 100)))] : [word];
        });
        const row = element(
          "div.sentence",
          { style: `font-size:${size}px` },
          ...words.flatMap((nodes) => [...nodes, " "]),
        );
        return element("div.copy", element("div.run-name", ...runName(run, moment, colours)), row);
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
    const name = element("span.held", run.heads[index]);
    if (run.holds[moment][head] === null) return name;
    const dot = element("i", { class: ["round", "square"][run.holds[moment][head]] ?? "line" });
    dot.style.background = headInk(run, moment, head, colours);
    name.prepend(dot);
    return name;
  });
  return [element("b", run.title), ...(run.last.length > 1 || run.heads.length > 1 ? heads : [])];
}
