/** The sentence: on one line with arcs above and below it, on a phone with bars, or on several lines with the words tinted. */

import { FAINTEST_ARC, LARGE, arcLinks, arcShapes, forSide, freeSide, outwardArcs } from "../lib/arcs.js";
import { rampAt } from "../lib/colour.js";
import {
  BLOCK_LEADING,
  arcInk,
  arcNodes,
  blockSize,
  byPlace,
  flowed,
  gapsBefore,
  largestType,
  lineBoxes,
  lineSize,
  measured,
  setLine,
  shareBar,
  tint,
} from "../lib/sentence.js";
import { element, headTitle, percentText, refill, svg } from "../lib/spans.js";
import { runsTo } from "./spec.js";

const ROOM_ABOVE = 70; // px for the arcs of the first head
const ROOM_BELOW = 60; // and of the second
const ROOM_EMPTY = 26;
const REACH = { up: 54, down: 46 }; // px that arcs reach at most, so that their numbers have room
const RISE = { up: 50, down: 46 };
const TINTED_FROM = 0.02;
const TALLEST_BAR = 14; // px of 100 %
const BAR_NUMBER = 0.5; // from here on a bar has its number
const MOST_BARS = 60; // words; a longer text on a phone is tinted

/**
 * @typedef {{name: string, number: number | null, about: string, links: any[], look: number[] | null, focus: number | null, side?: string}} Subject
 * a head to draw: number is null for a preview, look is [query, key, whole per cents], focus the word that a tint is about
 */
