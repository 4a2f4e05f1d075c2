import { type Document, type Element, type ParentNode, isDocument } from "domhandler";
import { Parser, type ParserOptions, type Token } from "parse5";
import { type Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { readInRuns } from "./text-runs.ts";
import { leanAdapter } from "./tree-adapter.ts";

/** Elements deeper than this become siblings, as in Chromium (kMaximumHTMLParserDOMTreeDepth). @internal */
export const MAX_DEPTH = 512;

/**
 * Elements open at one time: each new one may look through all of them, so that their number must not grow with the page;
 * and marks that are closed in the wrong order make trees as deep as that.
 */
const MAX_OPEN = 576;

/**
 * Formatting elements that a page has opened again, each counted with its attributes: every paragraph after unclosed
 * `<b>`, `<font>` opens all of them again (WHATWG HTML §13.2.4.3), so that a hostile page's number is quadratic.
 * @internal
 */
export const MAX_REOPENED = 100_000;

/** Ten times what the longest pages have that people read; more take seconds to no end. */
export const MAX_ELEMENTS = 400_000;

/** A page that is a pile of tags. */
export class TooManyElements extends Error {
  constructor() {
    super(`Cannot read a page: it has more than ${MAX_ELEMENTS} elements`);
  }
}

type Location = Parameters<Parser<Htmlparser2TreeAdapterMap>["_attachElementToTree"]>[2];

type ParserArguments = ConstructorParameters<typeof Parser<Htmlparser2TreeAdapterMap>>;

class BoundedParser extends Parser<Htmlparser2TreeAdapterMap> {
  #elements = 0;
  #reopened = 0;
  #reopens = false;

  constructor(...args: ParserArguments) {
    super(...args);
    readInRuns(this);
  }

  override _reconstructActiveFormattingElements(): void {
    if (this.#reopened >= MAX_REOPENED) return;
    this.#reopens = true;
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    super._reconstructActiveFormattingElements();
    this.#reopens = false;
  }

  override _attachElementToTree(element: Element, position: Token.LocationWithAttributes | null, at: Location): void {
    this.#elements += 1;
    if (this.#elements > MAX_ELEMENTS) throw new TooManyElements();
    // A template has its content one deeper.
    const depth = this.openElements.depth + this.openElements.tmplCount;
    const above = depth > MAX_DEPTH ? parentOf(at.parent) : null;
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    super._attachElementToTree(element, position, above === null ? at : { parent: above, beforeElement: null });
  }

  override _insertElement(
    token: Token.TagToken,
    namespace: Parameters<Parser<Htmlparser2TreeAdapterMap>["_insertElement"]>[1],
  ): void {
    if (this.openElements.depth > MAX_OPEN) this.openElements.pop();
    if (this.#reopens) this.#reopened += 1 + token.attrs.length;
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    super._insertElement(token, namespace);
  }
}

/** The node around another; that of a template's content is the one around the template. */
function parentOf(node: ParentNode): ParentNode | null {
  const { parent } = node;
  return isDocument(node) && parent !== null ? parent.parent : parent;
}

const OPTIONS: ParserOptions<Htmlparser2TreeAdapterMap> = { treeAdapter: leanAdapter };

/**
 * The tree that a browser with scripts makes of the HTML (WHATWG HTML §13.2), no deeper than MAX_OPEN. Throws
 * TooManyElements where it has more than MAX_ELEMENTS.
 */
export function parseTree(html: string): Document {
  // As the parser would on its way (§13.2.3.5), which reads other line ends one character at a time.
  const lines = html.includes("\r") ? html.replaceAll(/\r\n?/g, "\n") : html;
  return BoundedParser.parse(lines, OPTIONS);
}
