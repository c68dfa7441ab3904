import assert from "node:assert/strict";
import test from "node:test";
import { asksOf, cellLine } from "../../../assets/js/heads/one_cell.js";
import { cellBox, cellUnder } from "../../../assets/js/lib/map.js";
import { REST, resting } from "../../../assets/js/lib/resting.js";
import { plainText } from "../../../assets/js/lib/spans.js";

const box = { left: 100, top: 50, width: 70, height: 70 };

test("the cell under the pointer, of maps that are not square too", () => {
  const map = { rows: 7, columns: 5 };
  assert.deepEqual(cellUnder(box, 100, 50, map), { q: 0, k: 0 });
  assert.deepEqual(cellUnder(box, 169, 119, map), { q: 6, k: 4 });
  assert.deepEqual(cellUnder(box, 128, 71, map), { q: 2, k: 2 });
  assert.equal(cellUnder(box, 99, 60, map), null);
  assert.equal(cellUnder(box, 120, 121, map), null, "the line below the picture is none of it");
});

test("cells that a mask hides are none", () => {
  assert.equal(cellUnder(box, 168, 51, { rows: 7, columns: 7, causal: true }), null);
  assert.deepEqual(cellUnder(box, 101, 51, { rows: 7, columns: 7, causal: true }), { q: 0, k: 0 });
});

test("a cell is framed where it was found", () => {
  const map = { rows: 7, columns: 5 };
  const { left, top, width, height } = cellBox({ q: 3, k: 1 }, map);
  const middle = [box.left + ((left + width / 2) / 100) * box.width, box.top + ((top + height / 2) / 100) * box.height];
  assert.deepEqual(cellUnder(box, ...middle, map), { q: 3, k: 1 });
});

test("what a click opens is named; neighbours that share a cell by the first and the last of them", () => {
  const words = ["a", "dog", "ate", "food", "."];
  assert.equal(plainText(cellLine({ queries: words, keys: words, steps: [1, 1] }, { q: 1, k: 3 })), "Open row dog, column food");
  assert.equal(plainText(cellLine({ queries: words, keys: words, steps: [2, 2] }, { q: 0, k: 2 })), "Open row a to dog, column .");
});

test("Shift makes a pin one cell, where cells open", () => {
  assert.deepEqual(["Enter", " ", "s", "x"].map((key) => asksOf(key, false, true)), ["pin", "pin", null, null]);
  assert.equal(asksOf("Enter", true, true), "cell");
  assert.equal(asksOf("Enter", true, false), "pin");
});

/** A finger on something, and what was called back with. */
function finger(what = () => 7) {
  const handlers = {};
  const rested = [];
  const rest = resting((name, handler) => (handlers[name] = handler), what, (it) => rested.push(it));
  const at = (x, y = 0) => ({ pointerType: "touch", isPrimary: true, clientX: x, clientY: y, target: null, prevented: false, preventDefault() { this.prevented = true; } });
  const send = (name, event) => {
    handlers[name](event);
    return event;
  };
  return { rest, rested, at, send };
}

test("a finger that rests is told once, and its click and menu are swallowed", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { rest, rested, at, send } = finger();
  send("pointerdown", at(5));
  send("pointermove", at(8));
  t.mock.timers.tick(REST);
  assert.deepEqual(rested, [7]);
  assert.equal(send("contextmenu", at(8)).prevented, true);
  send("pointerup", at(8));
  assert.deepEqual([rest.swallows(), rest.swallows()], [true, false]);
});

test("a tap, a swipe, a mouse and what cannot be rested on stay what they were", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { rest, rested, at, send } = finger();
  send("pointerdown", at(5));
  send("pointerup", at(5));
  send("pointerdown", at(5));
  send("pointermove", at(40));
  send("pointerdown", { ...at(5), pointerType: "mouse" });
  t.mock.timers.tick(10 * REST);
  assert.deepEqual([rested, rest.swallows()], [[], false]);
  const nowhere = finger(() => null);
  nowhere.send("pointerdown", nowhere.at(5));
  t.mock.timers.tick(REST);
  assert.equal(nowhere.send("contextmenu", nowhere.at(5)).prevented, false);
  assert.deepEqual(nowhere.rested, []);
});
