/** Reads the overview's spec: names, numbers, weights and links of each head. Pure. */

import { nthHead } from "../lib/grid.js";
import { filled, filledText, percentText } from "../lib/spans.js";

/** The links of a head, each with its share of all attention. */
export function headLinks(header, arrays, index) {
  if (!header.links) return [];
  const count = arrays.link_percents.shape[1];
  const at = (name, i) => arrays[name].data[index * count + i];
  return Array.from({ length: count }, (_, i) => ({
    q: at("link_queries", i),
    k: at("link_keys", i),
    weight: at("link_percents", i) / 100,
  })).filter(({ weight }) => weight > 0);
}

/** The reading for which a head was picked, "a" or "b"; "" for others. */
export function sideOf(header, index) {
  return header.readings?.sides[nthHead(index, header.heads)] ?? "";
}

/**
 * A connection of an answer, as the leading one is sent: head, query, key, whole per cents, usual ones.
 * @returns {[number, number, number, number, number | null]}
 */
export function answerConnection(header, { index, row }) {
  const [other, share] = [Number(row.other), Number(row.share)];
  const [query, key] = row.way === "at" ? [other, header.lock] : [header.lock, other];
  return [index, query, key, share, row.usual === undefined ? null : Number(row.usual)];
}

/**
 * The sentence about a connection of an answer, as spans.
 * @param {[number, number, number, number, number | null]} connection
 */
export function connectionSentence(header, connection) {
  const [index, query, key, percent] = connection;
  const template = key === header.lock ? header.say.at : header.say.from;
  const words = { query: header.queries[query], key: header.keys[key] };
  return filled(template, { head: nthHead(index, header.heads), ...words, percent: percentText(percent) });
}

/** Whether a head's look that is named runs to the selected word, where others run from it, or all do. */
export function runsTo(header, look) {
  if (header.lock === null) return false;
  return look ? look[0] !== header.lock && look[1] === header.lock : header.look === "at";
}

/** Whether tinted words are those that the locked word looks at; else they look at the word in focus. */
export function tintsFrom(header, look) {
  return header.lock !== null && !runsTo(header, look);
}

/** The word that a tint is about: the locked one, or the one that this head looks at most. */
export function focusKey(header, index) {
  return header.lock ?? header.looks[index]?.[1] ?? null;
}

/** The sentence for one head, as spans. */
export function headSentence(header, index) {
  const head = nthHead(index, header.heads);
  const look = header.looks[index];
  if (!look) return filled(header.say.nothing, { head });
  const [query, key, percent] = look;
  return filled(header.say.look, {
    head,
    query: header.queries[query],
    key: header.keys[key],
    percent: percentText(percent),
  });
}

/** What stands in small beside a head's name on the sentence: that it is ablated, and what rests on sinks or its place. */
export function headAbout(header, index) {
  const place = `layer ${Math.floor(index / header.heads)}, head ${index % header.heads}`;
  const rests = filledText(header.say.rests, { percent: percentText(header.rests[index]) }) || place;
  return header.ablated.includes(nthHead(index, header.heads)) ? `ablated · ${rests}` : rests;
}

/** A sentence of Python's with what the hand does: click or tap, point or tap. Words of the text stay as they are. */
export function pointing(spans, narrow) {
  const words = narrow
    ? { click: "tap", Click: "Tap", point: "tap", Point: "Tap" }
    : { click: "click", Click: "Click", point: "point", Point: "Point" };
  return spans.map(([kind, text]) => [kind, kind === "word" ? text : filledText(text, words)]);
}

/** What a screen reader hears: "layer 5 head 3, 62 % to [SEP], pinned 1". */
export function headLabel(header, index) {
  const name = nthHead(index, header.heads);
  const parts = [`layer ${Math.floor(index / header.heads)} head ${index % header.heads}`];
  parts.push(filledText(header.say.share_aria, { percent: percentText(header.share[index]) }));
  const pin = header.pins.indexOf(name);
  if (pin >= 0) parts.push(`pinned ${pin + 1}`);
  if (header.ablated.includes(name)) parts.push("ablated");
  const side = sideOf(header, index);
  if (side) parts.push(`shown for candidate ${side.toUpperCase()}`);
  return parts.filter(Boolean).join(", ");
}
