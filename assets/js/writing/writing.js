/** The component "writing": a text that a model goes on with, a slider over its steps, and where all heads looked back. */

import { css } from "../lib/colour.js";
import { openEnvelope } from "../lib/envelope.js";
import { measured } from "../lib/sentence.js";
import { element, filled, percentText, plainText, spanNodes } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { asideBar, cellCanvas } from "./cells.js";
import { drawHero } from "./hero.js";
import { columnPlan, futureFrom, headsShown, LAYER_GAP, lookOf, LEFT, pastUntil, rowHeight, sharesOf } from "./plan.js";
/** @import { Tell } from "../drawers.d.ts" */

const REST = 600; // ms a slider has to rest before the page is asked for what hangs on its step
const MOST_TICKS = 8; // steps with a label of their own

export default function createWriting(parent, tokens) {
  const root = element("div", { class: "parallax writing" });
  const gauge = element("div", { class: "gauge", "aria-hidden": "true" });
  const chip = element("div", { class: "writing-chip" });
  const hero = element("div");
  const ticks = element("div", { class: "ticks", "aria-hidden": "true" });
  const range = element("input", { type: "range", min: 1, step: 1, "aria-label": "step" });
  const back = element("button", { type: "button", class: "plain-button", "aria-label": "the step before" }, "←");
  const onward = element("button", { type: "button", class: "plain-button", "aria-label": "the next step" }, "→");
  const finding = element("h1", { class: "finding", "aria-live": "polite" });
  const title = element("h2");
  const key = element("div", { class: "legend" });
  const choice = element("div", { class: "layer-choice" });
  const strip = element("div", { class: "cells" });
  const second = element("h2");
  const stairs = element("div", { class: "cells" });
  const caption = element("p", { class: "note" });
  root.append(
    gauge,
    chip,
    hero,
    element("div", { class: "player" }, back, element("div", { class: "slide" }, ticks, range), onward),
    finding,
    element("section", {}, element("div", { class: "headline" }, title, key), choice, strip),
    element("section", {}, second, stairs, caption),
  );
  parent.append(root);

  let [spec, arrays, widths] = [null, null, null];
  /** @type {Tell} */
  let trigger = () => {};
  let [step, pointed, layer, timer, given] = [0, -1, 0, 0, ""];
  const measure = () =>
    (widths = measured(
      gauge,
      spec.texts.map((text) => element("span", { class: "piece" }, text)),
    ).widths);
  const look = standing(root, tokens, {
    fonts: ['400 20px "Source Serif"', '400 13px "Source Code Pro"'],
    draw: drawAll,
    measure,
  });
  const { narrow } = look;
  const name = (index) => `L${Math.floor(index / spec.heads)}H${index % spec.heads}`;
  const shownHead = () => (pointed >= 0 ? pointed : spec.pin);

  function drawStep() {
    const index = shownHead();
    const found = lookOf(spec, arrays, step, index);
    const plan = columnPlan({
      widths: narrow() ? Array(spec.texts.length).fill(99) : widths,
      column: look.width,
      large: spec.large,
      rtl: spec.rtl,
    });
    drawHero(hero, spec, found, plan, look.colours, step, sharesOf(spec, arrays, step, index));
    chip.replaceChildren(
      element("span", { class: pointed >= 0 ? "disc hollow" : "disc" }, pointed >= 0 ? "" : "1"),
      element("span", { class: "say-head" }, name(index)),
      ...(spec.chosen && pointed < 0 ? [element("span", { class: "badge" }, spec.say.chosen)] : []),
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
    ticks.replaceChildren(
      ...steps.map((at) =>
        element("span", { class: at === step ? "now" : "" }, `${at + 1} ${spec.plain[spec.n_read + at]}`),
      ),
    );
  }

  /** Words above the columns: those that are there in full, the others muted. */
  function header(plan, at, row) {
    if (!plan.words) return [];
    return spec.texts.map((text, i) => {
      const label = element(
        "span",
        { class: `column${spec.columns[i] > row ? " later" : ""}${spec.columns[i] === row && at ? " looks" : ""}` },
        text,
      );
      label.style.cssText = `left:${plan.boxes[i].x}px;width:${plan.boxes[i].width}px`;
      return label;
    });
  }

  function drawStrip(plan) {
    const row = spec.rows[step];
    const tall = rowHeight(spec.layers * spec.heads);
    const top = plan.words ? 24 : 6;
    const rows = headsShown(spec.layers, spec.heads, layer, false).map((index) => ({
      index,
      y: top + index * tall + Math.floor(index / spec.heads) * LAYER_GAP,
      height: tall,
      shares: sharesOf(spec, arrays, step, index),
      future: futureFrom(spec.columns, row),
      past: pastUntil(spec.columns, row, spec.windows[Math.floor(index / spec.heads)]),
    }));
    const height = rows.at(-1).y + tall + 4;
    strip.className = "cells";
    strip.style.height = `${height}px`;
    const canvas = cellCanvas(
      { rows, boxes: plan.boxes, width: look.width, height },
      look.colours,
      plainText(finding.textContent ? [["plain", finding.textContent]] : []),
    );
    const parts = [canvas, ...header(plan, true, row)];
    for (const one of rows) {
      const label = element("button", {
        type: "button",
        class: `row-button${one.index === spec.pin ? " pinned" : ""}`,
        "data-head": one.index,
        "aria-pressed": one.index === spec.pin,
        "aria-label": `${name(one.index)}: ${spec.roles[one.index]}`,
        tabindex: one.index === spec.pin ? 0 : -1,
      });
      if (tall >= 12)
        label.append(
          element("span", { class: "say-head" }, name(one.index)),
          ...(one.index === spec.pin ? [element("span", { class: "disc" }, "1")] : []),
        );
      else if (one.index % spec.heads === 0)
        label.append(element("span", { class: "say-head" }, `L${one.index / spec.heads}`));
      label.style.cssText = `top:${one.y}px;height:${tall}px;width:${plan.end}px;line-height:${tall >= 12 ? tall : 14}px;font-size:${tall >= 28 ? 14 : 12}px`;
      parts.push(label);
      const mass = arrays.mass.data[step * spec.layers * spec.heads + one.index];
      if (spec.say.aside && tall >= 12)
        parts.push(asideBar(mass, one.y, tall, plan.end + 14, `${percentText(mass)} ${spec.say.aside}`));
    }
    const looks = spec.columns.indexOf(row);
    if (looks >= 0) {
      const frame = element("span", { class: "frame-column" });
      frame.style.cssText = `left:${plan.boxes[looks].x}px;width:${plan.boxes[looks].width}px;top:${top - 2}px;height:${height - top}px`;
      parts.push(frame);
    }
    keepFocus(strip, parts);
  }

  /** On a phone: words down the side, heads across. */
  function drawTurned() {
    const row = spec.rows[step];
    const shown = headsShown(spec.layers, spec.heads, layer, true);
    const [left, tall] = [84, 22];
    const wide = Math.min(34, (look.width - left) / shown.length);
    const top = 34;
    const future = futureFrom(spec.columns, row);
    const cells = spec.texts.map((_, at) => ({
      y: top + at * tall,
      height: tall,
      shares: shown.map((index) => sharesOf(spec, arrays, step, index)[at]),
      future: at < future ? shown.length : 0,
    }));
    const boxes = shown.map((index, i) => ({ x: left + i * wide, width: wide }));
    const height = top + spec.texts.length * tall + (spec.say.aside ? 26 : 4);
    strip.className = "cells turned";
    strip.style.height = `${height}px`;
    const parts = [cellCanvas({ rows: cells, boxes, width: look.width, height }, look.colours, finding.textContent)];
    spec.texts.forEach((text, at) => {
      const label = element(
        "span",
        { class: `side${spec.columns[at] > row ? " later" : ""}${spec.columns[at] === row ? " looks" : ""}` },
        text,
      );
      label.style.cssText = `top:${top + at * tall}px;width:${left - 8}px`;
      parts.push(label);
    });
    shown.forEach((index, i) => {
      const label = element(
        "button",
        {
          type: "button",
          class: `row-button${index === spec.pin ? " pinned" : ""}`,
          "data-head": index,
          "aria-pressed": index === spec.pin,
          "aria-label": `${name(index)}: ${spec.roles[index]}`,
          tabindex: index === spec.pin ? 0 : -1,
        },
        element("span", {}, `L${Math.floor(index / spec.heads)}`),
        element("span", {}, `H${index % spec.heads}`),
      );
      label.style.cssText = `left:${left + i * wide}px;width:${wide}px;height:${height}px`;
      parts.push(label);
      if (!spec.say.aside) return;
      const mass = arrays.mass.data[step * spec.layers * spec.heads + index];
      const bar = element(
        "span",
        { class: "aside-bar", title: `${percentText(mass)} ${spec.say.aside}` },
        element("i"),
      );
      bar.style.cssText = `left:${left + i * wide + 2}px;width:${wide - 4}px;top:${height - 16}px`;
      bar.firstChild.style.width = `${mass}%`;
      parts.push(bar);
    });
    keepFocus(strip, parts);
  }

  function drawStairs(plan) {
    const index = spec.pin;
    const tall = spec.steps > 24 ? 12 : 20;
    const top = plan.words && !narrow() ? 24 : 4;
    const labels = narrow() ? 78 : LEFT + 34;
    const used = narrow()
      ? columnPlan({
          widths: Array(spec.texts.length).fill(99),
          column: look.width,
          left: labels,
          right: 2,
          rtl: spec.rtl,
        })
      : plan;
    const rows = spec.rows.map((row, at) => ({
      y: top + at * tall,
      height: tall,
      shares: sharesOf(spec, arrays, at, index),
      future: futureFrom(spec.columns, row),
      past: pastUntil(spec.columns, row, spec.windows[Math.floor(index / spec.heads)]),
    }));
    const height = top + spec.steps * tall + 2;
    stairs.style.height = `${height}px`;
    const canvas = cellCanvas({ rows, boxes: used.boxes, width: look.width, height }, look.colours, spec.say.label);
    const parts = [canvas, ...(narrow() ? [] : header(plan, false, spec.columns.at(-1)))];
    rows.forEach((one, at) => {
      const label = element(
        "span",
        { class: `side${at === step ? " looks" : ""}` },
        narrow() || tall < 20
          ? `${at + 1} ${spec.plain[spec.n_read + at]}`
          : `${at + 1} ${spec.plain[spec.n_read + at]}`,
      );
      label.style.cssText = `top:${one.y}px;width:${used.start - 6}px;line-height:${tall}px`;
      parts.push(label);
      const mass = arrays.mass.data[at * spec.layers * spec.heads + index];
      if (spec.say.aside && !narrow() && tall >= 20)
        parts.push(asideBar(mass, one.y, tall, used.end + 14, `${percentText(mass)} ${spec.say.aside}`));
    });
    const frame = element("span", { class: "frame-row" });
    frame.style.cssText = `top:${rows[step].y - 1}px;height:${tall}px;left:${used.start}px;width:${used.end - used.start}px`;
    stairs.replaceChildren(...parts, frame);
  }

  /** New parts; the head that had the keyboard's focus has it again. */
  function keepFocus(host, parts) {
    const had = host.getRootNode().activeElement?.dataset?.head;
    host.replaceChildren(...parts);
    if (had !== undefined) host.querySelector(`[data-head="${had}"]`)?.focus();
  }

  function drawAll() {
    root.classList.toggle("large", spec.large);
    title.textContent = spec.say.title;
    second.replaceChildren("Head ", element("span", { class: "say-head" }, name(spec.pin)), `, ${spec.say.stairs}`);
    caption.replaceChildren(
      ...spanNodes(spec.say.caption),
      ...(spec.say.hidden.length ? [" ", ...spanNodes(spec.say.hidden)] : []),
    );
    range.max = String(spec.steps);
    const ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    ramp.style.background = `linear-gradient(90deg,${look.colours.ramp.map(css).join(",")})`;
    key.replaceChildren(
      element("span", { class: "scale" }, "0", ramp, "100\u00a0%"),
      ...(spec.say.aside ? [element("span", {}, element("i", { class: "share-key" }), spec.say.aside)] : []),
      element("span", {}, element("i", { class: "hatch-key" }), spec.say.absent),
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
    timer = setTimeout(() => trigger("step", { position: step }), REST);
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
  listen(strip, "focusout", (event) => !strip.contains(event.relatedTarget) && event.relatedTarget && point(-1));
  listen(
    strip,
    "click",
    (event) => headOf(event.target) >= 0 && trigger("picked", { head: name(headOf(event.target)) }),
  );
  listen(strip, "keydown", (event) => {
    const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    const buttons = [...strip.querySelectorAll("[data-head]")];
    const next = buttons[buttons.findIndex((one) => Number(one.dataset.head) === headOf(event.target)) + by];
    if (by === undefined || !next) return;
    event.preventDefault();
    next.focus();
  });

  return {
    update(data, setTriggerValue, setStateValue) {
      ({ header: spec, arrays } = openEnvelope(data));
      trigger = setTriggerValue;
      const text = JSON.stringify([spec.texts, spec.step, spec.pin]);
      if (text !== given) {
        [step, layer, pointed, given] = [spec.step, Math.floor(spec.pin / spec.heads), -1, text];
        clearTimeout(timer);
      }
      step = Math.min(step, spec.steps - 1);
      measure();
      look.update(setStateValue);
    },
    close() {
      clearTimeout(timer);
      look.close();
    },
  };
}
