/** The component "writing": a text that a model goes on with, a slider over its steps, and where all heads looked back. */

import { rampBar } from "../lib/chart.js";
import { nthHead } from "../lib/grid.js";
import { stepAlong } from "../lib/keyboard.js";
import { measured } from "../lib/sentence.js";
import { element, filled, refill, spanNodes, styled } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { asideBar, cellCanvas } from "./cells.js";
import { drawHero } from "./hero.js";
import { columnPlan, futureFrom, headsShown, LAYER_GAP, lookOf, pastUntil, rowHeight, sharesOf } from "./plan.js";

const REST = 600; // ms a slider has to rest before the page is asked for what hangs on its step
const MOST_TICKS = 8; // steps with a label of their own

export default function createWriting(parent, tokens) {
  const root = element("div.parallax.writing");
  const gauge = element("div.gauge", { "aria-hidden": "true" });
  const chip = element("div.writing-chip");
  const hero = element("div");
  const ticks = element("div.ticks", { "aria-hidden": "true" });
  const range = element("input", { type: "range", min: 1, step: 1, "aria-label": "step" });
  const back = element("button.plain-button", { "aria-label": "the step before" }, "←");
  const onward = element("button.plain-button", { "aria-label": "the next step" }, "→");
  const finding = element("h1.finding", { "aria-live": "polite" });
  const title = element("h2");
  const key = element("div.legend");
  const choice = element("div.layer-choice");
  const strip = element("div.cells");
  const second = element("h2");
  const stairs = element("div.cells");
  const caption = element("p.note");
  root.append(
    gauge,
    chip,
    hero,
    element("div.player", back, element("div.slide", ticks, range), onward),
    finding,
    element("section", element("div.headline", title, key), choice, strip),
    element("section", second, stairs, caption),
  );
  parent.append(root);

  let [spec, arrays, widths] = [null, null, null];
  let [step, pointed, layer, timer, given, told] = [0, -1, 0, 0, "", -1];
  let filling = false; // the strip: what has the focus there goes, and has it again
  const piece = (text) => element("span.piece", text);
  const measure = () => ({ widths } = measured(gauge, spec.texts.map(piece)));
  const fonts = ['400 20px "Source Serif"', '400 13px "Source Code Pro"'];
  const look = standing(root, tokens, { fonts, draw: drawAll, measure });
  const { narrow, trigger } = look;
  const name = (index) => nthHead(index, spec.heads);
  const massOf = (at, index) => arrays.mass.data[at * spec.layers * spec.heads + index];
  const stepText = (at) => `${at + 1} ${spec.plain[spec.n_read + at]}`;

  /** Where the columns stand; on a phone none has its word above it. */
  function planOf(room = {}) {
    const all = narrow() ? Array(spec.texts.length).fill(99) : widths;
    return columnPlan({ widths: all, column: look.width, large: spec.large, rtl: spec.rtl, ...room });
  }

  /** The cells of one head at a step, as `cellCanvas` takes them. */
  function cellsOf(at, index, y, height) {
    const [row, window] = [spec.rows[at], spec.windows[Math.floor(index / spec.heads)]];
    const [future, past] = [futureFrom(spec.columns, row), pastUntil(spec.columns, row, window)];
    return { y, height, shares: sharesOf(spec, arrays, at, index), future, past };
  }

  function drawStep() {
    const index = pointed >= 0 ? pointed : spec.pin;
    const found = lookOf(spec, arrays, step, index);
    const plan = planOf();
    drawHero(hero, spec, found, plan, look.colours, step, sharesOf(spec, arrays, step, index));
    refill(
      chip,
      element("span", { class: pointed >= 0 ? "disc hollow" : "disc" }, pointed >= 0 ? "" : "1"),
      element("span.say-head", name(index)),
      spec.chosen && pointed < 0 && element("span.badge", spec.say.chosen),
    );
    finding.style.minHeight = pointed >= 0 ? `${finding.offsetHeight}px` : ""; // what is pointed at stays under the pointer
    const ends = spec.ended && step === spec.steps - 1;
    finding.replaceChildren(
      ...spanNodes(filled(spec.say.looks[found.told], found.values)),
      ...spanNodes(filled(spec.say.writes[ends ? 1 : 0], found.values)),
    );
    range.value = String(step + 1);
    range.setAttribute("aria-valuetext", `step ${step + 1} of ${spec.steps}: ${spec.plain[spec.n_read + step]}`);
    [back.disabled, onward.disabled] = [step === 0, step === spec.steps - 1];
    drawTicks();
    if (narrow()) drawTurned();
    else drawStrip(plan);
    drawStairs(plan);
  }

  function drawTicks() {
    const all = !narrow() && spec.steps <= MOST_TICKS;
    const steps = all ? Array.from({ length: spec.steps }, (_, i) => i) : [step];
    ticks.classList.toggle("one", !all);
    ticks.replaceChildren(...steps.map((at) => element("span", { class: at === step ? "now" : "" }, stepText(at))));
  }

  /** What the token of a column is to a row: it comes later, it is the one that looks, or neither. */
  function roleOf(at, row, marked = true) {
    return `${spec.columns[at] > row ? " later" : ""}${marked && spec.columns[at] === row ? " looks" : ""}`;
  }

  /** Words above the columns: those that are there in full, the others muted. */
  function header({ words, boxes }, row, marked) {
    return spec.texts.flatMap((text, at) => {
      const word = element("span", { class: `column${roleOf(at, row, marked)}` }, text);
      return words ? [styled(word, `left:${boxes[at].x}px;width:${boxes[at].width}px`)] : [];
    });
  }

  /** The button of a head over its row of cells, or its column. */
  function headButton(index, place, ...names) {
    const own = index === spec.pin;
    const button = element(
      "button",
      {
        class: `row-button${own ? " pinned" : ""}`,
        "data-head": index,
        "aria-pressed": own,
        "aria-label": `${name(index)}: ${spec.roles[index]}`,
        tabindex: own ? 0 : -1,
      },
      names,
    );
    return styled(button, place);
  }

  function drawStrip(plan) {
    const tall = rowHeight(spec.layers * spec.heads);
    const top = plan.words ? 24 : 6;
    const rows = headsShown(spec.layers, spec.heads, layer, false).map((index) =>
      cellsOf(step, index, top + index * tall + Math.floor(index / spec.heads) * LAYER_GAP, tall),
    );
    const height = rows.at(-1).y + tall + 4;
    const canvas = cellCanvas(
      { rows, boxes: plan.boxes, width: look.width, height },
      look.colours,
      finding.textContent,
    );
    const type = `line-height:${tall >= 12 ? tall : 14}px;font-size:${tall >= 28 ? 14 : 12}px`;
    const labels = rows.flatMap(({ y }, index) => {
      const first = index % spec.heads === 0 && `L${index / spec.heads}`;
      const own = tall >= 12 ? name(index) : first;
      const aside = tall >= 12 && spec.say.aside;
      return [
        headButton(
          index,
          `top:${y}px;height:${tall}px;width:${plan.end}px;${type}`,
          own && element("span.say-head", own),
          tall >= 12 && index === spec.pin && element("span.disc", "1"),
        ),
        aside && asideBar(massOf(step, index), aside, `left:${plan.end + 14}px;top:${y + tall / 2 - 4}px`),
      ];
    });
    const looks = plan.boxes[spec.columns.indexOf(spec.rows[step])];
    const frame = looks && `left:${looks.x}px;width:${looks.width}px;top:${top - 2}px;height:${height - top}px`;
    const around = frame && styled(element("span.frame-column"), frame);
    fillStrip("cells", height, [canvas, header(plan, spec.rows[step], true), labels, around]);
  }

  /** On a phone: words down the side, heads across. */
  function drawTurned() {
    const row = spec.rows[step];
    const shown = headsShown(spec.layers, spec.heads, layer, true);
    const [left, top, tall] = [84, 34, 22];
    const wide = Math.min(34, (look.width - left) / shown.length);
    const future = futureFrom(spec.columns, row);
    const rows = spec.texts.map((_, at) => ({
      y: top + at * tall,
      height: tall,
      shares: shown.map((index) => sharesOf(spec, arrays, step, index)[at]),
      future: at < future ? shown.length : 0,
    }));
    const boxes = shown.map((_, i) => ({ x: left + i * wide, width: wide }));
    const height = top + spec.texts.length * tall + (spec.say.aside ? 26 : 4);
    const words = spec.texts.map((text, at) => {
      const word = element("span", { class: `side${roleOf(at, row)}` }, text);
      return styled(word, `top:${top + at * tall}px;width:${left - 8}px`);
    });
    const heads = shown.map((index, i) => [
      headButton(
        index,
        `left:${boxes[i].x}px;width:${wide}px;height:${height}px`,
        element("span", `L${Math.floor(index / spec.heads)}`),
        element("span", `H${index % spec.heads}`),
      ),
      spec.say.aside &&
        asideBar(
          massOf(step, index),
          spec.say.aside,
          `left:${boxes[i].x + 2}px;width:${wide - 4}px;top:${height - 16}px`,
        ),
    ]);
    const canvas = cellCanvas({ rows, boxes, width: look.width, height }, look.colours, finding.textContent);
    fillStrip("cells turned", height, [canvas, words, heads]);
  }

  function drawStairs(plan) {
    const tall = spec.steps > 24 ? 12 : 20;
    const top = plan.words && !narrow() ? 24 : 4;
    const used = narrow() ? planOf({ large: false, left: 78, right: 2 }) : plan;
    const rows = spec.rows.map((_, at) => cellsOf(at, spec.pin, top + at * tall, tall));
    const height = top + spec.steps * tall + 2;
    const aside = !narrow() && tall >= 20 && spec.say.aside;
    const labels = rows.map(({ y }, at) => [
      styled(
        element("span", { class: `side${at === step ? " looks" : ""}` }, stepText(at)),
        `top:${y}px;width:${used.start - 6}px;line-height:${tall}px`,
      ),
      aside && asideBar(massOf(at, spec.pin), aside, `left:${used.end + 14}px;top:${y + tall / 2 - 4}px`),
    ]);
    stairs.style.height = `${height}px`;
    refill(
      stairs,
      cellCanvas({ rows, boxes: used.boxes, width: look.width, height }, look.colours, spec.say.label),
      !narrow() && header(plan, spec.columns.at(-1), false),
      labels,
      styled(
        element("span.frame-row"),
        `top:${rows[step].y - 1}px;height:${tall}px;left:${used.start}px;width:${used.end - used.start}px`,
      ),
    );
  }

  /** New parts of the strip; the head that had the keyboard's focus has it again. */
  function fillStrip(kind, height, parts) {
    const had = strip.getRootNode().activeElement?.dataset?.head;
    strip.className = kind;
    strip.style.height = `${height}px`;
    filling = true;
    refill(strip, parts);
    if (had !== undefined) strip.querySelector(`[data-head="${had}"]`)?.focus();
    filling = false;
  }

  function drawAll() {
    root.classList.toggle("large", spec.large);
    title.textContent = spec.say.title;
    second.replaceChildren("Head ", element("span.say-head", name(spec.pin)), `, ${spec.say.stairs}`);
    refill(caption, ...spanNodes(spec.say.caption), spec.say.hidden.length > 0 && [" ", ...spanNodes(spec.say.hidden)]);
    range.max = String(spec.steps);
    refill(
      key,
      element("span.scale", "0", rampBar(look.colours.ramp), "100\u00a0%"),
      spec.say.aside && element("span", element("i.share-key"), spec.say.aside),
      element("span", element("i.hatch-key"), spec.say.absent),
    );
    drawChoice();
    drawStep();
  }

  /** On a phone with many heads: which layer stands in the strip. */
  function drawChoice() {
    const needed = narrow() && headsShown(spec.layers, spec.heads, layer, true).length < spec.layers * spec.heads;
    choice.hidden = !needed;
    if (!needed) return choice.replaceChildren();
    const select = element(
      "select",
      { "aria-label": "layer in the strip" },
      ...Array.from({ length: spec.layers }, (_, i) =>
        element("option", { value: i, ...(i === layer ? { selected: "" } : {}) }, `Layer ${i}`),
      ),
    );
    select.addEventListener("change", () => {
      layer = Number(select.value);
      look.redraw();
    });
    choice.replaceChildren(select);
  }

  function go(next) {
    step = Math.max(0, Math.min(spec.steps - 1, next));
    drawStep();
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      trigger("step", { position: step });
    }, REST);
  }

  const listen = (node, kind, handler) => look.listen(kind, handler, node);
  listen(range, "input", () => go(Number(range.value) - 1));
  listen(back, "click", () => go(step - 1));
  listen(onward, "click", () => go(step + 1));
  const headOf = (target) =>
    target instanceof Element
      ? Number(/** @type {HTMLElement} */ (target.closest("[data-head]"))?.dataset.head ?? -1)
      : -1;
  const point = (index) => {
    if (index === pointed) return;
    pointed = index;
    drawStep();
  };
  listen(strip, "pointerover", (event) => event.pointerType === "mouse" && spec && point(headOf(event.target)));
  listen(strip, "pointerleave", () => spec && point(-1));
  listen(strip, "focusin", (event) => event.target.matches(":focus-visible") && point(headOf(event.target)));
  listen(strip, "focusout", (event) => !filling && !strip.contains(event.relatedTarget) && point(-1));
  listen(
    strip,
    "click",
    (event) => headOf(event.target) >= 0 && trigger("head_chosen", { head: name(headOf(event.target)) }),
  );
  listen(strip, "keydown", (event) => stepAlong(strip, "[data-head]", event));

  return {
    update(data, setTriggerValue, setStateValue) {
      ({ header: spec, arrays } = data);
      const text = JSON.stringify([spec.texts, spec.pin]);
      const another = text !== given;
      if (another) [layer, pointed, given] = [Math.floor(spec.pin / spec.heads), -1, text];
      if (another || (!timer && spec.step !== told)) {
        clearTimeout(timer); // else the reader has gone on since this step was asked for
        [step, timer] = [spec.step, 0];
      }
      told = spec.step;
      step = Math.min(step, spec.steps - 1);
      measure();
      look.update(setTriggerValue, setStateValue);
    },
    close() {
      clearTimeout(timer);
      look.close();
    },
  };
}
