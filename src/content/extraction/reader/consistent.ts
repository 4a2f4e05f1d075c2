import { type Box, FLAGS, type Outline, type Template } from "./outline.ts";
import { MIN_ALIKE } from "./page-parts.ts";

/** Minimum number of blocks of a template that is completed, and maximum number of words of such a block. */
const MIN_BLOCKS = 4;
const MAX_WORDS = 12;
const MIN_SHARE_CHOSEN = 0.5;
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

/** Whether the nearest member of a group around a box has chosen words. */
function isInMember(own: Box, kept: ReadonlySet<Box>): boolean {
  let box: Box | undefined = own;
  while (box !== undefined && box.alike < MIN_ALIKE) box = box.parent;
  return box !== undefined && kept.has(box);
}
