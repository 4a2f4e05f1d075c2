import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";

/** Whole words of classes and ids of what people write below one another. */
const POST =
  /(?:^|[^a-z])(?:post|comment|message|reply|answer|topic-?post|forum-?post|postcontainer|postbody|thread-?item)(?:s)?(?:$|[^a-z])/i;
/** What names who wrote a post, and when. */
const AUTHOR = /(?:^|[^a-z])(?:author|user-?name|user|nick(?:name)?|poster|posted-?by|byline|creator)(?:$|[^a-z])/i;
const DATE = /(?:^|[^a-z])(?:date|time|datetime|dateline|posted|published|timestamp|age|when)(?:$|[^a-z])/i;
/** What forums put around each post: numbers and titles of its author, votes, buttons. */
const AROUND_A_POST =
  /(?:^|[\s_-])(?:rank|user-?title|signature|joined|reputation(?:-score)?|flair|badges?|action-?bar|(?:post|message)-?(?:buttons|menu|actions|controls|tools|footer)|profile-(?:rank|posts|joined)|vot(?:es?|ing|ecell)(?:-(?:count|container|cell))?|subtext|navs|linkback-list)(?:$|[\s_-])/i;
/** What is longer is no rank and no count of votes. */
const MAX_WORDS_AROUND = 15;
/** A longer text is no name and no date; in words. */
const MAX_WORDS = 8;
/** What has fewer siblings like it is no thread. */
const MIN_POSTS = 2;
const MIN_SHARE_CHOSEN = 0.4;
/** Names beyond this are not looked at; in characters. */
const MAX_NAMES_LENGTH = 400;

/** Gives each chosen post of a thread the first name and the first date in it, and takes out ranks, votes and signatures. */
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
    for (const names of [AUTHOR, DATE]) {
      const detail = group.find((at) => isDetail(blocks[at], post, names));
      if (detail !== undefined) chosen[detail] = 1;
    }
  }
}

/** The outermost box around that is one of several posts. */
function postOf(box: Box, known: Map<Box, Box | undefined>): Box | undefined {
  if (known.has(box)) return known.get(box);
  const outer = box.parent === undefined ? undefined : postOf(box.parent, known);
  const found = outer ?? (box.alike >= MIN_POSTS && POST.test(namesOf(box)) ? box : undefined);
  known.set(box, found);
  return found;
}

function isAroundPost(own: Box | undefined, post: Box): boolean {
  for (let box = own; box !== undefined && box !== post && box.words <= MAX_WORDS_AROUND; box = box.parent) {
    if (AROUND_A_POST.test((box.element?.attribs["class"] ?? "").slice(0, MAX_NAMES_LENGTH))) return true;
  }
  return false;
}

function isDetail(block: Block | undefined, post: Box, names: RegExp): boolean {
  if (block === undefined || block.count.words > MAX_WORDS) return false;
  if ((block.box.flags & (FLAGS.button | FLAGS.form | FLAGS.hidden)) !== 0) return false;
  const [text] = block.texts;
  // The block may be a line of a post, of which a link is the name.
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
