/** A word that is asked about: which heads look at it and where it looks, with bars and usual shares. */

import { arcInk, shareBar } from "../lib/sentence.js";
import { element, percentText, spanNodes } from "../lib/spans.js";
import { nthHead } from "../lib/grid.js";

const FIRST = { wide: 6, narrow: 4 }; // rows until "Show all"

/** The first rows of an answer, or all. */
export function shownRows(rows, all, narrow) {
  return all ? rows : rows.slice(0, narrow ? FIRST.narrow : FIRST.wide);
}

/** What the button says that shows the rest: of very many looks only the first have come. */
export function moreText(rows, count) {
  return rows.length < count ? `Show ${rows.length} of ${count}` : `Show all ${count}`;
}

export function askView(parent) {
  const root = element("section.ask", { "aria-label": "About one word" });
  parent.append(root);
  const all = [false, false];
  let word = ""; // whose answers are shown
  let drawn = null;

  function rowNode(spec, colour, way, [index, other, share, usual]) {
    const name = nthHead(index, spec.heads);
    const said = `${name}, ${way === "at" ? "from" : "to"} ${spec.keys[other]}, ${percentText(share)}${usual === null ? "" : `, usually ${percentText(usual)}`}`;
    const numbers = element(
      "span.ask-share",
      element("b", percentText(share)),
      usual !== null && element("span.ask-usual", ` usually ${percentText(usual)}`),
    );
    const key = `${way}-${index}-${other}`;
    return element(
      "button.ask-row",
      {
        "data-ask": key,
        "data-index": index,
        "data-other": other,
        "data-share": share,
        "data-way": way,
        "data-usual": usual,
        "aria-label": `${said}; ${spec.pins.includes(name) ? "unpin" : "pin"} this head`,
      },
      element("span.say-head", name),
      element(
        "span.ask-to",
        element("span.say-word", spec.keys[other]),
        numbers,
        shareBar(share, usual, { ink: colour }),
      ),
    );
  }

  function answerNode(spec, narrow, colour, { title, way, line, rows, count }, side) {
    const shown = shownRows(rows, all[side], narrow);
    const more =
      shown.length < rows.length ? [element("button.text-button", { "data-more": side }, moreText(rows, count))] : [];
    return element(
      "div",
      element("h3", ...spanNodes(title)),
      element("p.ask-line", ...spanNodes(line)),
      ...shown.map((row) => rowNode(spec, colour, way, row)),
      ...more,
    );
  }

  return {
    /** Shows more of an answer. */
    more(side) {
      all[side] = true;
    },
    draw(spec, colours, narrow) {
      root.hidden = !spec.asked;
      const next = spec.asked ? JSON.stringify([spec.asked, spec.pins, narrow, all, colours.ramp]) : "";
      if (next === drawn) return;
      drawn = next;
      if (!spec.asked) return root.replaceChildren();
      const now = JSON.stringify([spec.queries, spec.lock]);
      if (now !== word) all.fill(false);
      word = now;
      const active = root.getRootNode().activeElement;
      const focus = root.contains(active) ? active.dataset : null;
      const { title, about, answers } = spec.asked;
      const colour = arcInk(colours);
      root.replaceChildren(
        element(
          "div.ask-head",
          element("h2", ...spanNodes(title)),
          element("span.ask-about", ...spanNodes(about)),
          element("button.text-button", { "data-close": "" }, "Close"),
        ),
        element("div.ask-answers", ...answers.map((answer, side) => answerNode(spec, narrow, colour, answer, side))),
      );
      if (focus?.ask) root.querySelector(`[data-ask="${focus.ask}"]`)?.focus();
      else if (focus?.more)
        root.querySelectorAll(`.ask-answers > :nth-child(${1 + Number(focus.more)}) .ask-row`)[FIRST.wide]?.focus();
      return undefined;
    },
  };
}
