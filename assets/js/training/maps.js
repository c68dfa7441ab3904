/** Every head of every run as a map of the whole sentence, to be watched while they learn. */

import { css, rampAt } from "../lib/colour.js";
import { element, svg } from "../lib/spans.js";
import { rowOf } from "./pivot.js";

const LARGEST_CELL = 24;
const TEXT = 12.5; // px, or what a projector asks for at least
const BETWEEN = 20;
const NARROW_COLUMN = 420; // px under which maps stand under each other

/** How large the cells are when so many maps stand in a column of the page. */
export function mapSizes({ column, count, words, label }) {
  const across = column < NARROW_COLUMN ? 1 : Math.min(count, 2);
  const room = column - label - (across - 1) * BETWEEN;
  return { across, cell: Math.max(8, Math.min(LARGEST_CELL, Math.floor(room / across / words))), label };
}

export function mapsView(parent) {
  const box = element("div", { class: "maps" });
  parent.append(box);
  let drawn = [];

  function build(spec, runs, column, narrow) {
    const side = narrow ? column : (column - 48) / 2;
    const size = Math.max(TEXT, Number.parseFloat(getComputedStyle(box).getPropertyValue("--least")) || 0);
    const label = Math.ceil(Math.max(...spec.words.map((word) => word.length)) * 0.53 * size) + 12;
    drawn = [];
    box.replaceChildren(
      ...runs.map(({ run }) => {
        const { across, cell } = mapSizes({ column: side, count: run.heads.length, words: spec.words.length, label });
        const part = element("div", { class: "maps-run" }, element("h3", {}, run.title));
        const row = element("div", { class: "maps-row" });
        row.style.gap = `18px ${BETWEEN}px`;
        const cells = run.heads.map((name, head) => {
          const named = head % across === 0;
          const { figure, rects, text } = oneMap(spec, name, cell, named ? label : 2, label, size);
          row.append(figure);
          return { rects, text };
        });
        part.append(row);
        drawn.push(cells);
        return part;
      }),
    );
  }

  function oneMap(spec, name, cell, left, label, size) {
    const n = spec.words.length;
    const top = 1.6 * size + label * 0.74;
    const picture = svg("svg", { width: left + n * cell + 2, height: top + n * cell + 2, role: "img" });
    picture.append(svg("text", { x: left, y: size, class: "map-name" }, name));
    const rects = spec.words.flatMap((row, q) => {
      if (left > 2) picture.append(svg("text", { x: left - 6, y: top + (q + 0.5) * cell + 4, "text-anchor": "end", class: q === spec.pivot ? "strong" : "" }, row));
      const x = left + (q + 0.5) * cell;
      picture.append(svg("text", { x, y: top - 6, transform: `rotate(-46 ${x} ${top - 6})`, class: "" }, row));
      return spec.words.map((_, k) => {
        const rect = svg("rect", { x: left + k * cell, y: top + q * cell, width: cell - 1, height: cell - 1 });
        picture.append(rect);
        return rect;
      });
    });
    picture.append(svg("rect", { x: left - 0.5, y: top - 0.5, width: n * cell, height: n * cell, class: "edge" }));
    picture.append(svg("rect", { x: left - 1.5, y: top + spec.pivot * cell - 1.5, width: n * cell + 2, height: cell + 2, class: "pivot-row" }));
    for (const text of picture.querySelectorAll("text")) text.setAttribute("font-size", size);
    return { figure: picture, rects, text: picture };
  }

  return {
    build,
    draw(spec, runs, colours) {
      runs.forEach(({ run, array, moment }, side) =>
        run.heads.forEach((name, head) => {
          const { rects, text } = drawn[side][head];
          spec.words.forEach((_, q) => rowOf(array, moment, head, q).forEach((weight, k) => rects[q * spec.words.length + k].setAttribute("fill", css(rampAt(colours.ramp, weight)))));
          const looks = rowOf(array, moment, head, spec.pivot);
          const best = looks.indexOf(Math.max(...looks));
          text.setAttribute("aria-label", `${run.title}, ${name}, step ${run.steps[moment]}: ${spec.words[spec.pivot]} looks most at ${spec.words[best]}, ${Math.round(looks[best] * 100)} per cent`);
        }),
      );
    },
  };
}
