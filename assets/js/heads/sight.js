/** Which columns a phone shows. */

/** "swipe: H4–H11 →" until something was swiped, then "H3–H7 of 12"; nothing when all columns are seen. */
export function swipeText([first, last], columns, swiped, letter = "H") {
  if (last - first + 1 >= columns) return "";
  const end = `${letter}${columns - 1} →`;
  if (!swiped && last < columns - 1) return `swipe: ${last + 1 === columns - 1 ? "" : `${letter}${last + 1}–`}${end}`;
  return `${letter}${first}–${letter}${last} of ${columns}`;
}
