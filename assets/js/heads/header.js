/** Reads the overview's spec: names, numbers, weights and links of each head. Pure. */

import { weightOf } from "../lib/envelope.js";
import { filled, filledText, percentText } from "../lib/spans.js";

export function headName(index, heads) {
  return `L${Math.floor(index / heads)}H${index % heads}`;
}

/** The largest byte of one head, or of each of its rows: what full ink means when each has its own scale. */
export function scaleTops(cells, rows, columns, scale) {
  if (scale === "all") return new Array(rows).fill(255);
  const tops = Array.from({ length: rows }, (_, r) => Math.max(1, ...cells.subarray(r * columns, (r + 1) * columns)));
  return scale === "row" ? tops : new Array(rows).fill(Math.max(...tops));
}

/** All cells of one head: bytes and shape. */
export function headCells(arrays, index) {
  const [, , rows, columns] = arrays.maps.shape;
  return { cells: arrays.maps.data.subarray(index * rows * columns, (index + 1) * rows * columns), rows, columns };
}

/** Every link that the spec knows for a head: from its cells, or when those are pooled from the links sent along. */
export function headLinks(header, arrays, index) {
  if (!header.links) return [];
  if (arrays.link_queries) {
    const count = arrays.link_queries.shape[1];
    const k = arrays.link_keys.data[index];
    return Array.from({ length: count }, (_, i) => ({
      q: arrays.link_queries.data[index * count + i],
      k,
      weight: weightOf(arrays.link_roots.data[index * count + i]),
    })).filter(({ weight }) => weight > 0);
  }
  const { cells, rows, columns } = headCells(arrays, index);
  const links = [];
  for (let q = 0; q < rows; q++)
    for (let k = 0; k < columns; k++) if (cells[q * columns + k]) links.push({ q, k, weight: weightOf(cells[q * columns + k]) });
  return links;
}

/** The word whose onlookers a tint shows: the locked one, or the one that this head looks at most. */
export function focusKey(header, index) {
  return header.lock ?? header.looks[index]?.[1] ?? null;
}

/** The sentence for one head, as spans. */
export function headSentence(header, index) {
  const head = headName(index, header.heads);
  const look = header.looks[index];
  if (!look) return filled(header.say.nothing, { head });
  const [query, key, percent] = look;
  return filled(header.say.look, { head, query: header.queries[query], key: header.keys[key], percent: percentText(percent) });
}

/** The two lines of a tooltip: strongest look, share set aside. */
export function tooltipLines(header, index) {
  const look = header.looks[index];
  const first = look ? [["word", header.queries[look[0]]], ["plain", " looks at "], ["word", header.keys[look[1]]], ["plain", `, ${percentText(look[2])}`]] : [];
  const share = filledText(header.say.share, { percent: percentText(header.share[index]) });
  return { first, share };
}

/** What a screen reader hears: "layer 5 head 3, 62 % to [SEP], pinned 1". */
export function headLabel(header, index) {
  const name = headName(index, header.heads);
  const parts = [`layer ${Math.floor(index / header.heads)} head ${index % header.heads}`];
  parts.push(filledText(header.say.share_aria, { percent: percentText(header.share[index]) }));
  const pin = header.pins.indexOf(name);
  if (pin >= 0) parts.push(`pinned ${pin + 1}`);
  if (header.off.includes(name)) parts.push("switched off");
  return parts.filter(Boolean).join(", ");
}

/** The only head that is on, or null when more are. */
export function onlyHead(header) {
  const count = header.layers * header.heads;
  if (header.off.length !== count - 1) return null;
  const off = new Set(header.off);
  return Array.from({ length: count }, (_, i) => headName(i, header.heads)).find((name) => !off.has(name)) ?? null;
}
