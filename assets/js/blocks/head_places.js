/** Layers down, heads across, on the sheet of a chart: their names, and where each head stands. */

import { written } from "../lib/chart.js";

/** What a head is called. */
export const headName = (layer, head) => `L${layer}H${head}`;

/** The name of a layer as it stands beside a row. */
export const layerName = (layer, narrow) => (narrow ? `L${layer}` : `Layer ${layer}`);

/**
 * The names of layers beside the rows; `quiet` says which of them did nothing, `raised` which one has a line under it.
 * @param {number} layers
 * @param {{top: number, row: number, narrow: boolean, size?: number, quiet?: (layer: number) => boolean, raised?: number | null}} rows
 */
export function layerNames(layers, { top, row, narrow, size = 14, quiet = () => false, raised = null }) {
  const at = (layer) => top + (layer + 0.5) * row + (layer === raised ? 0 : 5);
  const name = (_, layer) => written(0, at(layer), layerName(layer, narrow), quiet(layer) ? "muted-ink" : "", size);
  return Array.from({ length: layers }, name);
}

/** The numbers of heads over the columns; every other one where they would touch. */
export function headNumbers(heads, { left, pitch, at, narrow }) {
  const every = pitch > 22 ? 1 : 2;
  const numbers = Array.from({ length: heads }, (_, head) => head).filter((head) => head % every === 0);
  const name = (head) => (narrow ? head : `H${head}`);
  return numbers.map((head) => written(left + (head + 0.5) * pitch, at, name(head), "code muted-ink middle", 12));
}

/** Calls for each head of [layer, head] with its value and the left upper corner of its cell. */
export function eachHead(values, { left, top, pitch, row }, draw) {
  return values.flatMap((heads, layer) =>
    heads.flatMap((value, head) => draw(value, layer, head, left + head * pitch, top + layer * row)),
  );
}