export function sentenceView(parent) {
  const gauge = element("div.gauge", { "aria-hidden": "true" });
  const hero = element("div.hero");
  parent.append(gauge, hero);
  let pieces = [];
  let sizes = null;
  let rows = [];
  let mode = "";
  let asks = true; // whether a word can be asked, which a file cannot

  function measure() {
    sizes = {
      ...measured(
        gauge,
        pieces.map((piece) => element("span", { class: pieceClass(piece) }, piece.text)),
      ),
      gaps: gapsBefore(pieces),
    };
  }

  function wordRow() {
    const words = new Map();
    const nodes = flowed(pieces, (piece) => {
      const span = element("span", { class: pieceClass(piece) }, piece.text);
      if (piece.at === null) return span;
      if (asks) {
        span.dataset.at = piece.at;
        span.setAttribute("role", "button");
        span.tabIndex = words.size ? -1 : 0;
      }
      words.set(piece.at, span);
      return span;
    });
    const row = element("div.sentence", { role: "group", "aria-label": "the sentence, word by word" }, ...nodes);
    return { row, words, percent: element("span.percent") };
  }

  /** Builds as many copies of the words as are needed; words that stay keep their focus. */
  function ensure(nextMode, copies) {
    if (mode !== nextMode) {
      hero.replaceChildren();
      rows = [];
      mode = nextMode;
      hero.className = `hero ${mode}`;
    }
    while (rows.length > copies) rows.pop().part.remove();
    while (rows.length < copies) {
      const built = wordRow();
      built.top = element("div.chips");
      built.part = element("div.copy", built.top, built.row);
      if (mode === "line") built.part.prepend((built.arcs = svg("svg", { "aria-hidden": "true" })));
      rows.push(built);
      hero.append(built.part);
    }
  }

  function lockWords(spec) {
    for (const { row } of rows) row.dir = spec.rtl ? "rtl" : "ltr";
    for (const { words } of rows)
      for (const [at, span] of words) {
        const asked = at === spec.lock && spec.look === "ask";
        const role = roleIn(spec.readings, at);
        span.classList.toggle("locked", at === spec.lock);
        span.classList.toggle("of-a", role === "a");
        span.classList.toggle("of-b", role === "b");
        span.toggleAttribute("data-letter", role === "a" || role === "b");
        if (role === "a" || role === "b") span.dataset.letter = spec.readings[role][0] === at ? role.toUpperCase() : "";
        if (!asks) continue;
        span.setAttribute("aria-pressed", asked);
        const does = asked ? "close" : "show which heads look at this word";
        const as = { a: ", candidate A", b: ", candidate B", pivot: ", ambiguous word" }[role] ?? "";
        span.setAttribute("aria-label", `${spec.keys[at]}${as}, ${does}`);
      }
  }

  function drawLine(spec, colours, size, subjects) {
    ensure("line", 1);
    const { row, arcs, part, top } = rows[0];
    const boxes = lineBoxes(sizes.widths, sizes.gaps, size, spec.rtl);
    const line = setLine(row, [...row.children], boxes, {
      size,
      baseline: sizes.baseline,
      above: ROOM_ABOVE,
      below: subjects[1] ? ROOM_BELOW : ROOM_EMPTY,
    });
    part.style.height = `${line.height}px`;
    const shapes = [line.up, line.down].map((place, i) =>
      subjects[i] ? arcsOf(spec, subjects[i], byPlace(pieces, boxes), place) : [],
    );
    arcs.replaceChildren(...arcNodes(shapes.flat(), arcInk(colours)));
    top.replaceChildren(
      ...subjects.flatMap((subject, i) =>
        subject ? [chip(subject, `${i ? "below" : ""} ${freeSide(shapes[i])}`)] : [],
      ),
    );
  }

  function drawBars(spec, colours, subjects) {
    ensure("bars", 1);
    const { row, words, top } = rows[0];
    const size = words.size > 25 ? 22 : 28;
    row.style.cssText = `font-size:${size}px`;
    const chips = subjects.flatMap((subject, i) =>
      subject ? [chip({ ...subject, about: `bars ${i ? "below" : "above"}` })] : [],
    );
    refill(top, ...chips, chips.length > 0 && barsSaid(spec));
    const colour = arcInk(colours);
    for (const [at, span] of words) {
      span.querySelectorAll("i,b").forEach((old) => old.remove());
      subjects.forEach((subject, i) => {
        const link = subject?.links.find(
          ({ q, k }) => (spec.look === "at" ? q === at && k === spec.lock : q === spec.lock && k === at) && q !== k,
        );
        if (!link || link.weight < FAINTEST_ARC) return;
        const bar = element("i", { class: i ? "down" : "up" });
        bar.style.cssText = `height:${link.weight * TALLEST_BAR}px;background:${colour}`;
        span.append(bar);
        if (link.weight >= BAR_NUMBER)
          span.append(element("b", { class: i ? "down" : "up" }, percentText(Math.round(link.weight * 100))));
      });
    }
  }

  /** Where arcs have no room: the sentence with both candidates marked, and a bar for each head that was picked for one. */
  function drawShares(spec, column, narrow, subjects) {
    ensure("block shares", 1);
    hero.classList.remove("pair");
    const [{ row, top, percent, part }] = rows;
    percent.remove();
    for (const span of row.children) span.style.cssText = "";
    const size = narrow ? (pieces.length > 25 ? 22 : 28) : blockSize(sizes.widths, sizes.gaps, column);
    row.style.cssText = `font-size:${size}px;line-height:1.5`;
    row.classList.remove("tinted");
    top.replaceChildren();
    part.querySelector(".shares")?.remove();
    part.append(element("div.shares", ...subjects.filter(Boolean).map((subject) => shareRow(spec, subject))));
  }

  function drawBlock(spec, colours, column, subjects) {
    const shown = subjects.filter(Boolean);
    ensure("block", Math.max(1, shown.length));
    const wide = column >= 900 && shown.length > 1;
    hero.classList.toggle("pair", wide);
    const size = blockSize(sizes.widths, sizes.gaps, wide ? (column - 48) / 2 : column);
    rows.forEach((built, i) => {
      built.row.style.cssText = `font-size:${size}px;line-height:${BLOCK_LEADING}`;
      tintWords(built, shown[i] ?? null, spec, colours);
    });
  }

  return {
    hero,
    /** What a smaller copy of the sentence is made of: its pieces, their widths and the gaps before them at size 1. */
    get parts() {
      return { pieces, widths: sizes?.widths ?? [], gaps: sizes?.gaps ?? [], className: pieceClass };
    },
    setPieces(next, answered = true) {
      asks = answered;
      if (JSON.stringify(next) === JSON.stringify(pieces) && sizes) return;
      pieces = next;
      mode = "";
      measure();
    },
    remeasure: measure,
    /** @param {[Subject | null, Subject | null]} subjects above the words and below them */
    draw(spec, colours, column, narrow, subjects) {
      const marked = subjects.some((subject) => subject?.side);
      const size = narrow ? null : lineSize(sizes.widths, sizes.gaps, column, largestType(spec.large, innerHeight));
      if (size !== null) drawLine(spec, colours, size, subjects);
      else if (marked) drawShares(spec, column, narrow, subjects);
      else if (narrow && spec.lock !== null && pieces.length <= MOST_BARS) drawBars(spec, colours, subjects);
      else drawBlock(spec, colours, column, subjects);
      lockWords(spec);
    },
    /** Gives the focus to the locked word. */
    focusLocked() {
      hero.querySelector(".locked")?.focus();
    },
  };
}

