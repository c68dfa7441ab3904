/** The component "long": a long text as it is taken in, its window, the profiles and the overview of its heads. */

import { element } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { box } from "./box.js";
import { overview } from "./overview.js";
import { profiles } from "./profiles.js";
import { reader } from "./reader.js";

const PARTS = { box, overview, profiles, reader };

export default function createLong(parent, tokens) {
  const root = element("div.parallax.long");
  parent.append(root);
  const memory = new Map(); // what outlives a drawing: a text that is being typed, what has the focus
  let given = null;
  const fonts = ['400 20px "Source Serif"', '400 13px "Source Code Pro"', '400 16px "Source Sans"'];
  const look = standing(root, tokens, { fonts, draw });

  function draw() {
    const { colours, width } = look;
    if (memory.get("held")) return memory.set("late", true); // the window is being dragged
    const box = given.header.part === "box" && JSON.stringify(given.header);
    if (box && box === memory.get("box")) return; // nothing in it hangs on the width; who types keeps the caret
    memory.set("box", box);
    const focus = root.getRootNode().activeElement?.dataset?.focus;
    root.replaceChildren();
    PARTS[given.header.part](root, given, {
      colours,
      width,
      narrow: look.narrow(),
      memory,
      trigger: look.trigger,
      hold: (on) => {
        memory.set("held", on);
        if (!on && memory.delete("late")) look.redraw();
      },
    });
    if (focus) root.querySelector(`[data-focus="${focus}"]`)?.focus({ preventScroll: true });
  }

  return {
    update(data, setTriggerValue) {
      given = data;
      look.update(setTriggerValue);
    },
    close: look.close,
  };
}
