import { importsIn } from "../page/style-sheet.ts";
import { type StyleSheet } from "../page/page.ts";
import { type Visit } from "../page/visit.ts";
import { type ExtractionOutcome, type ExtractionTask } from "../extraction/tree/extraction.ts";
import { type PageFields } from "../extraction/tree/page-fields.ts";
import { type PageFile, type PageFiles } from "./page-files.ts";

/** Style sheets of a page, also imported ones, and bytes of one. @bound */
const MAX_SHEETS = 32;
const MAX_SHEET_BYTES = 1024 * 1024;

/** The style sheets at these addresses, and those that they import. The result has only those that load. */
export async function styleSheets(
  files: PageFiles,
  visit: Visit,
  addresses: readonly string[],
): Promise<readonly StyleSheet[]> {
  const loaded = await files.load(visit, {
    first: addresses.slice(0, MAX_SHEETS).map((url) => ({ url })),
    more: (file) => (isSheet(file) ? importedBy(file) : []),
    most: MAX_SHEETS,
    maxBytes: MAX_SHEET_BYTES,
  });
  return loaded.flatMap(({ of, file }) => {
    // A page without the style sheet looks the same to its readers.
    const isGone = file.status === 404 || file.status === 410;
    return isGone || isSheet(file) ? { url: of.url, base: file.url, css: file.text } : [];
  });
}

/** Browsers ignore style sheets of another type. */
function isSheet({ status, type }: PageFile): boolean {
  return status === 200 && /^\s*text\/css\b/i.test(type);
}

function importedBy({ text, url }: PageFile): readonly { readonly url: string }[] {
  return importsIn(text).flatMap((imported) => {
    const to = URL.parse(imported.url, url);
    if (to === null || !/^https?:$/.test(to.protocol)) return [];
    to.hash = "";
    return { url: to.href };
  });
}

/** The addresses of style sheets that may hide fields of the page and were not loaded. */
export function unreadSheets(outcome: ExtractionOutcome): readonly string[] {
  return fieldsIn(outcome)?.unread ?? [];
}

/** Whether a browser should decide what readers see: not all style sheets were read, or they have changed the fields. */
export function mayHide(before: ExtractionOutcome, after: ExtractionOutcome): boolean {
  const [plain, styled] = [fieldsIn(before), fieldsIn(after)];
  if (styled === undefined) return false;
  return (
    styled.unread !== undefined || (plain !== styled && JSON.stringify(plain?.value) !== JSON.stringify(styled.value))
  );
}

/** Whether the task reads fields of a schema. */
export function hasSchema(task: ExtractionTask): boolean {
  return task.kind === "schema" || task.forms?.json !== undefined;
}

function fieldsIn(outcome: ExtractionOutcome): PageFields | undefined {
  return outcome.outcome === "content" ? (outcome.extraction.values ?? outcome.extraction.forms?.json) : undefined;
}
