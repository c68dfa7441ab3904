/** The component of "Watch heads learn": the sentence with arcs, or all maps; both play the training on one clock. */

import { palette } from "./colour.js";
import { openEnvelope } from "./envelope.js";
import { fitting } from "./fitting.js";
import { NARROW } from "./layout.js";
import { mounted } from "./mount.js";
import { element, spanNodes } from "./spans.js";
import { momentAt } from "./training_arcs.js";
import { heroView } from "./training_hero.js";
import { mapsView } from "./training_maps.js";

const FRAME = 110; // ms
const CLOCK = "parallax-training-step"; // what the sentence tells the maps while it plays: a step, or null at the end

export default mounted(createView);

function createView(parent) {
  const root = element("div", { class: "parallax training" });
  parent.append(root);
  const button = element("button", { type: "button", class: "plain-button play" }, "Play the training");
  const clock = element("span", { class: "clock", "aria-live": "off" });
  const finding = element("p", { class: "finding" });
  const note = element("p", { class: "note" });
  let spec = null;
  let arrays = null;
  let colours = null;
  let view = null;
  let width = 0;
  let playing = null; // the step that is drawn while it plays
  let timer = 0;
  let built = "";

  const runs = () => spec.runs.map((run, side) => ({ run, array: arrays[side ? "right" : "left"], moment: playing === null ? run.moment : momentAt(run.steps, playing) }));

  function draw() {
    if (!spec || !width) return;
    const narrow = width <= NARROW;
    root.classList.toggle("narrow", narrow);
    for (const name of ["muted", "border", "control_border", "accent", "background"]) root.style.setProperty(`--${name.replaceAll("_", "-")}`, colours[name]);
    for (const letter of ["a", "b"]) root.style.setProperty(`--reading-${letter}`, colours[letter].graphic);
    const layout = `${width} ${spec.words} ${spec.runs.map((run) => `${run.title} ${run.heads}`)}`;
    if (spec.part === "maps" && layout !== built) view.build(spec, runs(), width, narrow);
    built = layout;
    view.draw(spec, runs(), colours, width, narrow);
    const steps = runs().map(({ run, moment }) => run.steps[moment]);
    clock.textContent = steps[0] === steps.at(-1) ? `step ${steps[0].toLocaleString("en")}` : `steps ${steps.map((step) => step.toLocaleString("en")).join(" and ")}`;
    button.textContent = playing === null ? "Play the training" : "Stop";
  }

  function tell(step) {
    playing = step;
    window.dispatchEvent(new CustomEvent(CLOCK, { detail: step }));
    draw();
  }

  function play() {
    clearInterval(timer);
    if (playing !== null) return tell(null);
    const steps = spec.runs.map((run) => run.steps).reduce((longest, other) => (other.length > longest.length ? other : longest));
    let frame = 0;
    tell(steps[0]);
    timer = setInterval(() => {
      frame += 1;
      if (frame < steps.length) return tell(steps[frame]);
      clearInterval(timer);
      tell(null);
    }, FRAME);
  }

  const stop = new AbortController();
  button.addEventListener("click", play, { signal: stop.signal });
  window.addEventListener(
    CLOCK,
    ({ detail }) => {
      if (spec?.part !== "maps") return;
      playing = detail;
      draw();
    },
    { signal: stop.signal },
  );
  fitting(root, ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"'], stop.signal, {
    resized(next) {
      width = next;
      draw();
    },
    ready() {
      if (!spec) return;
      view.remeasure?.();
      draw();
      root.dataset.ready = "";
    },
  });

  return {
    update(data) {
      ({ header: spec, arrays } = openEnvelope(data));
      const { tokens } = spec;
      const style = getComputedStyle(root);
      colours = palette(style, tokens);
      if (view === null && spec.part === "hero") {
        view = heroView(root);
        root.append(finding, note, element("div", { class: "player" }, button, clock));
      }
      if (view === null) view = mapsView(root);
      finding.replaceChildren(...spec.finding.flatMap((spans, i) => [...(i ? [element("br")] : []), ...spanNodes(spans)]));
      note.replaceChildren(...spanNodes(spec.note));
      width = Math.floor(root.clientWidth) || width;
      draw();
    },
    close() {
      stop.abort();
      clearInterval(timer);
      root.remove();
    },
  };
}
