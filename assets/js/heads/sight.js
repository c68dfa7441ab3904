/** What is in view: whether the sentence has left while all heads are still there, and which columns a phone shows. */

const BAR = 60; // px of the page's own bar, which stays at the top

/**
 * Calls back whenever the small sentence is to come or go: when the large one stands above the view and some of the
 * heads are in it.
 * @param {Element} sentence @param {Element} heads @param {(away: boolean) => void} changed @param {AbortSignal} signal
 */
export function sight(sentence, heads, changed, signal) {
  const seen = new Map();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) seen.set(entry.target, entry);
      changed(isAway(seen.get(sentence), seen.get(heads)));
    },
    { rootMargin: `-${BAR}px 0px 0px` },
  );
  watch.observe(sentence);
  watch.observe(heads);
  signal.addEventListener("abort", () => watch.disconnect());
}

/** Whether the sentence has gone out at the top while heads are in view. */
export function isAway(sentence, heads) {
  if (!sentence || !heads) return false;
  return !sentence.isIntersecting && heads.isIntersecting && sentence.boundingClientRect.top < BAR;
}

/** "swipe: H4–H11 →" until something was swiped, then "H3–H7 of 12"; nothing when all columns are seen. */
export function swipeText([first, last], heads, swiped) {
  if (last - first + 1 >= heads) return "";
  if (!swiped && last < heads - 1) return `swipe: ${last + 1 === heads - 1 ? "" : `H${last + 1}–`}H${heads - 1} →`;
  return `H${first}–H${last} of ${heads}`;
}
