/** What heads do, in words: glyphs, labels, the pills that are legend and filter at once, and the rule behind them. */

import { element, percentText, spanNodes, svg } from "../lib/spans.js";

const GLYPHS = {
  back: squares([0, 1], [1, 2], [2, 3]),
  ahead: squares([1, 0], [2, 1], [3, 2]),
  itself: squares([0, 0], [1, 1], [2, 2], [3, 3]),
  elsewhere: squares([0, 0], [3, 0], [0, 3], [3, 3]),
  stop: "M9,1h2v10h-2z",
  one: "M6,0h3v12h-3z",
  even: [0, 1.5, 3].flatMap((x) => [0, 1.5, 3].map((y) => `M${x * 3 + 0.5},${y * 3 + 0.5}h2v2h-2z`)).join(""),
};

function squares(...places) {
  return places.map(([x, y]) => `M${x * 3 + 0.4},${y * 3 + 0.4}h2.4v2.4h-2.4z`).join("");
}

/** A role as a map in small; none where brackets or no word say enough. */
export function glyph(key, size = 12) {
  if (!GLYPHS[key]) return [];
  return [svg("svg", { class: "glyph", width: size, height: size, viewBox: "0 0 12 12", "aria-hidden": "true" }, svg("path", { d: GLYPHS[key], fill: "currentColor" }))];
}

/** The role that a head goes by: the usual one, or where none is known the one here; null where neither is. */
export function roleOf(roles, index) {
  if (!roles) return null;
  const at = roles.usual[index] >= 0 ? roles.usual[index] : roles.here[index];
  return at < 0 ? null : at;
}

/** Whether this sentence shows another role than the usual one. */
export function differs(roles, index) {
  return Boolean(roles) && roles.usual[index] >= 0 && roles.here[index] >= 0 && roles.usual[index] !== roles.here[index];
}

/** A head's role in full words: "spread evenly", "usually spread evenly; here mixed". */
export function roleText(roles, index) {
  const role = roleOf(roles, index);
  if (role === null) return "";
  if (differs(roles, index)) return `usually ${roles.rows[role][1]}; here ${roles.rows[roles.here[index]][1]}`;
  return roles.rows[role][1];
}

/** How many heads go by each role, by the number of its row. */
export function roleCounts(roles) {
  const counts = new Map();
  for (let i = 0; i < roles.usual.length; i++) {
    const role = roleOf(roles, i);
    if (role !== null) counts.set(role, (counts.get(role) ?? 0) + 1);
  }
  return counts;
}

/** Whether a head is faded: by the pressed pill, or as one that looks at neighbours only. */
export function faded(roles, index, { role, near }) {
  if (!roles) return false;
  return (role !== null && roleOf(roles, index) !== role) || (near && roles.near.includes(index));
}

/** What stands under a thumbnail. */
export function roleLabel(roles, index) {
  const role = roleOf(roles, index);
  if (role === null) return [];
  const [key, name, short] = roles.rows[role];
  const other = differs(roles, index);
  const text = short || (other ? name : "");
  return text ? [...glyph(key, 10), element("span", {}, text), ...(other ? [element("b", {}, "·")] : [])] : [];
}

/**
 * Pills, switch, and the rule; `filter` is {role, near, rule}, changed in place before `changed` is called. The switch
 * and the button of the rule stand in the `headline`, on a phone behind the pills; what they say is the `legend`.
 */
export function rolesView(parent, headline, filter, changed, legend) {
  const pills = element("div", { class: "roles", role: "group", "aria-label": legend.pills });
  const rule = element("div", { class: "rule", id: "parallax-rule" });
  const tools = element("div", { class: "role-tools" });
  parent.append(pills, rule);
  const clicked = (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { role, switches } = button.dataset;
    if (role !== undefined) filter.role = role === "" || Number(role) === filter.role ? null : Number(role);
    else filter[switches] = !filter[switches];
    changed();
  };
  pills.addEventListener("click", clicked);
  headline.addEventListener("click", clicked);

  return {
    draw(roles, narrow) {
      pills.hidden = tools.hidden = !roles;
      rule.hidden = !roles || !filter.rule;
      if (!roles) return;
      const counts = roleCounts(roles);
      if (filter.role !== null && !counts.has(filter.role)) filter.role = null;
      const pill = (role, on, ...content) => element("button", { type: "button", class: "pill", "data-role": role, "aria-pressed": on }, ...content);
      const count = (number) => element("span", { class: "count" }, String(number));
      const active = pills.getRootNode().activeElement;
      const focus = pills.contains(active) || tools.contains(active) ? active.dataset : null;
      pills.replaceChildren(
        pill("", filter.role === null, legend.all, " ", count(roles.usual.length)),
        ...roles.rows.flatMap(([key, name], at) => (counts.has(at) ? [pill(at, filter.role === at, ...glyph(key), element("span", {}, name), " ", count(counts.get(at)))] : [])),
      );
      tools.replaceChildren(
        element("button", { type: "button", class: "text-button", "data-switches": "rule", "aria-expanded": filter.rule, "aria-controls": "parallax-rule" }, legend.rule),
        element("button", { type: "button", class: "switch", "data-switches": "near", "aria-pressed": filter.near }, element("i"), legend.near),
      );
      if (narrow) pills.append(tools);
      else headline.firstChild.after(tools);
      if (focus) (focus.role === undefined ? tools.querySelector(`[data-switches="${focus.switches}"]`) : pills.querySelector(`[data-role="${focus.role}"]`))?.focus();
      rule.replaceChildren(element("p", {}, legend.order), element("ol", {}, ...roles.rule.slice(0, -1).map((spans) => element("li", {}, ...spanNodes(spans)))), element("p", {}, ...spanNodes(roles.rule.at(-1))));
    },
  };
}

/** "47 %", " · usually 4 %", " · 24 % set aside", as far as they are known. */
export function asides(usual, share) {
  return [usual === null || usual === undefined ? "" : `usually ${percentText(usual)}`, share].filter(Boolean).map((text) => ` · ${text}`).join("");
}
