/** The component of "Watch heads learn": the sentence with arcs, or all maps; both play the training on one clock. */

import { tellFound } from "../lib/found.js";
import { element, filled, plainText, spanNodes } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { momentAt } from "./pivot.js";
import { heroView } from "./hero.js";
import { mapsView } from "./maps.js";

const FRAME = 110; // ms
const CLOCK = "parallax-training-step"; // what the sentence tells the maps while it plays: a step, or null at the end

export default function createTraining(parent, tokens) {
  const root = element("div.parallax.training");
  parent.append(root);
  const button = element("button.plain-button.play", "Play training");
  const clock = element("span.clock", { "aria-live": "off" });
  const finding = element("h1.finding");
  const note = element("p.note");
  let spec = null;
  let arrays = null;
  let view = null;
  let playing = null; // the step that is drawn while it plays
  let timer = 0;
  const fonts = ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"'];
  const look = standing(root, tokens, { fonts, draw, measure: () => view.remeasure?.() });

  const runs = () =>
    spec.runs.map((run, side) => ({
      run,
      array: arrays[side ? "right" : "left"],
      moment: playing === null ? run.moment : momentAt(run.steps, playing),
    }));

  function draw() {
    const [width, narrow] = [look.width, look.narrow()];
    const sentences = toldAt(spec.told ?? [], runs());
    finding.replaceChildren(...sentences.flatMap((spans, i) => [...(i ? [element("br")] : []), ...spanNodes(spans)]));
    view.draw(spec, runs(), look.colours, width, narrow, sentences.map(plainText).join(" "));
    const steps = runs().map(({ run, moment }) => run.steps[moment]);
    clock.textContent =
      steps[0] === steps.at(-1)
        ? `step ${steps[0].toLocaleString("en")}`
        : `steps ${steps.map((step) => step.toLocaleString("en")).join(" and ")}`;
    if (playing === null && spec.part === "hero") tellFound(root, [finding]);
    button.textContent = playing === null ? "Play training" : "Stop";
  }

  function tell(step) {
    playing = step;
    window.dispatchEvent(new CustomEvent(CLOCK, { detail: step }));
    look.redraw();
  }

  function play() {
    clearInterval(timer);
    if (playing !== null) return tell(null);
    const steps = spec.runs
      .map((run) => run.steps)
      .reduce((longest, other) => (other.length > longest.length ? other : longest));
    let frame = 0;
    tell(steps[0]);
    timer = setInterval(() => {
      frame += 1;
      if (frame < steps.length) return tell(steps[frame]);
      clearInterval(timer);
      tell(null);
    }, FRAME);
  }

  look.listen("click", play, button);
  look.listen(
    CLOCK,
    ({ detail }) => {
      if (spec?.part !== "maps") return;
      playing = detail;
      look.redraw();
    },
    window,
  );

  return {
    update(data, _, setStateValue) {
      ({ header: spec, arrays } = data);
      root.classList.toggle("large", Boolean(spec.large));
      if (view === null && spec.part === "hero") {
        view = heroView(root);
        root.append(finding, note, element("div.player", button, clock));
      }
      if (view === null) view = mapsView(root);
      note.replaceChildren(...spanNodes(spec.note));
      look.update(() => {}, spec.part === "hero" ? setStateValue : undefined);
    },
    close() {
      clearInterval(timer);
      look.close();
    },
  };
}

/** What is said of each run at its moment: the sentence of that moment with its numbers. */
function toldAt(told, runs) {
  return told.map(({ sentences, at }, side) => {
    const [place, joint, steps] = at[runs[side].moment];
    return filled(sentences[place], { joint, steps });
  });
}
