/** Colours: the ramp for weights, the ink that stays readable on it, and which theme we are in. */

const VARIABLES =
  "muted border control_border accent on_accent accent_wash aside hatch surface text background changed".split(" ");
const READS = 4.5; // the contrast that WCAG 2 asks of text

/** @param {string} text "#rgb", "#rrggbb" or "rgb(r, g, b)" @returns {number[] | null} */
export function parseColour(text) {
  const value = String(text).trim();
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(value);
  if (short) return short.slice(1).map((digit) => parseInt(digit + digit, 16));
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(value);
  if (long) return long.slice(1).map((digits) => parseInt(digits, 16));
  const rgb = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)/.exec(value);
  return rgb ? rgb.slice(1).map(Number) : null;
}

/** The colour at x in [0, 1] of evenly spaced steps, linear between two of them. */
export function rampAt(ramp, x) {
  const place = Math.max(0, Math.min(1, x)) * (ramp.length - 1);
  const step = Math.min(Math.floor(place), ramp.length - 2);
  const part = place - step;
  return ramp[step].map((value, i) => Math.round(value + (ramp[step + 1][i] - value) * part));
}

export function css(colour) {
  return `rgb(${colour.join(",")})`;
}

/** Relative luminance as WCAG 2 defines it. */
export function luminance(colour) {
  const [r, g, b] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

/** Whether a text of an ink is read on a colour. */
export const reads = (ink, colour) => contrast(parseColour(ink), colour) >= READS;

/** Which of two inks reads better on a colour; where neither does well, black or white, of which one always does. */
export function inkOn(colour, dark, light) {
  const better = (one, other) =>
    contrast(parseColour(one), colour) >= contrast(parseColour(other), colour) ? one : other;
  const ink = better(dark, light);
  return reads(ink, colour) ? ink : better("rgb(0, 0, 0)", "rgb(255, 255, 255)");
}

/** "light" or "dark": the theme whose background is nearer to the page's. */
export function themeOf(background, tokens) {
  const page = parseColour(background) ?? [255, 255, 255];
  const distance = (name) =>
    parseColour(tokens[name].background).reduce((sum, value, i) => sum + Math.abs(value - page[i]), 0);
  return distance("light") <= distance("dark") ? "light" : "dark";
}

/**
 * What to draw with: the tokens of the theme, and the ramp as numbers. Streamlit's own ramp wins, so that a host that
 * changes its theme changes the pictures too.
 */
export function palette(style, tokens) {
  const theme = tokens[themeOf(style.getPropertyValue("--st-background-color"), tokens)];
  const given = style
    .getPropertyValue("--st-chart-sequential-colors")
    .split(/,(?![^(]*\))/)
    .map(parseColour);
  const fits = given.length >= 2 && given.every(Boolean) && themeFits(given[0], theme);
  return { ...theme, ramp: fits ? given : theme.sequential.map(parseColour) };
}

/** The palette of the place where a root stands, and its colours as CSS variables on the root: `--muted`, `--a-text`. */
export function dress(root, tokens) {
  const colours = palette(getComputedStyle(root), tokens);
  for (const name of VARIABLES) root.style.setProperty(`--${name.replaceAll("_", "-")}`, colours[name]);
  for (const side of ["a", "b"])
    for (const [part, colour] of Object.entries(colours[side])) root.style.setProperty(`--${side}-${part}`, colour);
  return { ...colours, lean: colours.diverging.map(parseColour), carried: colours.carried.map(parseColour) };
}

/** A ramp whose first step is far from the page would draw nothing as something. */
function themeFits(first, theme) {
  return contrast(first, parseColour(theme.background)) < 1.2;
}
