/** A word that is asked about: which heads look at it and where it looks, with bars, usual shares and small arcs. */

import { px } from "../lib/arcs.js";
import { arcInk, shareBar } from "../lib/sentence.js";
import { element, percentText, spanNodes, svg } from "../lib/spans.js";
import { nthHead } from "../lib/grid.js";

const FIRST = { wide: 6, narrow: 4 }; // rows until "Show all"
const MINI = { wide: 236, narrow: 104 }; // px of a row's sentence
const MINI_HEIGHT = 30;
const WIDEST = 7; // px of a small arc of 100 %

/** The first rows of an answer, or all. */
export function shownRows(rows, all, narrow) {
  return all ? rows : rows.slice(0, narrow ? FIRST.narrow : FIRST.wide);
}

/** What the button says that shows the rest: of very many looks only the first have come. */
export function moreText(rows, count) {
  return rows.length < count ? `Show ${rows.length} of ${count}` : `Show all ${count}`;
}

/** The path of a small arc and its arrow, over dashes that end at `y`. */
export function miniArc(from, to, weight, y) {
  const rise = Math.min(19, 9 + Math.abs(from - to) * 0.12) * 1.3;
  return {
    path: `M${px(from)},${y - 2} C${px(from)},${px(y - 2 - rise)} ${px(to)},${px(y - 2 - rise)} ${px(to)},${y - 6}`,
    arrow: `M${px(to - 4)},${y - 6} h8 l-4,5 Z`,
    width: Math.max(1, weight * WIDEST),
  };
}

export function askView(parent) {
  const root = element("section.ask", { "aria-label": "About one word" });
  parent.append(root);
  const all = [false, false];
  let word = ""; // whose answers are shown
  let drawn = null;

  function rowNode(spec, narrow, colour, way, [index, other, share, usual]) {
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
      mini(
        spec.pieces,
        way === "at" ? [other, spec.lock] : [spec.lock, other],
        share / 100,
        narrow ? MINI.narrow : MINI.wide,
        colour,
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
      ...shown.map((row) => rowNode(spec, narrow, colour, way, row)),
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

/** The words as dashes of as many letters, those of the look heavier, and its arc over them. */
function mini(pieces, [q, k], weight, room, colour) {
  const y = MINI_HEIGHT - 5;
  let end = 0;
  const boxes = pieces.map(({ text, space, at }) => {
    const box = { x: end + (space ? 1 : 0), width: [...text].length, at };
    end = box.x + box.width;
    return box;
  });
  const scale = room / end;
  const dashes = boxes.map(({ x, width, at }) => {
    const heavy = at !== null && (at === q || at === k);
    return svg("rect", {
      x: px(x * scale),
      y,
      width: px(Math.max(1, width * scale - 1)),
      height: heavy ? 3 : 2,
      class: heavy ? "dash heavy" : "dash",
    });
  });
  const middle = (place) => {
    const box = boxes.find(({ at }) => at === place);
    return box ? (box.x + box.width / 2) * scale : 0;
  };
  const arc = miniArc(middle(q), middle(k), weight, y);
  return svg(
    "svg.mini",
    { width: room, height: MINI_HEIGHT, "aria-hidden": "true" },
    ...dashes,
    svg("path", { d: arc.path, fill: "none", stroke: colour, "stroke-width": arc.width }),
    svg("path", { d: arc.arrow, fill: colour }),
  );
}
