/**
 * Two recorded training runs on one sentence: the arcs of their heads from the pivot, a finding for each, and a button
 * that plays the training. Playing needs no server.
 */

import { tellFound } from "../lib/found.js";
import { momentAt } from "../lib/pivot.js";
import { element } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { runsSentence } from "./runs_sentence.js";

const FRAME = 110; // ms
const FONTS = ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"'];

/**
 * @typedef {{title: string, heads: string[], last: number[], steps: number[], moment: number,
 *   holds: (number | null)[][], findings: string[], shape: number[], weights: string}} Run
 * @typedef {{words: string[], pivot: number, large: boolean, runs: Run[]}} RunsData
 */

/** The uint8 weights of a run, [moment, head, query, key]. @param {Run} run */
export const weightsOf = ({ shape, weights }) => ({
  shape,
  data: Uint8Array.from(atob(weights), (letter) => letter.charCodeAt(0)),
});

/** Mounts the picture into a place. @param {Element} parent */
export default function trainingRuns(parent, tokens) {
  const root = element("div.parallax.runs");
  parent.append(root);
  const view = runsSentence(root);
  const button = element("button.plain-button.play", "Play training");
  const clock = element("span.clock", { "aria-live": "off" });
  const finding = element("h1.finding");
  root.append(finding, element("div.player", button, clock));
  /** @type {RunsData | null} */
  let data = null;
  let weights = [];
  let playing = null; // the step that is drawn while the training plays
  let timer = 0;
  const look = standing(root, tokens, { fonts: FONTS, draw, measure: () => view.remeasure() });

  function draw() {
    const runs = data.runs.map((run, side) => ({
      run,
      array: weights[side],
      moment: playing === null ? run.moment : momentAt(run.steps, playing),
    }));
    const findings = runs.map(({ run, moment }) => run.findings[moment]);
    finding.replaceChildren(...findings.flatMap((text, i) => (i ? [element("br"), text] : [text])));
    view.draw(data, runs, look.colours, look.width, look.narrow(), findings.join(" "));
    const steps = [...new Set(runs.map(({ run, moment }) => run.steps[moment].toLocaleString("en")))];
    clock.textContent = `${steps.length > 1 ? "steps" : "step"} ${steps.join(" and ")}`;
    if (playing === null) tellFound(root, [finding]);
    button.textContent = playing === null ? "Play training" : "Stop";
  }

  function show(step) {
    playing = step;
    look.redraw();
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

  look.listen("click", play, button);
  return {
    update(next, _, setStateValue) {
      data = next;
      weights = data.runs.map(weightsOf);
      root.classList.toggle("large", data.large);
      look.update(() => {}, setStateValue);
    },
    close() {
      clearInterval(timer);
      look.close();
    },
  };
}
