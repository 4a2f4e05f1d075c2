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

/** Finds the innermost of `boxes` that is a box itself or contains it. All calls together take linear time. */
export function innermostOf(boxes: ReadonlySet<Box>): (box: Box) => Box | undefined {
  const known = new Map<Box, Box | undefined>([...boxes].map((box) => [box, box]));
  const find = (box: Box): Box | undefined =>
    known.getOrInsertComputed(box, () => (box.parent === undefined ? undefined : find(box.parent)));
  return find;
}
