/** The component "ambiguity": the sentence with both readings as brackets, and its words to click. */

import { letterChip } from "../blocks/caption.js";
import { middleOf } from "../lib/arcs.js";
import { box, sample, stroked, written } from "../lib/chart.js";
import { rowMove, sideways } from "../lib/keyboard.js";
import { cueDots, directionOf, LEADING, sentenceLine, wordGauge } from "../lib/sentence.js";
import { element, put, spanNodes, styled } from "../lib/spans.js";
import { standing } from "../lib/standing.js";

const ABOVE = 70; // px for the bracket of A
const BELOW = 74; // and of B
const SMALLEST_LINE = 34;
const OWN_NOTE = 160; // px that "ambiguous and deciding" takes, about
const BRACKET = 22; // px from the edge to the bracket's long side
const ROLES = [
  ["pivot", "Ambiguous word"],
  ["a", "Candidate A"],
  ["b", "Candidate B"],
  ["cue", "Deciding word"],
];

/** What a click on a word does: it fills the role that is missing, or asks which role it should have. */
export function clickEffect(next, word, open) {
  if (next) return { role: next, word };
  return { menu: open === word ? null : word };
}

/** The size of a sentence on several lines: smaller the more there is of it. */
export function blockFont(pieces, narrow) {
  const length = pieces.reduce((sum, piece) => sum + piece.text.length + 1, 0) * (narrow ? 2.5 : 1);
  return length <= 250 ? 34 : length <= 700 ? 26 : 19;
}

