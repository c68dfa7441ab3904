/** Which columns a phone shows. */

/** "swipe: H4–H11 →" until something was swiped, then "H3–H7 of 12"; nothing when all columns are seen. */
export function swipeText([first, last], heads, swiped) {
  if (last - first + 1 >= heads) return "";
  if (!swiped && last < heads - 1) return `swipe: ${last + 1 === heads - 1 ? "" : `H${last + 1}–`}H${heads - 1} →`;
  return `H${first}–H${last} of ${heads}`;
}
