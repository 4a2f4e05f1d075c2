import { type Document, type Element, isTag, isText } from "domhandler";
import { folded } from "./folded.ts";
import { LOGO } from "./site-name.ts";
import { removeAll } from "./tree-copy.ts";
import { walkNodes } from "../tree/walk.ts";

/** Maximum number of characters of addresses and class names that are read. */
const MAX_LENGTH = 2000;
/** Levels around a picture that are searched for the class of an avatar. */
const LEVELS = 3;

const AVATAR = /(?:^|[\s_/-])(?:gr)?avatars?(?:[\s_/.-]|$)/i;
/** A logo's text is at most as many times as long as the letters of the site's name. */
const MAX_TIMES_LONGER = 4;
/** The size of a picture in its address: `-300x200`, `_480x`, `w_800`, `width=800`, `resize:fit:660:440`. */
const SIZE = /[-_@]\d{2,4}x\d{0,4}(?=[._-]|$)|(?<=resize:fi(?:ll|t):)\d+:\d+|(?<=[/,])[wh]_\d+,?|@[23]x/gi;
const SIZE_PARAMETER =
  /[?&](?:w|h|width|height|q|quality|dpr|resize|fit|crop|size|sw|sh|wid|hei|auto|format|fm)=[^&]*/gi;

export interface Site {
  readonly url: string;
  /** Empty if the page does not declare it. */
  readonly name: string;
}

/**
 * Removes avatars, the site's logo, and pictures that show an earlier one again, also in another size. Of several
 * pictures with the same link, as of a product, the first one is kept. Pictures in tables are kept. Addresses of links and pictures must be absolute.
 */
export function dropPictures(tree: Document, site: Site): void {
  const isLogo = logosOf(site);
  const shown = new Set<string>();
  const gone = new Set<Element>();
  let link: string | undefined;
  /** The link around the last picture, if no text follows that. */
  let last: string | undefined;
  walkNodes(tree, {
    enter(node) {
      if (isText(node) && /\S/.test(node.data)) last = undefined;
      if (!isTag(node)) return true;
      if (node.name === "table") return false;
      if (node.name === "a") link = node.attribs["href"];
      if (node.name !== "img") return true;
      const source = (node.attribs["src"] ?? "").slice(0, MAX_LENGTH);
      const picture = pictureOf(source);
      const isRepeated = shown.has(picture) || (link !== undefined && link === last);
      if (isRepeated || isLogo(node, link) || isAvatar(node, source)) gone.add(pictureAround(node));
      else {
        shown.add(picture);
        last = link;
      }
      return true;
    },
    leave(node) {
      if (node.name === "a") link = undefined;
    },
  });
  removeAll(tree, gone);
}

/** Finds pictures in links to the site's start page, and those whose text is the site's name. */
function logosOf({ url, name }: Site): (image: Element, link: string | undefined) => boolean {
  const origin = URL.parse(url)?.origin;
  const site = folded(name.slice(0, MAX_LENGTH));
  return (image, link) => (link !== undefined && (link === origin || link === `${origin}/`)) || isNamedAs(image, site);
}

/** Whether the text of a picture is the site's name, as in "Daily News logo". */
function isNamedAs({ attribs: { alt = "" } }: Element, name: string): boolean {
  if (name === "" || alt === "" || alt.length > name.length * MAX_TIMES_LONGER) return false;
  return folded(alt.replace(LOGO, "")) === name;
}

function pictureAround(image: Element): Element {
  const { parent } = image;
  return parent !== null && isTag(parent) && parent.name === "picture" ? parent : image;
}

/** The address of a picture without its size. */
function pictureOf(source: string): string {
  const at = source.indexOf("?");
  const [path, query] = at === -1 ? [source, ""] : [source.slice(0, at), source.slice(at)];
  return path.replace(SIZE, "") + query.replace(SIZE_PARAMETER, "");
}

function isAvatar(image: Element, source: string): boolean {
  if (AVATAR.test(source)) return true;
  let node: Element | undefined = image;
  for (let level = 0; level < LEVELS && node !== undefined; level += 1) {
    if (AVATAR.test((node.attribs["class"] ?? "").slice(0, MAX_LENGTH))) return true;
    const { parent }: Element = node;
    node = parent !== null && isTag(parent) ? parent : undefined;
  }
  return false;
}
