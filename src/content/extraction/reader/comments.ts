import { type Box, FLAGS, type Outline } from "./outline.ts";

/** Names of lists of comments, as programs for them and themes call them. */
const COMMENTS =
  /(?:^|[\s_-])(?:comments?|comment-?(?:list|area|section|thread|wrap(?:per)?|container)|commentlist|disqus_thread|respond|reader-?comments)(?:$|[\s_-])/i;

/** Adds the comments below an article to what is chosen, without their forms and buttons. */
export function addComments({ blocks }: Outline, chosen: Uint8Array): void {
  const known = new Map<Box, boolean>();
  const isComment = (box: Box): boolean => {
    const found = known.get(box);
    if (found !== undefined) return found;
    const { class: names = "", id = "" } = box.element?.attribs ?? {};
    const is =
      box.element?.name !== "body" &&
      (COMMENTS.test(`${names} ${id}`.slice(0, MAX_NAMES_LENGTH)) ||
        (box.parent !== undefined && isComment(box.parent)));
    known.set(box, is);
    return is;
  };
  for (const [at, { box }] of blocks.entries()) {
    if ((box.flags & (FLAGS.form | FLAGS.button | FLAGS.hidden)) === 0 && isComment(box)) chosen[at] = 1;
  }
}

/** Classes and ids beyond this are not looked at; in characters. */
const MAX_NAMES_LENGTH = 400;