export function createAmbiguity(parent, tokens) {
  const root = element("div.parallax.as-blocks.ambiguity");
  const hero = element("div.claim");
  const menu = element("div.role-menu", { role: "group", hidden: "" });
  const prompt = element("h1.prompt", { "aria-live": "polite" });
  const key = element("div.key");
  root.append(hero, menu, prompt, key);
  parent.append(root);
  const gauge = wordGauge(root);
  let spec = null;
  let open = null; // the word whose menu is open
  let current = 0; // the word that the Tab key reaches
  const fonts = ['400 20px "Source Serif"', 'italic 400 20px "Source Serif"', '600 13px "Source Sans"'];
  const look = standing(root, tokens, { fonts, draw: drawAll, measure: () => gauge.again(), waits: true });

  function drawAll() {
    root.classList.toggle("large", spec.large);
    const line = sentenceLine(spec.pieces, gauge, look.width - 4, spec.large ? 118 : 74, SMALLEST_LINE);
    const block = look.narrow() || !line.fits;
    const focused = hero.contains(root.getRootNode().activeElement);
    hero.replaceChildren();
    hero.className = block ? "claim block sentence" : "claim line sentence";
    hero.style.cssText = "";
    hero.dir = block ? directionOf(spec.pieces) : "ltr";
    if (block) blockOfWords();
    else lineOfWords(line);
    key.hidden = !block || spec.next !== null;
    key.replaceChildren(
      ...spec.key.map(([letter, spans]) => element("span", letterChip(letter), element("span", ...spanNodes(spans)))),
    );
    prompt.hidden = !spec.prompt;
    prompt.replaceChildren(...spanNodes(spec.prompt ?? []));
    drawMenu();
    reach(current, focused);
  }

  /** Makes a word, or the first if it is gone, the one that Tab reaches, and gives it the focus if asked. */
  function reach(word, focus) {
    const words = [...hero.querySelectorAll("[data-word]")];
    const found = words.find((node) => node.dataset.word === String(word)) ?? words[0];
    if (!found) return;
    current = Number(found.dataset.word);
    for (const node of words) node.tabIndex = node === found ? 0 : -1;
    if (focus) found.focus();
  }

  function wordNode(piece) {
    const node = element(
      "span",
      { class: `word ${piece.roles.join(" ")}`, "data-word": piece.at, role: "button" },
      piece.text,
    );
    const said = piece.roles.length ? `, ${piece.roles.map((role) => spec.roles[role]).join(" and ")}` : "";
    node.setAttribute("aria-label", `${piece.text}${said}`);
    return node;
  }

  function blockOfWords() {
    hero.style.fontSize = `${blockFont(spec.pieces, look.narrow()) * (spec.large ? 1.6 : 1)}px`;
    let notes = []; // what stands behind a word, after the punctuation that touches it
    for (const [i, piece] of spec.pieces.entries()) {
      if (piece.at === null) {
        hero.append(element("span.punctuation", piece.text));
        continue;
      }
      put(hero, ...notes, piece.space && i && " ", wordNode(piece));
      const cue = piece.roles.includes("pivot") ? "also decides" : "decides";
      notes = [
        ...["A", "B"].filter((letter) => piece.roles.includes(letter.toLowerCase())).map(letterChip),
        ...(piece.roles.includes("cue") ? [element("span.cue-word", cue)] : []),
      ];
    }
    hero.append(...notes);
  }

  function lineOfWords({ size, boxes }) {
    const height = ABOVE + size * LEADING + BELOW;
    const base = ABOVE + size * 0.8;
    hero.style.height = `${height}px`;
    const { width, colours } = look;
    const marks = [];
    const grounds = [];
    const nodes = spec.pieces.map((piece, i) => {
      const place = boxes[i];
      if (piece.roles.includes("pivot")) marks.push(box(place.x, base + size * 0.17, place.width, 3, "currentColor"));
      if (piece.roles.includes("cue")) marks.push(...cueSign(piece, place, base, size));
      for (const letter of ["a", "b"])
        if (piece.roles.includes(letter))
          grounds.unshift(box(place.x - 6, ABOVE + 4, place.width + 12, size * 1.14, colours[letter].wash, { rx: 4 }));
      const node = piece.at === null ? element("span.punctuation", piece.text) : wordNode(piece);
      return styled(node, `left:${place.x}px;top:${ABOVE - size * 0.075}px`);
    });
    const about = { role: "group", "aria-label": "the sentence, word by word", style: `font-size:${size}px` };
    const picture = sample(width, height, grounds, marks);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    hero.append(picture, element("div.words", about, nodes));
    const middles = (role) => spec.pieces.flatMap(({ roles }, i) => (roles.includes(role) ? [middleOf(boxes[i])] : []));
    const [pivot] = middles("pivot");
    for (const letter of ["a", "b"]) {
      const partners = middles(letter);
      if (pivot !== undefined && partners.length) bracket(letter, partners, pivot, base, size, height, picture);
    }
  }

  function cueSign(piece, { x: left, width }, base, size) {
    const own = piece.roles.includes("pivot");
    const y = base + size * (own ? 0.29 : 0.2);
    const middle = left + width / 2;
    const beside = own && width / 2 < OWN_NOTE; // B's bracket goes down from the middle of the word
    const right = middle + OWN_NOTE <= look.width;
    const x = beside ? middle + (right ? 8 : -8) : left + width;
    const text = own ? "ambiguous and deciding" : "decides";
    const note = written(x, y + 24, text, beside && right ? "muted-ink" : "muted-ink end", 15);
    return [cueDots(left, width, y + 1.5, size), note];
  }

  /** Straight corners: a claim about the sentence never looks like attention, which is an arc. */
  function bracket(letter, partners, pivot, base, size, height, picture) {
    const up = letter === "a";
    const near = up ? ABOVE + 2 : base + size * 0.36;
    const far = up ? BRACKET : height - BRACKET;
    const feet = partners.map((x) => `M${x},${near} V${far} H${pivot} V${near}`).join(" ");
    picture.append(stroked(feet, look.colours[letter].graphic, 3, { "stroke-linejoin": "miter" }));
    const name = element("span.bracket-name", letterChip(letter.toUpperCase()), element("span", spec.names[letter]));
    const [left, right] = [Math.min(pivot, ...partners), Math.max(pivot, ...partners)];
    hero.append(name);
    const inside = name.offsetWidth < right - left - 16;
    const beside = Math.min(right + 4, Math.max(0, look.width - name.offsetWidth));
    styled(name, `left:${inside ? (left + right - name.offsetWidth) / 2 : beside}px;top:${far}px`);
  }

  function drawMenu() {
    menu.hidden = open === null;
    if (open === null) return;
    const piece = spec.pieces.find(({ at }) => at === open);
    const buttons = ROLES.map(([role, text]) =>
      element("button.plain-button", { "data-role": role, "aria-pressed": String(piece.roles.includes(role)) }, text),
    );
    menu.replaceChildren(
      element("span", element("span.say-word", piece.text), " is the"),
      ...buttons,
      element("button.quiet", { "data-act": "shut" }, "Nothing"),
    );
  }

  function choose(word) {
    const effect = clickEffect(spec.next, word, open);
    if (effect.role) return look.trigger("role", effect);
    open = effect.menu;
    drawMenu();
    return menu.querySelector("button")?.focus();
  }

  /** Closes the menu; the focus goes back to the word that opened it. */
  function shut() {
    const inside = menu.contains(root.getRootNode().activeElement);
    const opener = open;
    open = null;
    drawMenu();
    if (inside) reach(opener, true);
  }

  look.listen("click", (event) => {
    const hit = event.target.closest("[data-word],[data-role],[data-act]");
    if (!hit) return undefined;
    const { word, role } = hit.dataset;
    if (word !== undefined) {
      reach(Number(word), false);
      return choose(Number(word));
    }
    if (role) look.trigger("role", { role, word: open });
    return shut();
  });
  look.listen("keydown", (event) => {
    const word = event.target.closest?.("[data-word]");
    if (event.key === "Escape") shut();
    else if (!word || event.altKey || event.metaKey || event.ctrlKey) return;
    else if (event.key === "Enter" || event.key === " ") choose(Number(word.dataset.word));
    else {
      const words = [...hero.querySelectorAll("[data-word]")];
      const next = rowMove(sideways(event.key, directionOf(spec.pieces) === "rtl"), words.indexOf(word), words.length);
      if (next === null) return;
      reach(Number(words[next].dataset.word), true);
    }
    event.preventDefault();
  });

  return {
    update(data, setTriggerValue, setStateValue) {
      spec = data;
      const inMenu = menu.contains(root.getRootNode().activeElement);
      open = null;
      look.update(setTriggerValue, setStateValue);
      if (inMenu) reach(current, true);
    },
    close: look.close,
  };
}
