import { type Document, type Element } from "domhandler";
import { Parser, type ParserOptions, type Token } from "parse5";
import { adapter, type Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { readTextInRuns } from "./text-runs.ts";

/** Elements deeper than this become siblings, as in Chromium (kMaximumHTMLParserDOMTreeDepth). */
export const MAX_DEPTH = 512;

/** Elements open at one time: each new one may look through all of them, so that their number must not grow with the page. */
const MAX_OPEN = 1024;

/**
 * Formatting elements that a page has opened again, each counted with its attributes: every paragraph after unclosed
 * `<b>`, `<font>` opens all of them again (WHATWG HTML §13.2.4.3), so that a hostile page's number is quadratic.
 */
export const MAX_REOPENED = 100_000;

type Location = Parameters<Parser<Htmlparser2TreeAdapterMap>["_attachElementToTree"]>[2];

type ParserArguments = ConstructorParameters<typeof Parser<Htmlparser2TreeAdapterMap>>;

class BoundedParser extends Parser<Htmlparser2TreeAdapterMap> {
  #reopened = 0;
  #reopens = false;

  constructor(...args: ParserArguments) {
    super(...args);
    readTextInRuns(this);
  }

  override _reconstructActiveFormattingElements(): void {
    if (this.#reopened >= MAX_REOPENED) return;
    this.#reopens = true;
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    super._reconstructActiveFormattingElements();
    this.#reopens = false;
  }

  override _attachElementToTree(element: Element, position: Token.LocationWithAttributes | null, at: Location): void {
    const above = this.openElements.stackTop + 1 > MAX_DEPTH ? at.parent.parent : null;
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    super._attachElementToTree(element, position, above === null ? at : { parent: above, beforeElement: null });
  }

  override _insertElement(
    token: Token.TagToken,
    namespace: Parameters<Parser<Htmlparser2TreeAdapterMap>["_insertElement"]>[1],
  ): void {
    if (this.openElements.stackTop >= MAX_OPEN) this.openElements.pop();
    if (this.#reopens) this.#reopened += 1 + token.attrs.length;
    // oxlint-disable-next-line no-underscore-dangle -- the library names it so
    super._insertElement(token, namespace);
  }
}

const OPTIONS: ParserOptions<Htmlparser2TreeAdapterMap> = { treeAdapter: adapter };

/** The tree that a browser with scripts makes of the HTML (WHATWG HTML §13.2), no deeper than MAX_DEPTH. */
export function parseTree(html: string): Document {
  return BoundedParser.parse(html, OPTIONS);
}
