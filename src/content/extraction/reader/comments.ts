import { type Box, FLAGS, type Outline } from "./outline.ts";

/** Names of comment lists in comment systems and themes. */
const COMMENTS =
  /(?:^|[\s_-])(?:comments?|comment-?(?:list|area|section|thread|wrap(?:per)?|container)|commentlist|disqus_thread|respond|reader-?comments)(?:$|[\s_-])/i;

/** Adds the comments below an article to the chosen blocks, without their forms and buttons. */
export function addComments({ blocks }: Outline, chosen: Uint8Array): void {
  const known = new Map<Box, boolean>();
  const isComment = (box: Box): boolean => {
    return known.getOrInsertComputed(box, () => {
      const { class: names = "", id = "" } = box.element?.attribs ?? {};
      return (
        box.element?.name !== "body" &&
        (COMMENTS.test(`${names} ${id}`.slice(0, MAX_NAMES_LENGTH)) ||
          (box.parent !== undefined && isComment(box.parent)))
      );
    });
  };
  for (const [at, { box }] of blocks.entries()) {
    if ((box.flags & (FLAGS.form | FLAGS.button | FLAGS.hidden)) === 0 && isComment(box)) chosen[at] = 1;
  }
}

/** Maximum number of characters of classes and ids that are read. The rest is ignored. */
const MAX_NAMES_LENGTH = 400;
