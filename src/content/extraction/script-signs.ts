import { type Document } from "domhandler";
import { type PageSource } from "../page/page.ts";
import { codeSign } from "./signs/code/code-sign.ts";
import { CONTENT_SIGNS } from "./signs/content-signs.ts";
import { DOCUMENT_SIGNS } from "./signs/document-signs.ts";
import { EMPTY_SIGNS, NO_TEXT_SIGN } from "./signs/empty-signs.ts";
import { FRAMEWORK_SIGNS } from "./signs/framework-signs.ts";
import { scriptAddresses } from "./signs/script-addresses.ts";
import { type Sign } from "./signs/sign.ts";
import { survey } from "./signs/survey.ts";
import { templateOf } from "./signs/template.ts";
import { type Evidence, type Script } from "./tree/extraction.ts";

/** Signs that the document is not the content. A page that has one needs a browser, whatever was learned of its site. */
const DECISIVE: readonly Sign[] = [...DOCUMENT_SIGNS, NO_TEXT_SIGN];

/** Signs of pages whose code runs that a browser would probably show other content. */
const PROBABLE: readonly Sign[] = [...EMPTY_SIGNS, ...FRAMEWORK_SIGNS, ...CONTENT_SIGNS];

/** All signs of the document, in the order in which they are checked. docs/engines.md describes each. @internal */
export const SIGNS: readonly Sign[] = [...DECISIVE, ...PROBABLE];

/** The reasons to expect other content in a browser than the document has. */
export interface ScriptSigns {
  readonly decisive?: string;
  /** Undefined if no code runs. */
  readonly evidence?: Evidence;
  /** Whether the page has long texts that it does not show. */
  readonly holdsTexts?: () => boolean;
}

/** Checks all signs of the document, and its inline code. */
export function scriptSigns(tree: Document, source: PageSource): ScriptSigns {
  const page = survey(tree, source);
  const { runs } = page.code;
  const decisive = (runs ? DECISIVE : DOCUMENT_SIGNS).find(({ shown }) => shown(page))?.name;
  if (decisive !== undefined) return { decisive };
  if (!runs) return {};
  const sign = PROBABLE.find(({ shown }) => shown(page))?.name ?? codeSign(tree, page, []);
  const evidence = { sign, scripts: sign === undefined ? scriptAddresses(page) : [], template: templateOf(page) };
  return { evidence, holdsTexts: () => page.holdsTexts };
}

/** The evidence in the scripts of a page, with the text of the external ones. */
export function signOfScripts(tree: Document, source: PageSource, scripts: readonly Script[]): string | undefined {
  return codeSign(tree, survey(tree, source), scripts);
}
