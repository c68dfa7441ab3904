/** All heads of a long text, at most 48 × 48 cells each; layers that are not done are hatched. */

import { partOf } from "../lib/envelope.js";
import { headName, headRows, oneReached } from "../lib/grid.js";
import { gridMove } from "../lib/keyboard.js";
import { hatch, masked, paintCells, sheet } from "../lib/map.js";
import { element } from "../lib/spans.js";
import { byteColours, hatchKey, legend } from "./paint.js";

const DRAWN = 3; // px a cell is drawn at before it is scaled down

/** The px of one thumbnail: as many heads as there are beside each other, or the grid scrolls inside itself. */
export function thumbnail(width, heads, narrow) {
  const labels = narrow ? 30 : 64;
  const pitch = narrow ? 72 : Math.max(54, Math.min(110, Math.floor((width - labels) / heads)));
  return { labels, pitch, side: pitch - (narrow ? 8 : 12) };
}

export function overview(root, { header, arrays }, { colours, width, narrow, trigger }) {
  const { layers, done, heads, side } = header;
  const { labels, pitch, side: size } = thumbnail(width, heads, narrow);
  const paint = byteColours(colours.ramp, header.top);
  const each = header.cell > 1 ? [`each cell: the largest of ${header.cell} × ${header.cell}`] : [];
  const absent =
    header.causal || done < layers ? [hatchKey(colours, done < layers ? "hidden or not computed yet" : "hidden")] : [];
  const cells = [];
  const cellOf = (layer, head) => {
    const name = headName(layer, head);
    const there = layer < done;
    const cell = element(
      "div",
      {
        role: "gridcell",
        class: `long-cell${name === header.head ? " pinned" : ""}`,
        "data-name": name,
        "data-focus": name,
        "aria-selected": name === header.head,
        "aria-label": `layer ${layer} head ${head}${there ? "" : ", not looked at"}`,
      },
      picture(there && partOf(arrays.cells, layer * heads + head, 2), side, size, header.causal, paint, colours),
    );
    cells.push(cell);
    return cell;
  };
  const grid = element(
    "div.long-grid",
    {
      role: "grid",
      "aria-label": header.label,
      style: `grid-template-columns:${labels}px repeat(${heads},${pitch}px)`,
    },
    headRows({ layers, heads, narrow }, cellOf),
  );
  const tab = oneReached(cells);
  const pick = (cell) => cell && cells.indexOf(cell) < done * heads && trigger("pin", { head: cell.dataset.name });
  grid.addEventListener("click", ({ target }) => pick(target.closest(".long-cell")));
  grid.addEventListener("keydown", (event) => {
    const at = cells.indexOf(event.target);
    if (at < 0 || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") pick(cells[at]);
    else {
      const next = gridMove(event.key, event.ctrlKey, at, layers, heads);
      if (next === null) return;
      tab.reach(next, true);
    }
    event.preventDefault();
  });
  root.append(legend(colours, header.top, ...each, ...absent), element("div.gridwrap", grid));
}

function picture(bytes, side, size, causal, paint, colours) {
  const { canvas, pen } = sheet(size, size, { "aria-hidden": "true" });
  const whole = { x: 0, y: 0, width: size, height: size };
  if (!bytes) {
    hatch(pen, whole, colours.hatch);
    return canvas;
  }
  const hidden = masked(causal);
  const colour = (q, k) => (bytes[q * side + k] ? paint[bytes[q * side + k]] : null);
  const large = Object.assign(document.createElement("canvas"), { width: side * DRAWN, height: side * DRAWN });
  paintCells(large.getContext("2d"), { rows: side, columns: side, cell: DRAWN, colours, hidden: () => false, colour });
  pen.drawImage(large, 0, 0, size, size);
  paintCells(pen, { rows: side, columns: side, cell: size / side, colours, hidden, colour: () => null });
  return canvas;
}
