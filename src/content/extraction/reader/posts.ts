import { type ParentNode, isTag } from "domhandler";
import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";

/** Words in classes and ids of posts. Plural names, such as `messages`, are lists of posts. */
const POST =
  /(?:^|[^a-z])(?:post|comment|message|reply|answer|topic-?post|forum-?post|postcontainer|postbody|thread-?item)(?:$|[^a-z])/i;
/** Names of elements with the author and the date of a post. */
const AUTHOR = /(?:^|[^a-z])(?:author|user-?name|user|nick(?:name)?|poster|posted-?by|byline|creator)(?:$|[^a-z])/i;
const DATE = /(?:^|[^a-z])(?:date|time|datetime|dateline|posted|published|timestamp|age|when)(?:$|[^a-z])/i;
/** Elements that forums put around each post: rank and statistics of its author, votes, buttons. */
const AROUND_A_POST =
  /(?:^|[\s_-])(?:rank|user-?title|signature|joined|reputation(?:-score)?|flair|badges?|action-?bar|(?:post|message)-?(?:buttons|menu|actions|controls|tools|footer)|profile-(?:rank|posts|joined)|vot(?:es?|ing|ecell)(?:-(?:count|container|cell))?|subtext|navs|linkback-list)(?:$|[\s_-])/i;
/** Links with these addresses lead to the profile of a user. */
const PROFILE = /\/(?:users?|members?|profiles?|u)\//i;
const AVATAR = /avatar/i;
/** Words of a rank or a number of votes. A longer text is other content. */
const MAX_WORDS_AROUND = 15;
/** Words of a name or a date. A longer text is neither. */
const MAX_WORDS = 8;
/** Minimum number of similar siblings in a thread. */
const MIN_POSTS = 2;
const MIN_SHARE_CHOSEN = 0.4;
/** Characters of names that are read. The rest is ignored. */
const MAX_NAMES_LENGTH = 400;

/** Adds the first name and the first date to each chosen post of a thread, and removes ranks, votes and signatures. */
export function addPostDetails({ blocks }: Outline, chosen: Uint8Array): void {
  const posts = new Map<Box, number[]>();
  const known = new Map<Box, Box | undefined>();
  for (const [at, { box }] of blocks.entries()) {
    const post = postOf(box, known);
    if (post === undefined) continue;
    const group = posts.get(post);
    if (group === undefined) posts.set(post, [at]);
    else group.push(at);
  }
  for (const [post, group] of posts) {
    const words = group.reduce((sum, at) => sum + (chosen[at] === 1 ? (blocks[at]?.count.words ?? 0) : 0), 0);
    if (words < post.words * MIN_SHARE_CHOSEN) continue;
    for (const at of group) if (isAroundPost(blocks[at]?.box, post)) chosen[at] = 0;
    const author = group.find((at) => isProfileLink(blocks[at]));
    if (author !== undefined) chosen[author] = 1;
    for (const names of author === undefined ? [AUTHOR, DATE] : [DATE]) {
      const detail = group.find((at) => isDetail(blocks[at], post, names));
      if (detail !== undefined) chosen[detail] = 1;
    }
  }
}

/** The outermost ancestor box that is one of several posts. */
function postOf(box: Box, known: Map<Box, Box | undefined>): Box | undefined {
  if (known.has(box)) return known.get(box);
  const outer = box.parent === undefined ? undefined : postOf(box.parent, known);
  const found = outer ?? (isPost(box) ? box : undefined);
  known.set(box, found);
  return found;
}

/** The first post of a thread is often separate from the replies. */
function isPost(box: Box): boolean {
  return (box.alike >= MIN_POSTS || box.element?.name === "article") && POST.test(namesOf(box));
}

function isAroundPost(own: Box | undefined, post: Box): boolean {
  for (let box = own; box !== undefined && box !== post && box.words <= MAX_WORDS_AROUND; box = box.parent) {
    if (AROUND_A_POST.test((box.element?.attribs["class"] ?? "").slice(0, MAX_NAMES_LENGTH))) return true;
  }
  return false;
}

/** Whether a block is only a link to a user's profile. */
function isProfileLink(block: Block | undefined): boolean {
  if (block === undefined || block.count.words === 0 || block.count.words > MAX_WORDS) return false;
  if (block.count.linkWords < block.count.words || AVATAR.test(namesOf(block.box))) return false;
  if ((block.box.flags & (FLAGS.button | FLAGS.form | FLAGS.hidden | FLAGS.quote)) !== 0) return false;
  let node: ParentNode | null = block.texts[0]?.parent ?? null;
  while (node !== null && isTag(node) && node.name !== "a" && node !== block.box.element) node = node.parent;
  return (
    node !== null &&
    isTag(node) &&
    node.name === "a" &&
    PROFILE.test((node.attribs["href"] ?? "").slice(0, MAX_NAMES_LENGTH))
  );
}

function isDetail(block: Block | undefined, post: Box, names: RegExp): boolean {
  if (block === undefined || block.count.words > MAX_WORDS) return false;
  if ((block.box.flags & (FLAGS.button | FLAGS.form | FLAGS.hidden)) !== 0) return false;
  const [text] = block.texts;
  // The block may be a line of a post that contains the name as a link.
  const inline =
    text?.parent !== null && text?.parent !== undefined && "attribs" in text.parent ? text.parent : undefined;
  if (inline !== undefined && names.test(`${inline.attribs["class"] ?? ""} ${inline.name}`.slice(0, MAX_NAMES_LENGTH)))
    return true;
  for (let box: Box | undefined = block.box; box !== undefined && box !== post; box = box.parent) {
    if (names.test(namesOf(box))) return true;
  }
  return false;
}

function namesOf({ element }: Box): string {
  if (element === undefined) return "";
  const { class: names = "", id = "", itemprop = "" } = element.attribs;
  return `${names} ${id} ${itemprop} ${element.name === "time" ? "time" : ""}`.slice(0, MAX_NAMES_LENGTH);
}
