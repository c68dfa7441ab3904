/** Where the card stands: below the thing, else above it, else in the corner; always on the screen. Pure. */

export const PADDING = 8; // px between a thing and its ring
const GAP = 12; // px between ring and card
const EDGE = 16; // px that the card keeps from the edges
const BAR = 60; // px of the page's bar

/**
 * @param {{left: number, top: number, bottom: number, width: number} | null} box of the thing @param {{width: number, height: number}} card
 * @param {{width: number, height: number}} screen @returns {{left: number, top: number}}
 */
export function besides(box, card, screen) {
  const lowest = screen.height - card.height - EDGE;
  const clamp = (value, low, high) => Math.max(low, Math.min(value, Math.max(low, high)));
  if (box === null)
    return { left: clamp((screen.width - card.width) / 2, EDGE, screen.width), top: clamp(lowest, EDGE, lowest) };
  const left = clamp(box.left + box.width / 2 - card.width / 2, EDGE, screen.width - card.width - EDGE);
  const below = box.bottom + PADDING + GAP;
  const above = box.top - PADDING - GAP - card.height;
  if (below <= lowest) return { left, top: Math.max(below, EDGE) };
  if (above >= BAR && above <= lowest) return { left, top: above };
  return { left: clamp(screen.width - card.width - EDGE, EDGE, screen.width), top: clamp(lowest, EDGE, lowest) };
}
