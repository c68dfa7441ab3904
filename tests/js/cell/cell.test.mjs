import assert from "node:assert/strict";
import test from "node:test";
import { roomsOf } from "../../../assets/js/blocks/blocks.js";
import { numbered, running } from "../../../assets/js/cell/dims.js";
import { heroSize, wordAct } from "../../../assets/js/cell/hero.js";
import { scoreScale } from "../../../assets/js/cell/keys_table.js";

test("each step of the products begins where the last one ended", () => {
  assert.deepEqual(running([3, 2, -4]), [{ from: 0, to: 3 }, { from: 3, to: 5 }, { from: 5, to: 1 }]);
});

test("columns too narrow for their numbers have every so manieth", () => {
  assert.deepEqual(numbered(4, 30, 2), [true, true, true, true]);
  assert.deepEqual(numbered(6, 10, 2), [true, false, true, false, true, false]);
  assert.ok(numbered(128, 3, 5).filter(Boolean).length < 30);
});

test("zero stands on the axis of the scores, whatever they are", () => {
  const X = scoreScale([0, 2, 4], 100, 10);
  assert.equal(X(0), 10);
  assert.equal(X(4), 90);
  assert.ok(Number.isFinite(scoreScale([0], 100, 10)(0)));
});

test("a click says who looks, with Shift who is looked at", () => {
  assert.equal(wordAct(3, false), "from 3");
  assert.equal(wordAct(3, true), "at 3");
});

test("a short sentence stands on one line, a long one flows", () => {
  const pieces = (count) => Array.from({ length: count }, (_, at) => ({ text: "word", at, space: true }));
  assert.equal(heroSize(pieces(4), () => 2, 1000).line, true);
  assert.equal(heroSize(pieces(60), () => 2, 1000).line, false);
});

test("pictures are asked for from the room that their kind names", () => {
  assert.deepEqual(roomsOf([{ kind: "said" }, { kind: "columns", columns: [[{ kind: "cell_keys" }], [{ kind: "story" }]] }]), ["cell", "pictures"]);
  assert.deepEqual(roomsOf([{ kind: "said" }]), []);
});
