import { type Box, type Outline } from "./outline.ts";

/** Maximum number of characters of class names that are read. */
const MAX_NAMES_LENGTH = 400;
/** Classes of elements that only narrow screens show. */
const NARROW =
  /(?:^|[\s_-])(?:mobile|mob|phone|smartphone|(?:sm|xs)-only|only-(?:sm|xs)|visible-(?:xs|sm)|show-for-small(?:-only)?|hide-(?:on-|for-)?(?:desktop|medium|large)|hidden-(?:md|lg|desktop)|(?:md|lg|xl):hidden|d-(?:md|lg|xl)-none)(?:[\s_-]|$)/i;
/** The minimum share of a part's words that the page has elsewhere if the part is a copy. */
const MIN_SHARE_COPIED = 0.8;

/** Drops the parts that only narrow screens show, if the page has their texts elsewhere too. */
export function dropNarrowCopies({ blocks }: Outline, chosen: Uint8Array): void {
  const known = new Map<Box, Box | undefined>();
  const parts = new Map<Box, number[]>();
  const elsewhere = new Map<number, number>();
  for (const [at, { box, count }] of blocks.entries()) {
    if (chosen[at] !== 1) continue;
    const part = narrowPart(box, known);
    if (part === undefined) elsewhere.set(count.hash, count.words);
    else {
      const own = parts.get(part);
      if (own === undefined) parts.set(part, [at]);
      else own.push(at);
    }
  }
  for (const own of parts.values()) {
    let words = 0;
    let copied = 0;
    for (const at of own) {
      const count = blocks[at]?.count;
      if (count === undefined) continue;
      words += count.words;
      if (elsewhere.get(count.hash) === count.words) copied += count.words;
    }
    if (copied > 0 && copied >= words * MIN_SHARE_COPIED) for (const at of own) chosen[at] = 0;
  }
}

/** The outermost box for narrow screens around a box. */
function narrowPart(box: Box, known: Map<Box, Box | undefined>): Box | undefined {
  if (known.has(box)) return known.get(box);
  let part = box.parent === undefined ? undefined : narrowPart(box.parent, known);
  // Some pages have such a class on the body, since they were sent to a narrow screen.
  if (part === undefined && box.parent !== undefined) {
    const names = (box.element?.attribs["class"] ?? "").slice(0, MAX_NAMES_LENGTH);
    if (NARROW.test(names)) part = box;
  }
  known.set(box, part);
  return part;
}
