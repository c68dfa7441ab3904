/**
 * Two recorded training runs on one sentence: the arcs of their heads from the pivot, else tints; a finding for each, and
 * a button that plays the training. Playing needs no server.
 */

import { FAINTEST_ARC, arcShapes } from "../lib/arcs.js";
import { parseColour, rampAt } from "../lib/colour.js";
import { partOf } from "../lib/envelope.js";
import * as words from "../lib/sentence.js";
import { element, percentText, svg } from "../lib/spans.js";
import { viewOf } from "../lib/view.js";

const FRAME = 110; // ms
const FONTS = ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"'];
const LARGEST = 74;
const ABOVE = 162; // px for the arcs of the first run
const BELOW = 184; // and of the second, with the names of its heads
const NUMBERED_ARC = 0.2; // an arc with a larger share has its number
const NUMBERED = 0.1; // a tinted word with a larger share has its number

/**
 * @typedef {{title: string, heads: string[], last: number[], steps: number[], moment: number,
 *   holds: (number | null)[][], findings: string[], shape: number[], weights: string}} Run
 * @typedef {{words: string[], pivot: number, large: boolean, runs: Run[]}} RunsData
 * @typedef {{run: Run, array: {shape: number[], data: Uint8Array}, moment: number}} Moment of a run
 */

/** The uint8 weights of a run, [moment, head, query, key]. @param {Run} run */
export const weightsOf = ({ shape, weights }) => ({
  shape,
  data: Uint8Array.from(atob(weights), (letter) => letter.charCodeAt(0)),
});

/** The moment of a run that is nearest to a training step; runs may be shorter than the one that plays. */
export function momentAt(steps, step) {
  let best = 0;
  steps.forEach((value, i) => (best = Math.abs(value - step) < Math.abs(steps[best] - step) ? i : best));
  return best;
}

/** The attention of one head at one moment from one word. */
export function rowOf(array, moment, head, query) {
  const [, heads, rows] = array.shape;
  const row = partOf(array, (moment * heads + head) * rows + query, 1);
  return Array.from(row, (value) => value / 255);
}

