import { type Document } from "domhandler";
import { type PageSource } from "../page/page.ts";
import { CONTENT_SIGNS } from "./signs/content-signs.ts";
import { EMPTY_SIGNS } from "./signs/empty-signs.ts";
import { FRAMEWORK_SIGNS } from "./signs/framework-signs.ts";
import { INLINE_SIGNS } from "./signs/inline-signs.ts";
import { type Sign } from "./signs/sign.ts";
import { NO_PLACEHOLDERS, type Placeholders } from "./tree/extraction.ts";
import { placeholders } from "./signs/placeholders.ts";
import { type Survey, survey } from "./signs/survey.ts";
import { DOCUMENT_SIGNS } from "./signs/document-signs.ts";

/** Signs that count if code runs. A page without any of them looks the same in a browser. */
const CODE_SIGNS: readonly Sign[] = [...EMPTY_SIGNS, ...FRAMEWORK_SIGNS, ...CONTENT_SIGNS, ...INLINE_SIGNS];

/** All signs, in the order in which they are checked. docs/engines.md describes each. @internal */
export const SIGNS: readonly Sign[] = [...DOCUMENT_SIGNS, ...CODE_SIGNS];

const INLINE: ReadonlySet<string> = new Set(INLINE_SIGNS.map(({ name }) => name));

/** The results of examining a document's scripts. */
export interface ScriptSigns {
  /** The sign that the document shows its content only with scripts. Undefined if there is no such sign. */
  readonly sign: string | undefined;
  /** The elements that external scripts may fill. Undefined if the page has only known scripts. */
  readonly placeholders: Placeholders | undefined;
}

/** Checks all signs, in linear time. */
export function scriptSigns(tree: Document, source: PageSource): ScriptSigns {
  const page = survey(tree, source);
  const sign = (page.code.runs ? SIGNS : DOCUMENT_SIGNS).find(({ shown }) => shown(page))?.name;
  const places = page.code.runs ? placeholdersFor(sign, page) : undefined;
  return { sign, placeholders: places };
}

/** The elements that scripts may fill. Undefined if the sign alone decides that the page needs a browser. */
function placeholdersFor(sign: string | undefined, page: Survey): Placeholders | undefined {
  if (sign === undefined) return placeholders(page);
  if (!INLINE.has(sign)) return undefined;
  const { certain = [] } = placeholders(page) ?? {};
  return { ...NO_PLACEHOLDERS, certain };
}

/** Whether a document has code that runs in a browser. */
export function runsCode(tree: Document, source: PageSource): boolean {
  return survey(tree, source).code.runs;
}
