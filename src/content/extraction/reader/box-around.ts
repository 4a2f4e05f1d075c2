import { type Box } from "./outline.ts";

/**
 * The innermost of some boxes that is a box or holds it. `known` keeps the results for one set of boxes, so that all
 * calls together take linear time.
 */
export function boxAround(box: Box, boxes: ReadonlySet<Box>, known: Map<Box, Box | undefined>): Box | undefined {
  if (boxes.has(box) || box.parent === undefined) return boxes.has(box) ? box : undefined;
  if (!known.has(box)) known.set(box, boxAround(box.parent, boxes, known));
  return known.get(box);
}