/** Mounts the picture into a place. @param {Element} parent */
export default function trainingRuns(parent, tokens) {
  const root = element("div.parallax.runs");
  const gauge = element("div.gauge", { "aria-hidden": "true" });
  const hero = element("div.hero", { role: "img" });
  const button = element("button.plain-button.play");
  const clock = element("span.clock", { "aria-live": "off" });
  const finding = element("h1.finding");
  const live = element("div.unseen", { "aria-live": "polite" });
  root.append(gauge, finding, hero, live, element("div.player", button, clock));
  /** @type {RunsData | null} */
  let data = null;
  let weights = [];
  let whole = null; // the width of all words on one line, in sizes
  let playing = null; // the step that is drawn while the training plays
  let timer = 0;
  const view = viewOf(parent, root, tokens, draw, { fonts: FONTS, measure: () => (whole = null) });

  function draw(/** @type {RunsData} */ next, colours) {
    if (next !== data) [weights, whole] = [next.runs.map(weightsOf), null];
    data = next;
    whole ??= words.wholeWidth(
      gauge,
      words.flowed(pieces(), ({ at }) => wordNode(at)),
    );
    const runs = data.runs.map((run, side) => ({
      run,
      array: weights[side],
      moment: playing === null ? run.moment : momentAt(run.steps, playing),
    }));
    const findings = runs.map(({ run, moment }) => run.findings[moment]);
    finding.replaceChildren(...findings.flatMap((text, i) => (i ? [element("br"), text] : [text])));
    const size = view.narrow() ? null : words.lineSize(whole, view.width, LARGEST);
    hero.className = `hero ${size === null ? "block" : "line"}`;
    hero.setAttribute("aria-label", findings.join(" "));
    if (size !== null) line(runs, colours, size);
    else hero.replaceChildren(...runs.map((run) => block(run, colours, words.blockSize(whole, view.width))));
    const steps = [...new Set(runs.map(({ run, moment }) => run.steps[moment].toLocaleString("en")))];
    clock.textContent = `${steps.length > 1 ? "steps" : "step"} ${steps.join(" and ")}`;
    if (playing === null && live.textContent !== findings.join(" ")) live.textContent = findings.join(" ");
    button.textContent = playing === null ? "Play training" : "Stop";
    root.classList.toggle("large", data.large);
  }

  const looksOf = ({ run, array, moment }) => run.last.map((head) => rowOf(array, moment, head, data.pivot));
  const pieces = () => data.words.map((_, at) => ({ at, space: true }));
  const wordNode = (at) => element("span", { class: at === data.pivot ? "piece pivot" : "piece" }, data.words[at]);

  /** The words on one line, the arcs of the first run above them and those of the second below. */
  function line(/** @type {Moment[]} */ runs, colours, size) {
    const row = element(
      "div.sentence",
      { style: `font-size:${size}px` },
      ...words.flowed(pieces(), ({ at }) => wordNode(at)),
    );
    const names = runs.map((run, side) =>
      element("div.run-name", { class: side && "below" }, ...runName(run, colours)),
    );
    const arcs = svg("svg", { "aria-hidden": "true" });
    hero.replaceChildren(
      element("div.copy", { style: `padding-block:${ABOVE}px ${runs.length > 1 ? BELOW : 20}px` }, arcs, row, ...names),
    );
    const boxes = [.../** @type {HTMLCollectionOf<HTMLElement>} */ (row.children)].map(words.boxOf);
    const { up, down } = words.edgesOf(row.offsetTop, size);
    runs.forEach((run, side) => {
      const links = looksOf(run).flatMap((look, head) => look.map((weight, k) => ({ head, q: data.pivot, k, weight })));
      const place = side ? down : up;
      const shapes = arcShapes(links, boxes, { ...place, rise: 108, least: 850 }).map((shape) => {
        const { link, tip, width } = shape;
        const [x, y] = [tip.x - Math.max(width, 4) - 5, place.y + (side ? 13 : -3)]; // left of the arrow, where no arc runs
        const label = link.weight >= NUMBERED_ARC ? { x, y, anchor: "end", strong: true } : null;
        return { ...shape, opacity: 1, label, ink: headInk(run, link.head, colours) };
      });
      arcs.append(...words.arcNodes(shapes, ""));
    });
  }

  /** The words on several lines, each tinted by the head that looks at it most. */
  function block(/** @type {Moment} */ given, colours, size) {
    const { run, moment } = given;
    const looks = looksOf(given);
    const nodes = data.words.flatMap((_, at) => {
      const word = wordNode(at);
      const strongest = looks.reduce((best, look, head) => (look[at] > looks[best][at] ? head : best), 0);
      const weight = looks[strongest][at];
      if (at === data.pivot || weight < FAINTEST_ARC) return [word, " "];
      const held = run.holds[moment][strongest];
      const washes = [colours.a.wash, colours.b.wash].map(parseColour);
      words.tint(word, washes[held] ?? rampAt(colours.ramp, weight), colours);
      if (held !== null) word.style.boxShadow = `inset 0 -3px ${headInk(given, strongest, colours)}`;
      return [word, weight >= NUMBERED && element("span.percent", percentText(Math.round(weight * 100))), " "];
    });
    const row = element("div.sentence", { style: `font-size:${size}px` }, ...nodes);
    return element("div.copy", element("div.run-name", ...runName(given, colours)), row);
  }

  function show(step) {
    playing = step;
    view.redraw();
  }

  function play() {
    clearInterval(timer);
    if (playing !== null) return show(null);
    const steps = data.runs.map((run) => run.steps).sort((a, b) => b.length - a.length)[0];
    let frame = 0;
    show(steps[0]);
    timer = setInterval(() => {
      frame += 1;
      if (frame < steps.length) return show(steps[frame]);
      clearInterval(timer);
      show(null);
    }, FRAME);
  }

  view.listen("click", play, button);
  return {
    update: view.update,
    close() {
      clearInterval(timer);
      view.close();
    },
  };
}

/** The ink of a head: the colour of the reading whose noun it holds, else that of weights. @param {Moment} given */
function headInk({ run, moment }, head, colours) {
  const noun = run.holds[moment][head];
  return [colours.a.graphic, colours.b.graphic][noun] ?? words.arcInk(colours);
}

/** The title of a run and the names of its heads, each with a dot if it holds a noun. @param {Moment} given */
function runName(given, colours) {
  const { run, moment } = given;
  const heads = run.last.map((index, head) => {
    const kind = ["round", "square"][run.holds[moment][head]] ?? "line";
    const dot = element("i", { class: kind, style: `background:${headInk(given, head, colours)}` });
    return element("span.held", run.holds[moment][head] !== null && dot, run.heads[index]);
  });
  return [element("b", run.title), ...(run.last.length > 1 || run.heads.length > 1 ? heads : [])];
}
