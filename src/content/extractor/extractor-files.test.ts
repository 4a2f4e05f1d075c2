import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { makeDocx } from "../documents/testing/make-zip.ts";
import { type ExtractionOutcome } from "../extraction/tree/extraction.ts";
import { type PageSource } from "../page/page.ts";
import { Extractor } from "./extractor.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const MEGABYTE = 1024 * 1024;
const extractor = new Extractor();
afterAll(() => extractor.close());

const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const small = makeDocx(paragraph("toll"));
/** Reading it takes much longer than a page. */
const large = makeDocx(Array.from({ length: 30_000 }, (_none, at) => paragraph(`toll ${at}`)).join(""));

function sourceOf(body: Uint8Array, contentType = "application/octet-stream"): PageSource {
  const page = { engine: "static", statusCode: 200, headers: [], complete: true } as const;
  return { ...page, body: Uint8Array.from(body), contentType, finalUrl: "https://site.test/" };
}

async function read(body: Uint8Array, reader = extractor, type?: string): Promise<ExtractionOutcome | Error> {
  const job = { source: sourceOf(body, type), task: { kind: "text" }, mayNeedBrowser: false } as const;
  return await reader.extract(job).catch((error: unknown) => (error instanceof Error ? error : new Error("unknown")));
}

const content = (text: string) => ({ outcome: "content", extraction: { content: text } });

/** The processes that read files for this one. */
function children(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const parent = /\nPPid:\t(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return Number(parent) === process.pid && command.includes("extract-process") ? [Number(pid)] : [];
      } catch {
        // It has ended.
        return [];
      }
    });
}

test("a file that takes too much memory is stopped, and the next one is read", async () => {
  const narrow = new Extractor({ maxFileMemoryBytes: 320 * MEGABYTE });
  const wide = Buffer.alloc(60 * MEGABYTE, " ");
  wide.write("{\\rtf1 ");
  expect(await read(small, narrow)).toMatchObject(content("toll"));
  expect(await read(wide, narrow)).toMatchObject({
    code: "page-failed",
    message: expect.stringContaining("it takes too much memory"),
  });
  expect(await read(small, narrow)).toMatchObject(content("toll"));
  narrow.close();
});

test("a file that takes too long is stopped with its process, and the next one is read", async () => {
  const before = children();
  // Less than the start of a process takes.
  const hasty = new Extractor({ deadlineMs: 20 });
  expect(await read(large, hasty)).toMatchObject({ message: "Cannot read the page: it takes too long" });
  while (children().some((pid) => !before.includes(pid))) await Bun.sleep(10);
  hasty.close();
  expect(await read(small)).toMatchObject(content("toll"));
});

test("pages do not wait for files", async () => {
  const page = Buffer.from("<p>word</p>");
  await read(page, extractor, "text/html");
  const order: string[] = [];
  const files = Array.from({ length: 4 }, async () => {
    await read(large);
    order.push("file");
  });
  expect(await read(page, extractor, "text/html")).toMatchObject(content("word"));
  order.push("page");
  await Promise.all(files);
  expect(order.indexOf("page")).toBeLessThan(4);
});

test("if the process of a file ends, the file fails and the next one is read", async () => {
  const before = children();
  const own = new Extractor();
  const failing = read(large, own);
  const started = (): number[] => children().filter((pid) => !before.includes(pid));
  while (started().length === 0) await Bun.sleep(1);
  for (const pid of started()) process.kill(pid, "SIGKILL");
  expect(await failing).toMatchObject({ code: "page-failed" });
  expect(await read(small, own)).toMatchObject(content("toll"));
  own.close();
});

test("large files and long texts reach the process and come back whole", async () => {
  const text = "toll, ".repeat(300_000);
  const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(MEGABYTE / 16)));
  const noises = Array.from({ length: 150 }, () => noise.toString("base64")).join("");
  const file = makeDocx(paragraph(text), { "word/media/noise.bin": noises });
  expect(file.length).toBeGreaterThan(4 * MEGABYTE);
  expect(await read(file)).toMatchObject(content(text.trim()));
});
