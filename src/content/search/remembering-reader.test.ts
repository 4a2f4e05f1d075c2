import { expect, spyOn, test } from "bun:test";
import { PageReader, type ReadPage } from "../page-reader/page-reader.ts";
import { type PageRequest } from "../page/page.ts";
import { RememberingReader } from "./remembering-reader.ts";

const EXTRACTION = { title: "T", content: "Text", language: "en", published: "2026-01-01" };
const SOURCE = { finalUrl: "https://me:pw@a.test/page?q#part", headers: [], complete: true, statusCode: 200 };

interface Change {
  readonly kind?: string;
  readonly request?: object;
  readonly extraction?: object;
  readonly source?: object;
}

/** The page that is remembered of one that was read with these changes. */
async function remembered({ kind = "text", request, extraction, source }: Change): Promise<unknown> {
  const read = { extraction: { ...EXTRACTION, ...extraction }, source: { ...SOURCE, ...source } };
  // Only these members are used.
  using _ = spyOn(PageReader.prototype, "read").mockResolvedValue(read as unknown as ReadPage);
  const pages: unknown[] = [];
  const reader = new RememberingReader({} as never, (page) => pages.push(page));
  const asked = { url: SOURCE.finalUrl, ...request } as unknown as PageRequest;
  expect(await reader.read(asked, { kind } as never)).toBe(read as unknown as ReadPage);
  return pages[0];
}

test("a whole page is remembered by its address, without a password and a fragment", async () => {
  const page = { url: "https://a.test/page?q", title: "T", text: "Text", language: "en", published: "2026-01-01" };
  for (const kind of ["text", "markdown", "article"]) expect(await remembered({ kind })).toEqual(page);
  expect(await remembered({ source: { statusCode: undefined } })).toEqual(page);
  expect(await remembered({ source: { headers: [["X-Robots-Tag", "nofollow"]] } })).toEqual(page);
});

test.each<[string, Change]>([
  ["of a session", { request: { session: "s" } }],
  ["read with the caller's own data", { request: { own: {} } }],
  ["after steps", { request: { steps: [] } }],
  ["of another kind", { kind: "links" }],
  ["that is not complete", { source: { complete: false } }],
  ["that is an error", { source: { statusCode: 404 } }],
  ["without content", { extraction: { content: "" } }],
  ["whose address is not a URL", { source: { finalUrl: "nowhere" } }],
  ["that forbids it", { source: { headers: [["X-Robots-Tag", "noindex"]] } }],
])("a page %s is not remembered", async (_what, change) => {
  expect(await remembered(change)).toBeUndefined();
});
