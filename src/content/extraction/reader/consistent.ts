import { type Box, FLAGS, type Outline, type Template } from "./outline.ts";
import { MIN_ALIKE } from "./page-parts.ts";

/** Minimum number of blocks of a template that is completed, and maximum number of words of such a block. */
const MIN_BLOCKS = 4;
const MAX_WORDS = 12;
const MIN_SHARE_CHOSEN = 0.5;
/**
 * The other short texts of a template are added if their average score is at least this share of the lowest score that
 * is chosen.
 */
const MIN_SHARE_OF_THRESHOLD = 0.6;
/** If fewer of the short texts are chosen, and their average score is lower, they are dropped. */
const MAX_SHARE_DROPPED = 0.2;
const AROUND = FLAGS.button | FLAGS.form | FLAGS.hidden | FLAGS.nav | FLAGS.footer;

/**
 * Completes the short texts of one template, such as the names or the prices of a list. If most of them are chosen, the
 * others are added. Members of the list without chosen words stay as they are.
 */
export function fillTemplates({ blocks }: Outline, chosen: Uint8Array): void {
  const kept = new Set<Box>();
  for (const [at, { box }] of blocks.entries()) {
    if (chosen[at] !== 1) continue;
    for (let around: Box | undefined = box; around !== undefined && !kept.has(around); around = around.parent)
      kept.add(around);
  }
  const byTemplate = new Map<Template, number[]>();
  for (const [at, { box, count, template }] of blocks.entries()) {
    if (template === undefined || template.count < MIN_BLOCKS || count.words > MAX_WORDS) continue;
    if ((box.flags & AROUND) !== 0 || !isInMember(box, kept)) continue;
    const same = byTemplate.get(template);
    if (same === undefined) byTemplate.set(template, [at]);
    else same.push(at);
  }
  for (const same of byTemplate.values()) {
    const share = same.filter((at) => chosen[at] === 1).length / same.length;
    if (same.length >= MIN_BLOCKS && share >= MIN_SHARE_CHOSEN) for (const at of same) chosen[at] = 1;
  }
}

/** The scores of blocks, and the lowest one that is chosen. */
export interface Ranking {
  readonly scores: Float32Array;
  readonly threshold: number;
}

/**
 * Adds or drops all short texts of one template if some of them are chosen, such as one name of a list of products. The
 * average score decides, because scores of blocks that look the same differ by chance.
 */
export function evenTemplates({ blocks }: Outline, chosen: Uint8Array, { scores, threshold }: Ranking): void {
  const byTemplate = new Map<Template, number[]>();
  for (const [at, { box, count, template }] of blocks.entries()) {
    if (template === undefined || template.count < MIN_BLOCKS || count.words > MAX_WORDS) continue;
    if ((box.flags & AROUND) !== 0) continue;
    const same = byTemplate.get(template);
    if (same === undefined) byTemplate.set(template, [at]);
    else same.push(at);
  }
  for (const same of byTemplate.values()) {
    const share = same.filter((at) => chosen[at] === 1).length / same.length;
    if (same.length < MIN_BLOCKS || share === 0 || share === 1) continue;
    let words = 0;
    let expected = 0;
    for (const at of same) {
      const own = blocks[at]?.count.words ?? 0;
      words += own;
      expected += own * (scores[at] ?? 0);
    }
    const isContent = expected >= words * threshold * MIN_SHARE_OF_THRESHOLD;
    if (isContent || share <= MAX_SHARE_DROPPED) for (const at of same) chosen[at] = isContent ? 1 : 0;
  }
}

/** Whether the nearest member of a group around a box has chosen words. */
function isInMember(own: Box, kept: ReadonlySet<Box>): boolean {
  let box: Box | undefined = own;
  while (box !== undefined && box.alike < MIN_ALIKE) box = box.parent;
  return box !== undefined && kept.has(box);
}
