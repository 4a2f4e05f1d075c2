import { type Box } from "./outline.ts";

/** Whether one of the next boxes around a text is one of those around another text: for each, the number of levels. */
export function shareBox([one, levels]: readonly [Box, number], [other, otherLevels]: readonly [Box, number]): boolean {
  const around = new Set(boxesAround(one, levels));
  return boxesAround(other, otherLevels).some((box) => around.has(box));
}

function boxesAround(own: Box, levels: number): Box[] {
  const boxes: Box[] = [];
  for (let box: Box | undefined = own; box !== undefined && boxes.length < levels; box = box.parent) boxes.push(box);
  return boxes;
}

/**
 * The innermost of `boxes` that is `box` itself or contains it. `known` keeps the results for one set of boxes, so that all
 * calls together take linear time.
 */
export function boxAround(box: Box, boxes: ReadonlySet<Box>, known: Map<Box, Box | undefined>): Box | undefined {
  if (boxes.has(box) || box.parent === undefined) return boxes.has(box) ? box : undefined;
  if (!known.has(box)) known.set(box, boxAround(box.parent, boxes, known));
  return known.get(box);
}
