import { type Script, type ScriptAddress } from "../extraction/tree/extraction.ts";
import { type Visit } from "../page/visit.ts";
import { type PageFiles } from "./page-files.ts";

/** External scripts of a page, and bytes of one. @bound */
const MAX_SCRIPTS = 16;
const MAX_SCRIPT_BYTES = 512 * 1024;
/** Characters. A shorter script may only load others, so the scripts that it adds to the page are fetched as well. */
const MAX_LOADER_LENGTH = 3_000;

const IMPORTS = /(?:\bfrom|\bimport)\s{0,9}\(?\s{0,9}["'`](\.{0,2}\/[^"'`\s]{1,300}\.m?js)["'`]/g;
/** Unlike the address of an import, the address of a script element is relative to the page. */
const ADDS = /\.src\s{0,9}=\s{0,9}["'`]([^"'`\s]{1,300}\.m?js(?:\?[^"'`\s]{0,200})?)["'`]/g;

/** The scripts that a short script imports or adds to the page. */
function importsOf(code: string, url: string, page: URL): ScriptAddress[] {
  if (code.length > MAX_LOADER_LENGTH) return [];
  const imported = code.matchAll(IMPORTS).map(([, address = ""]) => ({ to: URL.parse(address, url), isModule: true }));
  const added = code.matchAll(ADDS).map(([, address = ""]) => ({ to: URL.parse(address, page.href), isModule: false }));
  return [...imported, ...added].flatMap(({ to, isModule }) =>
    to !== null && /^https?:$/.test(to.protocol) ? [{ url: to.href, isModule }] : [],
  );
}

/** The texts of scripts in their order, and then of those that short ones load, as far as they arrive in time. */
export async function scriptTexts(
  files: PageFiles,
  visit: Visit,
  scripts: readonly ScriptAddress[],
): Promise<readonly Script[]> {
  const loaded = await files.load<ScriptAddress>(visit, {
    first: scripts,
    more: ({ text }, { url }) => importsOf(text, url, visit.request.url),
    most: MAX_SCRIPTS,
    maxBytes: MAX_SCRIPT_BYTES,
  });
  return loaded.flatMap(({ of, file: { text: code } }) => (code === "" ? [] : { ...of, code }));
}
