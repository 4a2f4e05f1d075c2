import { type Document, type Element, isTag } from "domhandler";
import { folded } from "./folded.ts";
import { removeAll } from "./tree-copy.ts";
import { walkNodes } from "./words.ts";

/** Characters of addresses and class names that are read. */
const MAX_LENGTH = 2000;
/** Levels around a picture that are searched for the class of an avatar. */
const LEVELS = 3;

const AVATAR = /(?:^|[\s_/-])(?:gr)?avatars?(?:[\s_/.-]|$)/i;
/** The end of a logo's text, after the name of its site. */
const LOGO = /\s+(?:logo|banner|home(?:page)?)$/i;
/** Files of pictures that show the state of a user, or take the place of an advertisement. */
const STATE = /(?:^|[/_-])(?:buddy_o(?:n|ff)line|user[_-]o(?:n|ff)line|advertisement)\.(?:gif|png|svg)$/i;
/** The size of a picture in its address: `-300x200`, `_480x`, `w_800`, `width=800`. */
const SIZE = /[-_@]\d{2,4}x\d{0,4}(?=[._-]|$)|(?<=[/,])[wh]_\d+,?|@[23]x/gi;
const SIZE_PARAMETER =
  /[?&](?:w|h|width|height|q|quality|dpr|resize|fit|crop|size|sw|sh|wid|hei|auto|format|fm)=[^&]*/gi;

/** The site of a page. */
export interface Site {
  /** The address of the page. */
  readonly url: string;
  /** Empty if the page does not declare it. */
  readonly name: string;
}

/**
 * Removes avatars, the site's logo, and pictures that show an earlier one again, also in another size. Pictures in
 * tables are kept. Addresses of links and pictures must be absolute.
 */
export function dropPictures(tree: Document, site: Site): void {
  const home = homeOf(site.url);
  const name = folded(site.name.slice(0, MAX_LENGTH));
  let linksHome: Element | undefined;
  const shown = new Set<string>();
  const gone = new Set<Element>();
  walkNodes(tree, {
    enter(node) {
      if (!isTag(node)) return true;
      if (node.name === "table") return false;
      if (node.name === "a" && home !== undefined && homeOf(node.attribs["href"] ?? "", true) === home)
        linksHome = node;
      if (node.name !== "img") return true;
      const source = (node.attribs["src"] ?? "").slice(0, MAX_LENGTH);
      const picture = pictureOf(source);
      const isGone = linksHome !== undefined || isNamedAs(node, name) || shown.has(picture) || STATE.test(source);
      if (isGone || isAvatar(node, source)) gone.add(pictureAround(node));
      else shown.add(picture);
      return true;
    },
    leave(node) {
      if (node === linksHome) linksHome = undefined;
    },
  });
  removeAll(tree, gone);
}

/** The host of a site's start page. Undefined for another page, unless any page of the site will do. */
function homeOf(address: string, onlyStart = false): string | undefined {
  const found = address.length > MAX_LENGTH ? null : URL.parse(address);
  if (found === null || !/^https?:$/.test(found.protocol)) return undefined;
  if (onlyStart && (found.pathname !== "/" || found.search !== "" || found.hash !== "")) return undefined;
  return found.host;
}

/** Whether the text of a picture is the site's name, as in "Daily News logo". */
function isNamedAs({ attribs: { alt = "" } }: Element, name: string): boolean {
  if (name === "" || alt === "" || alt.length > MAX_LENGTH) return false;
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
