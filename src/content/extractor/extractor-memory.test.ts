import { expect, setDefaultTimeout, test } from "bun:test";
import { Readable } from "node:stream";
import zlib from "node:zlib";
import { type ExtractionJob } from "../extraction/tree/extraction.ts";
import { makePdf, pdfLines } from "../testing/pdf.ts";
import { Extractor } from "./extractor.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const MEGABYTE = 1024 * 1024;

function job(body: Uint8Array, contentType: string): ExtractionJob {
  const page = { engine: "static", statusCode: 200, headers: [], complete: true } as const;
  const source = { ...page, body: Uint8Array.from(body), contentType, finalUrl: "https://site.test/" };
  return { source, task: { kind: "text" }, mayNeedBrowser: false };
}

/** Compressed spaces of this many megabytes, which are never all in memory here. */
async function deflated(megabytes: number): Promise<Buffer> {
  const stream = zlib.createDeflate({ level: 6 });
  const spaces = Buffer.alloc(MEGABYTE, " ");
  Readable.from(Array.from({ length: megabytes }, () => spaces)).pipe(stream);
  return Buffer.concat(await stream.toArray());
}

test("documents that expand to gigabytes are stopped, and the next one is read", async () => {
  const bomb = (await deflated(800)).toString("latin1");
  const hiding = makePdf([bomb]).toString("latin1").replace("<< /Length", "<< /Filter /FlateDecode /Length");
  const extractor = new Extractor({ deadlineMs: 20_000, maxFileMemoryBytes: 600 * MEGABYTE });
  const reading = [hiding, hiding].map((bytes) =>
    extractor.extract(job(Buffer.from(bytes, "latin1"), "application/pdf")).catch((error: unknown) => error),
  );
  const next = extractor.extract(job(makePdf([pdfLines([["hello", 20]])]), "application/pdf"));
  for (const result of await Promise.all(reading)) expect(result).not.toMatchObject({ outcome: "content" });
  expect(await next).toMatchObject({ outcome: "content", extraction: { content: "hello" } });
  extractor.close();
});

test("pages that take too much memory are stopped, and the next one is read", async () => {
  // Memory of earlier tests that is freed meanwhile would hide what the pages take.
  Bun.gc(true);
  const limits = { maxProcessBytes: process.memoryUsage.rss() + 60 * MEGABYTE, minGrowthBytes: 60 * MEGABYTE };
  const extractor = new Extractor({ deadlineMs: 20_000, ...limits });
  const html = Buffer.from("<div><p>word, word, word, word, word.</p></div>".repeat(190_000));
  const reading = [html, html].map((body) =>
    extractor.extract(job(body, "text/html")).catch((error: unknown) => error),
  );
  const next = extractor.extract(job(Buffer.from("<p>hello</p>"), "text/html"));
  for (const failure of await Promise.all(reading))
    expect(failure).toMatchObject({ code: "page-failed", message: "Cannot read the page: it takes too much memory" });
  expect(await next).toMatchObject({ outcome: "content", extraction: { content: "hello" } });
  extractor.close();
});
