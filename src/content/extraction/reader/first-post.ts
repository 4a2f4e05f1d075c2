import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";

/** Minimum number of chosen replies. With fewer, no first post is added. */
const MIN_REPLIES = 2;
/** Words of a first post. A shorter text is a label. */
const MIN_WORDS = 8;
const AROUND = FLAGS.nav | FLAGS.aside | FLAGS.form | FLAGS.button | FLAGS.quote | FLAGS.hidden | FLAGS.item;
/** The text of a post. */
const BODY = /(?:^|[\s_-])(?:post|message|topic)[-_]?(?:body|content|text)/i;
/** Maximum number of levels from a block to the element with that class, and of characters of a class. */
const LEVELS = 3;
const MAX_CLASS_LENGTH = 200;

/** The posts of one class: the blocks of the first one, and the later ones with chosen words. */
interface Posts {
  readonly first: Box;
  readonly blocks: number[];
  readonly replies: Set<Box>;
}

/**
 * Adds the first post of a thread, if replies with the same class are chosen. A page may have a copy of the first post
 * before the title, for other programs. The copy is dropped.
 */
export function addFirstPost({ blocks }: Outline, chosen: Uint8Array): void {
  const title = blocks.findIndex(({ heading, box }) => heading === 1 && (box.flags & FLAGS.hidden) === 0);
  if (title === -1) return;
  for (const { first, blocks: own, replies } of postsAfter(blocks, title, chosen)) {
    if (replies.size < MIN_REPLIES || first.words < MIN_WORDS) continue;
    const hashes = new Set<number>();
    for (const at of own) {
      chosen[at] = 1;
      hashes.add(blocks[at]?.count.hash ?? 0);
    }
    for (const [at, { count }] of blocks.slice(0, title).entries()) {
      if (count.words >= MIN_WORDS && hashes.has(count.hash)) chosen[at] = 0;
    }
    return;
  }
}

function postsAfter(blocks: readonly Block[], title: number, chosen: Uint8Array): Iterable<Posts> {
  const byClass = new Map<string, Posts>();
  for (let at = title + 1; at < blocks.length; at += 1) {
    const block = blocks[at];
    const body = block === undefined ? undefined : bodyAround(block);
    if (body === undefined) continue;
    const name = body.element?.attribs["class"] ?? "";
    let posts = byClass.get(name);
    if (posts === undefined) {
      posts = { first: body, blocks: [], replies: new Set() };
      byClass.set(name, posts);
    }
    if (body === posts.first) posts.blocks.push(at);
    else if (chosen[at] === 1) posts.replies.add(body);
  }
  return byClass.values();
}

function bodyAround({ box: own }: Block): Box | undefined {
  if ((own.flags & AROUND) !== 0) return undefined;
  let box: Box | undefined = own;
  for (let level = 0; level < LEVELS && box !== undefined; level += 1, box = box.parent) {
    if (BODY.test((box.element?.attribs["class"] ?? "").slice(0, MAX_CLASS_LENGTH))) return box;
  }
  return undefined;
}
