import { type Block, type Box, FLAGS, type Outline } from "./outline.ts";
import { dashed } from "./lexicon.ts";
import { innermostOf } from "./box-around.ts";

/** The words of POST and FIRST_POST. A name without any of them is not the name of a post. Most names fail this cheaper test. */
const MAY_BE_POST = /post|comment|message|reply|answer|thread-?item|question|topic-?starter/i;
/** Words in classes and ids of posts. Plural names, such as `messages`, are lists of posts. */
const POST =
  /(?:^|[^a-z])(?:(?:first-|original-)?t?post|comment|message|reply|answer|topic-?post|forum-?post|postcontainer|postbody|post-?item|postbit|post[-_]?wrapper|thread-?item)(?:$|[^a-z])/i;
/** Words in classes of the first post of a thread, which often has no similar sibling. */
const FIRST_POST = /(?:^|\s)(?:question|original-?post|first-?post|topic-?starter|op-?post)(?:\s|$)/i;
/** Names of elements with the author and the date of a post. */
const AUTHOR = /(?:^|[^a-z])(?:author|user-?name|user|nick(?:name)?|poster|posted-?by|byline|creator)(?:$|[^a-z])/i;
const DATE =
  /(?:^|[^a-z])(?:date|time|datetime|dateline|post-?(?:date|time)|posted|published|timestamp|age|when)(?:$|[^a-z])/i;
/** Elements that forums put around each post: rank and statistics of its author, votes, buttons. */
const AROUND_A_POST =
  /(?:^|[\s_-])(?:rank|user-?title|(?:author|user|poster)[_-]?(?:statistics|stats)|avatar|buddy[_-]?status|joined|reputation(?:-score)?|flair|badges?|action-?bar|(?:post|message)-?(?:buttons|menu|actions|controls|tools|footer)|profile-(?:rank|posts|joined)|vot(?:es?|ing|ecell)(?:-(?:count|container|cell))?|subtext|navs|linkback-list)(?:$|[\s_-])/i;
/**
 * The text that an author puts below each post. Of Stack Exchange, an element with the class "post-signature" has the
 * author and the date of a post.
 */
const SIGNATURE = /(?<!post)(?:^|[\s_-])(?:(?:member)?signature|sig)(?:$|[\s_-])/i;
/** The list with the name of a post's author, in `dt`, and other details. */
const PROFILE = /(?:^|[\s_-])post-?profile(?:$|[\s_-])/i;
/** Maximum number of words of a signature. A longer text is content. */
const MAX_WORDS_OF_A_SIGNATURE = 200;
/** Classes that name a state, such as "no-avatar". */
const STATES = /(?:^|\s)(?:has|no|is|not|with|without|show|hide)-[\w-]+/gi;
/** The line before the name of the last editor, who is often not the author. */
const EDITED = /^\s*(?:last )?(?:edited|modified|updated|bearbeitet|modifié|editado|изменено|編集)(?![\p{L}])/iu;
/** Maximum number of words of a rank or a number of votes. A longer text is other content. */
const MAX_WORDS_AROUND = 15;
/** Maximum number of words of a name or a date. A longer text is neither. */
const MAX_WORDS = 8;
const LEVELS_TO_POST = 3;
const LEVELS_TO_SIGNATURE = 16;
/** Parts of a post that are not its text. */
const BESIDE_TEXT =
  FLAGS.header | FLAGS.footer | FLAGS.aside | FLAGS.nav | FLAGS.quote | FLAGS.button | FLAGS.form | FLAGS.hidden;
/** Minimum number of similar siblings in a thread. */
const MIN_POSTS = 2;
const MIN_SHARE_CHOSEN = 0.4;

/** Adds the first name and the first date to each chosen post of a thread, and removes ranks, votes and signatures. */
export function addPostDetails(outline: Outline, chosen: Uint8Array): void {
  const { blocks } = outline;
  const around = innermostOf(postBoxes(outline));
  const posts = Map.groupBy(blocks.entries(), ([, { box }]) => around(box));
  for (const [post, group] of posts) {
    if (post === undefined) continue;
    const { own = [], around: others = [] } = Object.groupBy(group, ([, block]) =>
      isAroundPost(block, post) ? "around" : "own",
    );
    if (!isChosen(own, post, chosen)) continue;
    for (const [at] of others) chosen[at] = 0;
    const details = own.filter(([at, { text }]) => !EDITED.test(text) && !EDITED.test(blocks[at - 1]?.text ?? ""));
    for (const names of [AUTHOR, DATE]) {
      const detail = details.find(([, block]) => isDetail(block, post, names));
      if (detail !== undefined) chosen[detail[0]] = 1;
    }
  }
}

