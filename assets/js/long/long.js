/** The component "long": a long text as it is taken in, its window, the profiles and the overview of its heads. */

import { dress } from "../lib/colour.js";
import { openEnvelope } from "../lib/envelope.js";
import { fitting } from "../lib/fitting.js";
import { NARROW } from "../lib/layout.js";
import { element } from "../lib/spans.js";
import { box } from "./box.js";
import { overview } from "./overview.js";
import { profiles } from "./profiles.js";
import { reader } from "./reader.js";

const PARTS = { box, overview, profiles, reader };

export default function createLong(parent, tokens) {
  const root = element("div", { class: "parallax long" });
  parent.append(root);
  const memory = new Map(); // what outlives a drawing: a text that is being typed, what has the focus
  let given = null;
  let width = 0;
  let trigger = () => {};
  const stop = new AbortController();

  function draw() {
    if (!given || !width) return;
    const colours = dress(root, tokens);
    root.classList.toggle("narrow", width <= NARROW);
    const focus = root.getRootNode().activeElement?.dataset?.focus;
    root.replaceChildren();
    PARTS[given.header.part](root, given, { colours, width, narrow: width <= NARROW, memory, trigger: (name, value) => trigger(name, value) });
    if (focus) root.querySelector(`[data-focus="${focus}"]`)?.focus({ preventScroll: true });
    root.dataset.ready = "";
  }

  fitting(root, ['400 20px "Source Serif"', '400 13px "Source Code Pro"', '400 16px "Source Sans"'], stop.signal, {
    resized(next) {
      width = next;
      draw();
    },
    ready: draw,
  });
  return {
    update(data, setTriggerValue) {
      trigger = setTriggerValue;
      given = openEnvelope(data);
      width = Math.floor(root.clientWidth) || width;
      draw();
    },
    close() {
      stop.abort();
      root.remove();
    },
  };
}
