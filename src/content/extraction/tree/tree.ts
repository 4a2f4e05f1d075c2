import { type Document, type Element, type ParentNode, isDocument } from "domhandler";
import { Parser, type ParserOptions, type Token } from "parse5";
import { type Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { readInRuns } from "./text-runs.ts";
import { leanAdapter } from "./tree-adapter.ts";

/** Elements deeper than this become siblings, as in Chromium (kMaximumHTMLParserDOMTreeDepth). */
const MAX_DEPTH = 512;

/**
 * Maximum number of elements that are open at the same time. Each new element may search all of them, so their number
 * must not grow with the page. Marks that are closed in the wrong order make trees of this depth.
 */
const MAX_OPEN = 576;

/**
 * Formatting elements that a page has opened again, each counted with its attributes. Every paragraph after unclosed
 * `<b>` or `<font>` opens all of them again (WHATWG HTML §13.2.4.3). The number is quadratic on a hostile page.
 *
 */
const MAX_REOPENED = 100_000;

/**
 * Elements of a page. A page with more elements is rejected. @operator It would take many seconds; the
 * longest real pages have a tenth.
 */
export const MAX_ELEMENTS = 400_000;

/** A page has too many elements. */
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
    // The content of a template is one level deeper.
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

/** The parent of a node. For a template's content, it is the template's parent. */
function parentOf(node: ParentNode): ParentNode | null {
  const { parent } = node;
  return isDocument(node) && parent !== null ? parent.parent : parent;
}

const OPTIONS: ParserOptions<Htmlparser2TreeAdapterMap> = { treeAdapter: leanAdapter };

/**
 * Parses HTML into the tree that a browser with scripts makes of it (WHATWG HTML §13.2), no deeper than MAX_OPEN.
 * Throws TooManyElements if it has more than MAX_ELEMENTS.
 */
export function parseTree(html: string): Document {
  // Normalizes line ends as the parser would (§13.2.3.5), which does it one character at a time.
  const lines = html.includes("\r") ? html.replaceAll(/\r\n?/g, "\n") : html;
  return BoundedParser.parse(lines, OPTIONS);
}
