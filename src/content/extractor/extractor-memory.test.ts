import { expect, setDefaultTimeout, test } from "bun:test";
import { Readable } from "node:stream";
import zlib from "node:zlib";
import { type PageSource } from "../page/page.ts";
import { makePdf, pdfLines } from "../testing/pdf.ts";
import { Extractor } from "./extractor.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const MEGABYTE = 1024 * 1024;

function pdf(bytes: Uint8Array): PageSource {
  return {
    engine: "static",
    body: Uint8Array.from(bytes),
    contentType: "application/pdf",
    finalUrl: "https://site.test/",
    statusCode: 200,
    headers: [],
    complete: true,
  };
}

/** More megabytes than a process has free for reuse. */
const HIDDEN_MEGABYTES = 800;

/** Compressed spaces of this many megabytes, which are never all in memory here. */
async function deflated(megabytes: number): Promise<Buffer> {
  const stream = zlib.createDeflate({ level: 6 });
  const spaces = Buffer.alloc(MEGABYTE, " ");
  Readable.from(Array.from({ length: megabytes }, () => spaces)).pipe(stream);
  return Buffer.concat(await stream.toArray());
}

test("documents that expand to gigabytes are stopped, and the next one is read when their memory is back", async () => {
  const bomb = (await deflated(HIDDEN_MEGABYTES)).toString("latin1");
  const hiding = makePdf([bomb]).toString("latin1").replace("<< /Length", "<< /Filter /FlateDecode /Length");
  const extractor = new Extractor(20_000, process.memoryUsage.rss() + 200 * MEGABYTE, 200 * MEGABYTE);
  const text = { task: { kind: "text" }, mayNeedBrowser: false } as const;
  const reading = [hiding, hiding].map((bytes) => {
    return extractor.extract({ source: pdf(Buffer.from(bytes, "latin1")), ...text }).catch((error: unknown) => error);
  });
  const next = extractor.extract({ source: pdf(makePdf([pdfLines([["hello", 20]])])), ...text });
  for (const failure of await Promise.all(reading))
    expect(failure).toMatchObject({ code: "page-failed", message: "Cannot read the page: it takes too much memory" });
  expect(await next).toMatchObject({ outcome: "content", extraction: { content: "hello" } });
  extractor.close();
});
