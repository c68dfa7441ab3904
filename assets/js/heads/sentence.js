/** The sentence: on one line with arcs above and below it, or on several lines with the words tinted. */

import { arcLinks, arcShapes, forSide, freeSide } from "../lib/arcs.js";
import { rampAt } from "../lib/colour.js";
import { readingBars } from "../lib/reading_arcs.js";
import { arcInk, arcNodes, blockSize, boxOf, edgesOf, flowed, largestType } from "../lib/sentence.js";
import { lineSize, tint, wholeWidth } from "../lib/sentence.js";
import { element, headTitle, percentText, svg } from "../lib/spans.js";
import { runsTo, tintsFrom } from "./spec.js";

const ROOM_ABOVE = 70; // px for the arcs of the first head
const ROOM_BELOW = 60; // and of the second
const ROOM_EMPTY = 26;
const RISE = { up: 50, down: 46 };
const TINTED_FROM = 0.02;
const LARGEST_OF_TWO = 23; // px of two copies on a phone, whose finding is seen as well

/**
 * @typedef {{name: string, number: number | null, about: string, links: any[], look: number[] | null, focus: number | null, side?: string}} Subject
 * a head to draw: number is null for a preview, look is [query, key, whole per cents], focus the word that a tint is about
 */
export function sentenceView(parent) {
  const gauge = element("div.gauge", { "aria-hidden": "true" });
  const hero = element("div.hero");
  parent.append(gauge, hero);
  let pieces = [];
  let whole = 0; // the width of all pieces on one line, in sizes
  let rows = [];
  let mode = "";
  let asks = true; // whether a word can be asked, which a file cannot

  const pieceNode = (piece) => element("span", { class: pieceClass(piece) }, piece.text);
  const measure = () => (whole = wholeWidth(gauge, flowed(pieces, pieceNode)));

  function wordRow() {
    const words = new Map();
    const nodes = flowed(pieces, (piece) => {
      const span = pieceNode(piece);
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
    const { row, words, arcs, part, top } = rows[0];
    part.style.paddingBlock = `${ROOM_ABOVE}px ${subjects[1] ? ROOM_BELOW : ROOM_EMPTY}px`;
    row.style.fontSize = `${size}px`;
    row.dir = spec.rtl ? "rtl" : "ltr";
    const boxes = [];
    for (const [at, span] of words) boxes[at] = boxOf(span);
    const { up, down } = edgesOf(row.offsetTop, size);
    const shapes = [up, down].map((place, i) => (subjects[i] ? arcsOf(spec, subjects[i], boxes, place) : []));
    arcs.replaceChildren(...arcNodes(shapes.flat(), arcInk(colours)));
    top.replaceChildren(
      ...subjects.flatMap((subject, i) =>
        subject ? [chip(subject, `${i ? "below" : ""} ${freeSide(shapes[i])}`)] : [],
      ),
    );
  }

  /** Where arcs have no room: the sentence with both candidates marked, and a bar for each head that was picked for one. */
  function drawShares(spec, column, narrow, subjects) {
    ensure("block shares", 1);
    const [{ row, part }] = rows;
    const size = narrow ? (pieces.length > 25 ? 22 : 28) : blockSize(whole, column);
    row.style.cssText = `font-size:${size}px;line-height:1.5`;
    const arcs = subjects.flatMap((subject) => {
      const { name: head, side = "", look } = subject ?? {};
      return look
        ? [{ head, side, key: look[1], share: look[2] / 100, usual: Number.isFinite(look[3]) ? look[3] / 100 : null }]
        : [];
    });
    part.querySelector(".reading-bars")?.remove();
    part.append(readingBars(arcs, (key) => spec.keys[key]));
  }

  function drawBlock(spec, colours, column, narrow, subjects) {
    const shown = subjects.filter(Boolean);
    ensure("block", Math.max(1, shown.length));
    const wide = column >= 900 && shown.length > 1;
    hero.classList.toggle("pair", wide);
    const size = blockSize(
      whole,
      wide ? (column - 48) / 2 : column,
      narrow && shown.length > 1 ? LARGEST_OF_TWO : undefined,
    );
    rows.forEach((built, i) => {
      built.row.style.fontSize = `${size}px`;
      tintWords(built, shown[i] ?? null, spec, colours);
    });
  }

  return {
    hero,
    setPieces(next, answered = true) {
      asks = answered;
      if (JSON.stringify(next) === JSON.stringify(pieces)) return;
      pieces = next;
      mode = "";
      measure();
    },
    remeasure: measure,
    /** @param {[Subject | null, Subject | null]} subjects above the words and below them */
    draw(spec, colours, column, narrow, subjects) {
      const marked = subjects.some((subject) => subject?.side);
      const size = narrow ? null : lineSize(whole, column, largestType(spec.large, innerHeight));
      if (size !== null) drawLine(spec, colours, size, subjects);
      else if (marked) drawShares(spec, column, narrow, subjects);
      else drawBlock(spec, colours, column, narrow, subjects);
      lockWords(spec);
    },
    focusWord(at) {
      hero.querySelector(`[data-at="${at}"]`)?.focus();
    },
  };
}

/** What a word is to the readings: "a", "b", "pivot" or "". */
function roleIn(readings, at) {
  return ["a", "b", "pivot"].find((role) => readings?.[role].includes(at)) ?? "";
}

function pieceClass(piece) {
  const kind = piece.special ? " special" : piece.at === null ? " quiet" : "";
  return `piece${kind}${piece.space ? "" : " tight"}`;
}

/** The shapes of a head's arcs: from the locked word, at it, or the strongest of all. */
function arcsOf(spec, subject, boxes, { y, up }) {
  const outward = spec.lock !== null && (subject.alone || !runsTo(spec, subject.look));
  const links = outward ? subject.links : arcLinks(subject.links, spec.lock);
  const rise = up ? RISE.up : RISE.down;
  return forSide(arcShapes(links, boxes, { y, up, named: subject.look, rise }), subject);
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
  const from = subject !== null && tintsFrom(spec, subject.look);
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
