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
  return [
    svg(
      "svg.glyph",
      { width: size, height: size, viewBox: "0 0 12 12", "aria-hidden": "true" },
      svg("path", { d: GLYPHS[key], fill: "currentColor" }),
    ),
  ];
}

/** The role that a head goes by: the usual one, or where none is known the one here; null where neither is. */
export function roleOf(roles, index) {
  if (!roles) return null;
  const at = roles.usual[index] >= 0 ? roles.usual[index] : roles.here[index];
  return at < 0 ? null : at;
}

/** A head's role in full words: "spread evenly". */
export function roleText(roles, index) {
  const role = roleOf(roles, index);
  return role === null ? "" : roles.rows[role][1];
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
  const [key, , short] = roles.rows[role];
  return short ? [...glyph(key, 10), element("span", short)] : [];
}

/**
 * The patterns behind one control, which is legend and filter at once, and the rule that names them behind another;
 * `filter` is {role, near}, changed in place before `changed` is called. What they say is the `legend`.
 */
export function rolesView(place, below, filter, changed, legend) {
  const summary = element("summary");
  const list = element("div.patterns-list", { role: "group", "aria-label": legend.pills });
  const menu = element("details.patterns", summary, list);
  const rule = element("details.rule");
  place.append(menu);
  below.append(rule);
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { role, switches } = button.dataset;
    if (role !== undefined) filter.role = role === "" || Number(role) === filter.role ? null : Number(role);
    else filter[switches] = !filter[switches];
    menu.open = false;
    summary.focus();
    changed();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    summary.focus();
    event.stopPropagation();
  });
  menu.addEventListener("focusout", (event) => {
    const next = /** @type {FocusEvent} */ (event).relatedTarget;
    if (menu.open && next instanceof Node && !menu.contains(next)) menu.open = false;
  });

  return {
    draw(roles) {
      menu.hidden = rule.hidden = !roles;
      if (!roles) return;
      const counts = roleCounts(roles);
      if (filter.role !== null && !counts.has(filter.role)) filter.role = null;
      const line = (role, on, mark, text, count) =>
        element(
          "button",
          { "data-role": role, "aria-pressed": on },
          element("span.mark", ...mark),
          element("span", text),
          element("span.count", String(count)),
        );
      const chosen = filter.role === null ? legend.all : roles.rows[filter.role][1];
      summary.replaceChildren(filter.near ? `${chosen} · ${legend.near}` : chosen);
      list.replaceChildren(
        line("", filter.role === null, [], legend.all, roles.usual.length),
        ...roles.rows.flatMap(([key, name], at) =>
          counts.has(at) ? [line(at, filter.role === at, glyph(key), name, counts.get(at))] : [],
        ),
        element("button.switch", { "data-switches": "near", "aria-pressed": filter.near }, element("i"), legend.near),
      );
      rule.replaceChildren(
        element("summary", legend.rule),
        element("p", legend.order),
        element("ol", ...roles.rule.slice(0, -2).map((spans) => element("li", ...spanNodes(spans)))),
        ...roles.rule.slice(-2).map((spans) => element("p", ...spanNodes(spans))),
      );
    },
    /** Closes the list, as a click elsewhere does. */
    leave(target) {
      if (menu.open && !menu.contains(target)) menu.open = false;
    },
  };
}

/** "47 %", " · usually 4 %", " · 24 % set aside", as far as they are known. */
export function asides(usual, share) {
  return [usual === null || usual === undefined ? "" : `usually ${percentText(usual)}`, share]
    .filter(Boolean)
    .map((text) => ` · ${text}`)
    .join("");
}