/** What a word is to the readings: "a", "b", "pivot" or "". */
function roleIn(readings, at) {
  return ["a", "b", "pivot"].find((role) => readings?.[role].includes(at)) ?? "";
}

/** One head's share of the look that is named, as a bar with its usual share as a tick. */
function shareRow(spec, subject) {
  const { side, name, look } = subject;
  const mark = disc(subject);
  if (!look) return element("div.share-row", mark, element("span.say-head", name));
  const [query, key, percent, usual] = look;
  const word = (at) => element("span.say-word", spec.keys[at]);
  const way = element("span.share-way", word(query), " → ", word(key));
  const usually =
    usual === null || usual === undefined ? [] : [element("span.usually", `usually ${percentText(usual)}`)];
  return element(
    "div.share-row",
    mark,
    way,
    element("span.say-head", name),
    element("b", percentText(percent)),
    ...usually,
    shareBar(percent, usual, { side }),
  );
}

function pieceClass(piece) {
  const kind = piece.special ? " special" : piece.at === null ? " quiet" : "";
  return `piece${kind}${piece.space ? "" : " tight"}`;
}

/** The shapes of a head's arcs: from the locked word, at it, or the strongest of all. */
function arcsOf(spec, subject, boxes, { y, up }) {
  const rise = up ? RISE.up : RISE.down;
  const outward = spec.lock !== null && (subject.alone || !runsTo(spec, subject.look));
  if (outward)
    return forSide(
      outwardArcs(subject.links, boxes, { y, up, named: subject.look?.[1] ?? null }, { ...LARGE, rise }),
      subject,
    );
  const named = subject.side ? subject.look : null; // its other arcs have no numbers
  const place = { y, up, rise, gap: up ? -8 : 19, most: up ? REACH.up : REACH.down, named };
  return forSide(arcShapes(arcLinks(subject.links, spec.lock), boxes, place), subject);
}

/** What bars tell: one stands at the word that looks, or at the one that is looked at. */
function barsSaid({ keys, lock, look }) {
  return element(
    "span.who",
    `Thicker bar: more attention ${look === "at" ? "to" : "from"} `,
    element("span.say-word", keys[lock]),
  );
}

/** What the tint is about, with the word that is in focus. */
function tintSaid({ keys }, focus, from) {
  return element("span.who", `attention ${from ? "from" : "to"} `, element("span.say-word", keys[focus]));
}

function tintWords({ words, percent, top, row }, subject, spec, colours) {
  percent.remove();
  top.replaceChildren();
  row.classList.toggle("tinted", Boolean(subject));
  const looks = new Map();
  const from = spec.lock !== null && spec.look !== "at";
  if (subject) {
    top.append(chip(subject));
    if (subject.focus !== null) top.append(tintSaid(spec, subject.focus, from));
    for (const { q, k, weight } of subject.links)
      if ((from ? q : k) === subject.focus && q !== k) looks.set(from ? k : q, weight);
  }
  for (const [at, span] of words) {
    const weight = looks.get(at) ?? 0;
    tint(span, weight >= TINTED_FROM ? rampAt(colours.ramp, weight) : null, colours);
    span.classList.toggle("focus-word", subject !== null && at === subject.focus);
  }
  const named = subject?.look?.[from ? 1 : 0];
  if (words.has(named)) {
    percent.textContent = percentText(subject.look[2]);
    let last = words.get(named);
    while (last.nextElementSibling?.matches(".quiet.tight")) last = last.nextElementSibling; // not between a word and its full stop
    last.after(percent);
    if (row.scrollHeight > row.clientHeight) row.scrollTop = percent.offsetTop - row.offsetTop - row.clientHeight / 2;
  }
}

/** Number or letter in a disc (hollow for a preview). */
export function disc({ number, side = "" }) {
  if (side) return element("span", { class: `disc of-${side}` }, side.toUpperCase());
  return element("span", { class: number === null ? "disc hollow" : "disc" }, number === null ? "" : String(number));
}

/** A head's disc, its name, and what is said beside it. */
export function chip({ name, number, about = "", side = "" }, place = "") {
  const called = element("span.say-head", { title: headTitle(name) }, name);
  return element(
    "span",
    { class: `chip ${place}` },
    disc({ number, side }),
    called,
    about && element("span.about-head", about),
  );
}
