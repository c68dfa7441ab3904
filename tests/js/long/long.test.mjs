import assert from "node:assert/strict";
import test from "node:test";
import { fitted } from "../../../assets/js/long/box.js";
import { thumbnail } from "../../../assets/js/long/overview.js";
import { topText } from "../../../assets/js/long/paint.js";
import { headAt, lineHeight } from "../../../assets/js/long/profiles.js";
import { windowAt, windowMove } from "../../../assets/js/long/reader.js";

test("a text that is too long is cut between characters, and says so", () => {
  assert.deepEqual(fitted("abc", 10), { text: "abc", cut: false });
  assert.deepEqual(fitted("äöü", 4), { text: "äö", cut: true });
  assert.deepEqual(fitted("a😀b", 4), { text: "a", cut: true });
});

test("the window follows the pointer and stays inside the text", () => {
  assert.equal(windowAt(500, 1000, 4096, 64), 2048 - 32);
  assert.equal(windowAt(0, 1000, 4096, 64), 0);
  assert.equal(windowAt(1000, 1000, 4096, 64), 4096 - 64);
});

test("keys move the window by half and by all of it, and to the ends", () => {
  assert.equal(windowMove("ArrowRight", 0, 4096, 64), 32);
  assert.equal(windowMove("ArrowLeft", 10, 4096, 64), 0);
  assert.equal(windowMove("End", 10, 4096, 64), 4032);
  assert.equal(windowMove("Home", 10, 4096, 64), 0);
  assert.equal(windowMove("a", 10, 4096, 64), null);
});

test("a line of the profiles is a head, between layers there is none", () => {
  assert.equal(headAt(0, 5, 12, 12), 0);
  assert.equal(headAt(62, 5, 12, 12), -1);
  assert.equal(headAt(66, 5, 12, 12), 12);
  assert.equal(lineHeight(12, 12), 5);
  assert.equal(lineHeight(40, 32), 3);
});

test("a scale that ends before all says so", () => {
  assert.equal(topText(0.05), "5\u00a0% and more");
  assert.equal(topText(1), "100\u00a0%");
});

test("thumbnails stand beside each other where there is room", () => {
  assert.ok(thumbnail(1120, 12, false).pitch * 12 + 64 <= 1130);
  assert.equal(thumbnail(358, 12, true).pitch, 72);
});
