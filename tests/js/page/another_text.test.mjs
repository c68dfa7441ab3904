import assert from "node:assert/strict";
import test from "node:test";

import { anotherText, ASKED, DRAWN, plain, STANDS } from "../../../assets/js/page/another_text.js";
import { takes } from "../../../assets/js/page/text_before.js";

const of = (text, more = {}) => ({ model: "minilm", text, second: "", ...more });
const shows = (text) => (name) => (name === "text" ? text : null);

/** A page that stands, drawn of a text. */
function standing(text = "A") {
  const page = anotherText();
  page.says(of(text));
  page.ended(shows(text));
  assert.equal(page.phase, STANDS);
  return page;
}

test("a page is of the text before from the moment a text is taken until no run follows its own", () => {
  const page = standing();
  page.take("text", "B");
  assert.equal(page.phase, ASKED);
  page.began();
  assert.equal(page.phase, ASKED);
  page.says(of("B"));
  assert.equal(page.phase, DRAWN);
  page.ended(shows("B"));
  assert.equal(page.phase, STANDS);
});

test("the text that stands there is no other, however its lines end", () => {
  const page = standing("one\r\ntwo");
  page.take("text", "one\ntwo");
  assert.equal(page.phase, STANDS);
  assert.equal(plain("one\rtwo"), "one\ntwo");
});

test("the end of an older run ends nothing", () => {
  const page = standing();
  page.take("text", "B");
  page.began();
  page.says(of("A"));
  page.ended(shows("B"));
  assert.equal(page.phase, ASKED);
});

test("of two texts the first may be drawn, or not: the second is waited for", () => {
  for (const drawn of [["B", "C"], ["C"]]) {
    const page = standing();
    page.take("text", "B");
    page.take("text", "C");
    for (const text of drawn) {
      assert.equal(page.phase, ASKED);
      page.began();
      page.says(of(text));
    }
    assert.equal(page.phase, DRAWN);
    page.ended(shows("C"));
    assert.equal(page.phase, STANDS);
  }
});

test("who takes the old text again, before anything was said of the new one, waits for the old one", () => {
  const page = standing();
  page.take("text", "B");
  page.take("text", "A");
  page.says(of("B"));
  assert.equal(page.phase, ASKED);
  page.says(of("A"));
  page.ended(shows("A"));
  assert.equal(page.phase, STANDS);
  page.take("text", "B");
  page.take("text", "A"); // one run for both: it says nothing new
  page.ended(shows("A"));
  assert.equal(page.phase, STANDS);
});

test("an example is waited for until a run says another text, or one that began after it ends", () => {
  const said = standing();
  said.choose();
  assert.equal(said.phase, ASKED);
  said.ended(shows("A")); // an older one
  assert.equal(said.phase, ASKED);
  said.says(of("A"));
  assert.equal(said.phase, ASKED);
  said.says(of("B"));
  assert.equal(said.phase, DRAWN);

  const same = standing();
  same.choose();
  same.began();
  same.ended(shows("A"));
  assert.equal(same.phase, STANDS);
});

test("a text or a model that the server alone knew of makes another page of it; a second text belongs to what follows it", () => {
  for (const [said, phase] of [[of("B"), DRAWN], [of("A", { model: "toy" }), DRAWN], [of("A", { second: "C" }), STANDS]]) {
    const page = standing();
    page.says(said);
    assert.equal(page.phase, phase);
  }
});

test("a second text that is taken is waited for, and no longer where its field has gone", () => {
  const drawn = standing();
  drawn.take("second", "C");
  drawn.says(of("A", { second: "C" }));
  assert.equal(drawn.phase, DRAWN);

  const left = standing();
  left.take("second", "C");
  left.ended(shows("A"));
  assert.equal(left.phase, STANDS);
});

test("a text in whose place the server put another is not waited for", () => {
  const page = standing();
  page.take("text", "B");
  page.says(of("C"));
  assert.equal(page.phase, ASKED);
  page.ended(shows("C"));
  assert.equal(page.phase, STANDS);
});

test("nothing is waited for any more once it is given up", () => {
  const page = standing();
  page.take("text", "B");
  page.choose();
  page.giveUp();
  assert.equal(page.phase, STANDS);
});

test("Enter takes what stands in one line, Control and Enter what stands in several, and neither while it is composed", () => {
  const enter = { key: "Enter", ctrlKey: false, metaKey: false, isComposing: false };
  assert.equal(takes(enter, "INPUT"), true);
  assert.equal(takes(enter, "TEXTAREA"), false);
  assert.equal(takes({ ...enter, ctrlKey: true }, "TEXTAREA"), true);
  assert.equal(takes({ ...enter, metaKey: true }, "TEXTAREA"), true);
  assert.equal(takes({ ...enter, isComposing: true }, "INPUT"), false);
  assert.equal(takes({ ...enter, key: "a" }, "INPUT"), false);
});