/** Whether enough words of a post are chosen, compared with its text. */
function isChosen(own: readonly (readonly [number, Block])[], post: Box, chosen: Uint8Array): boolean {
  let text = 0;
  let words = 0;
  for (const [at, block] of own) {
    if ((flagsIn(block, post) & BESIDE_TEXT) === 0) text += block.count.words;
    if (chosen[at] === 1) words += block.count.words;
  }
  return words > 0 && words >= text * MIN_SHARE_CHOSEN;
}

/** The boxes of posts: the outermost one around each post. */
function postBoxes({ root, boxes }: Outline): ReadonlySet<Box> {
  const found = new Set<Box>();
  const inside = new Uint32Array(boxes);
  countPosts(root, inside);
  const visit = (box: Box): void => {
    const post = wholePost(box, inside);
    if (post !== undefined) found.add(post);
    else for (const child of box.children) if (child.words > 0) visit(child);
  };
  visit(root);
  return found;
}

/** Counts the posts with similar siblings in each box, by its index. */
function countPosts(box: Box, inside: Uint32Array): number {
  let posts = 0;
  for (const child of box.children) if (child.words > 0) posts += countPosts(child, inside);
  inside[box.index] = posts;
  return posts + (box.alike >= MIN_POSTS && mayBePost(box) && POST.test(namesOf(box)) ? 1 : 0);
}

/** The box of the post around a box, with the line above the post's text. Undefined if there is no post. */
function wholePost(box: Box, inside: Uint32Array): Box | undefined {
  if (box.words === 0 || !mayBePost(box)) return undefined;
  const names = namesOf(box);
  if (!POST.test(names) && !FIRST_POST.test(names)) return undefined;
  const isOneOfSeveral = box.alike >= MIN_POSTS || box.element?.name === "article";
  // A list of posts may have the name of a post, as in "reply-container".
  if (!isOneOfSeveral && (inside[box.index] ?? 0) >= MIN_POSTS) return undefined;
  if (!isOneOfSeveral) {
    let around = box.parent;
    for (let level = 0; level < LEVELS_TO_POST && around !== undefined; level += 1) {
      if (around.words > box.words + MAX_WORDS_AROUND) break;
      if (around.alike >= MIN_POSTS) return around;
      around = around.parent;
    }
  }
  // The first post of a thread is often separate from the replies.
  return isOneOfSeveral || FIRST_POST.test(names) ? box : undefined;
}

function mayBePost({ element }: Box): boolean {
  if (element === undefined) return false;
  const { class: names, id, itemprop } = element.attribs;
  return [names, id, itemprop].some((own) => own !== undefined && MAY_BE_POST.test(own));
}

function isAroundPost({ box: inner }: Block, post: Box): boolean {
  let box: Box | undefined = inner;
  for (let level = 0; level < LEVELS_TO_SIGNATURE && box !== undefined && box !== post; level += 1, box = box.parent) {
    if (box.words > MAX_WORDS_OF_A_SIGNATURE) return false;
    const names = classesOf(box);
    if (box.element?.name === "dd" && box.parent !== undefined && PROFILE.test(classesOf(box.parent))) return true;
    if (SIGNATURE.test(names) || (box.words <= MAX_WORDS_AROUND && AROUND_A_POST.test(names))) return true;
  }
  return false;
}

function isDetail(block: Block, post: Box, names: RegExp): boolean {
  if (block.count.words > MAX_WORDS) return false;
  if ((flagsIn(block, post) & (FLAGS.button | FLAGS.form | FLAGS.hidden)) !== 0) return false;
  const [text] = block.texts;
  // The block may be a line of a post that contains the name as a link.
  const inline =
    text?.parent !== null && text?.parent !== undefined && "attribs" in text.parent ? text.parent : undefined;
  if (inline !== undefined && names.test(dashed(`${inline.attribs["class"] ?? ""} ${inline.name}`))) return true;
  for (let box: Box | undefined = block.box; box !== undefined && box !== post; box = box.parent) {
    if (names.test(namesOf(box))) return true;
  }
  return false;
}

/** The kinds of elements around a block inside of its post. Some forums put all posts into one form. */
function flagsIn({ box }: Block, post: Box): number {
  return box.flags & ~(post.parent?.flags ?? 0);
}

function classesOf({ element }: Box): string {
  const { class: names = "", "data-role": role = "" } = element?.attribs ?? {};
  return dashed(`${names} ${role}`).replace(STATES, "");
}

function namesOf({ element }: Box): string {
  if (element === undefined) return "";
  const { class: names = "", id = "", itemprop = "", component = "" } = element.attribs;
  const all = `${names} ${id} ${itemprop} ${component} ${element.name === "time" ? "time" : ""}`;
  return dashed(all).replace(STATES, "");
}
