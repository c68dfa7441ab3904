import assert from "node:assert/strict";
import { test } from "node:test";

import { inPlace, placeOf } from "../../../assets/js/page/passed_focus.js";

/** Elements as far as this needs them. */
class Box {
  constructor(name, children = []) {
    Object.assign(this, { name, children, parentElement: null });
    for (const child of children) child.parentElement = this;
  }
  get isConnected() { return this.name === "body" || Boolean(this.parentElement?.isConnected); }
  all() { return this.children.flatMap((child) => [child, ...child.all()]); }
  querySelectorAll() { return this.all().filter(({ name }) => name.startsWith("button")); }
  getClientRects() { return this.name.endsWith("hidden") ? [] : [1]; }
  compareDocumentPosition(other) {
    let root = this;
    while (root.parentElement) root = root.parentElement;
    const order = root.all();
    return order.indexOf(other) > order.indexOf(this) ? 4 : 2;
  }
  remove() {
    this.parentElement.children.splice(this.parentElement.children.indexOf(this), 1);
    this.parentElement = null;
  }
}

const built = () => {
  const parts = { gone: new Box("button gone"), before: new Box("button before"), text: new Box("text"), hidden: new Box("button hidden"), after: new Box("button after") };
  parts.row = new Box("row", [parts.gone]);
  parts.body = new Box("body", [parts.before, parts.row, new Box("column", [parts.text, parts.hidden, parts.after])]);
  return parts;
};

test("the next that can be seen gets the focus when a pressed button goes", () => {
  const { gone, after } = built();
  const place = placeOf(gone);
  gone.remove();
  assert.equal(inPlace(place), after);
});

test("so it does when what held the button goes with it", () => {
  const { gone, row, after } = built();
  const place = placeOf(gone);
  row.remove();
  assert.equal(inPlace(place), after);
});

test("nothing before the place gets it", () => {
  const { gone, after } = built();
  const place = placeOf(gone);
  gone.remove();
  after.remove();
  assert.equal(inPlace(place), null);
});
