import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { makeDocx } from "../documents/testing/make-zip.ts";
import { startTestService, type TestService } from "../testing/service.ts";

setDefaultTimeout(patient(60_000));

const DOCX = makeDocx(
  `<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>Tolls</w:t></w:r></w:p><w:p><w:r><w:t>Three </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>coins</w:t></w:r></w:p>`,
);
const MARKDOWN = "# Tolls\n\nThree **coins**";

let made: TestService;
let base: string;
let site: Bun.Server<undefined>;

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      const type = new URL(url).searchParams.get("type");
      return new Response(DOCX, { headers: type === null ? {} : { "content-type": type } });
    },
  });
  made = await startTestService();
  const { address } = made.service;
  base = "port" in address ? `http://127.0.0.1:${address.port}` : "";
});

afterAll(async () => {
  await made.close();
  await site.stop(true);
});

async function call(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${base}${path}`, { method: "POST", body: JSON.stringify(body), headers });
  // Each response of these requests is a JSON object.
  return (await response.json()) as Record<string, unknown>;
}

test.each([
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/octet-stream",
  "application/zip",
  "text/plain",
])("a file of type %s is read by its bytes", async (type) => {
  const url = `${site.url.href}report?type=${encodeURIComponent(type)}`;
  expect(await call("/scrape", { url })).toMatchObject({ content: MARKDOWN, metadata: { engine: "static" } });
});

test("all operations that read pages read files", async () => {
  const url = `${site.url.href}report?type=application/octet-stream`;
  expect(await call("/read", { url })).toMatchObject({ content: MARKDOWN });
  expect(await call("/batch", { urls: [url] })).toMatchObject({ results: [{ content: MARKDOWN }] });
  expect(await call("/extract", { url, selectors: { sum: "strong", title: "h1" } })).toMatchObject({
    data: { sum: "coins", title: "Tolls" },
  });
  expect(await (await fetch(`${base}/r/${url}`)).text()).toContain("Three **coins**");
});
