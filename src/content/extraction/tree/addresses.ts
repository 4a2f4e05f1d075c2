import { type Document, type ParentNode, isTag } from "domhandler";

/** Maximum number of characters of an address. Servers do not accept longer ones. */
const MAX_ADDRESS_LENGTH = 8192;
/**
 * Maximum number of characters of a `<base>`. A longer one is ignored, since each relative address of the page would
 * repeat it.
 */
const MAX_BASE_LENGTH = 2048;
/** Maximum number of characters of all absolute addresses of a page. Later addresses are dropped. */
const MAX_ADDRESS_TOTAL = 20_000_000;

const LINK_SCHEMES = new Set(["http:", "https:", "mailto:", "tel:", "ftp:"]);

/** Makes the addresses of one page absolute, relative to its `<base>` if it has one. */
export class Addresses {
  readonly #base: string;
  #left = MAX_ADDRESS_TOTAL;

  constructor(tree: Document, url: string) {
    this.#base = baseOf(tree, url);
  }

  /** The absolute address of a link. Undefined if it leads to no other document, like a script or an attached file. */
  link(href: string): string | undefined {
    if (href.length > MAX_ADDRESS_LENGTH || this.#left <= 0) return undefined;
    // A place in the page, also in one without an address of the web, like a chapter of a book.
    const address = href.startsWith("#") ? URL.parse(href, this.#base)?.href : absoluteLink(href, this.#base);
    this.#left -= address?.length ?? 0;
    return address;
  }

  /** The absolute address of an image or a video. Undefined if it is not an http or https address. */
  media(src: string): string | undefined {
    const address = this.link(src);
    return address?.startsWith("http") === true ? address : undefined;
  }
}

/** An address without its fragment. */
export function withoutFragment(address: string): string {
  const at = address.indexOf("#");
  return at === -1 ? address : address.slice(0, at);
}

/** The absolute address of a link to a page, a file, a mailbox or a telephone. Undefined for others. */
export function absoluteLink(href: string, base?: string): string | undefined {
  const url = URL.parse(href, base);
  return url !== null && LINK_SCHEMES.has(url.protocol) ? url.href : undefined;
}

/** The address against which those of a page are resolved. */
export function baseOf(tree: Document, url: string): string {
  const href = firstBase(tree, 0);
  if (href === undefined || href.length > MAX_BASE_LENGTH) return withoutFragment(url);
  const base = URL.parse(href.trim(), url);
  return base === null || !base.protocol.startsWith("http") ? withoutFragment(url) : withoutFragment(base.href);
}

/** The first `<base>` with an address counts, at any place. It is a child of the head except on broken pages. */
function firstBase(node: ParentNode, depth: number): string | undefined {
  for (const child of node.children) {
    if (!isTag(child)) continue;
    if (child.name === "base" && child.attribs["href"] !== undefined) return child.attribs["href"];
    const found = depth < 2 ? firstBase(child, depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
