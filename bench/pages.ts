/** `npm run bench -- pages --data DIR`: makes every format of each page of a data set, in a worker with a deadline. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { messageOf } from "../src/lib/caught.ts";
import {
  type ExtractionResponse,
  type ExtractionJob,
  type ExtractionTask,
} from "../src/content/extraction/tree/extraction.ts";
import { mean, tokenF1 } from "../src/content/testing/reader-corpus.ts";
import { aligned, median } from "./support/report.ts";

const USAGE = "usage: npm run bench -- pages --data DIR [--only ID,ID...]";
/** The deadline of the service's extractor in CPU time, which does not count other programs. */
const DEADLINE_MS = 10_000;
/** Milliseconds for a page that waits and uses no CPU time. */
const MAX_WAIT_MS = 300_000;
const LOOK_MS = 250;
const KINDS = ["article", "markdown", "text", "html", "links", "index"] as const;

type Kind = (typeof KINDS)[number];

interface Page {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly url: string;
  readonly wanted: string;
}

interface Tally {
  contents: number;
  refusals: string[];
  failures: string[];
  readonly times: number[];
}

/**
 * DIR has `html/ID.html.gz` and `ground-truth/ID.json`, as in the WCXB data set. Exit code 1: a page ended in an error
 * or a timeout. A page that is rejected, for example as a challenge or as empty, is not a failure.
 */
export async function runPagesBench(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (typeof options === "string") {
    console.error(`${options}\n${USAGE}`);
    return 2;
  }
  const tallies = new Map<Kind, Tally>(
    KINDS.map((kind) => [kind, { contents: 0, refusals: [], failures: [], times: [] }]),
  );
  const scores: number[] = [];
  const worker = new PageWorker();
  for (const id of options.ids) {
    const page = pageOf(options.data, id);
    for (const [kind, tally] of tallies) {
      const content = await readPage(worker, page, { kind }, tally);
      if (kind === "article") scores.push(tokenF1(plain(content), page.wanted));
    }
  }
  worker.close();
  print(tallies, scores);
  return [...tallies.values()].some(({ failures }) => failures.length > 0) ? 1 : 0;
}

function optionsOf(args: readonly string[]): { readonly data: string; readonly ids: readonly string[] } | string {
  try {
    const { values } = parseArgs({ args: [...args], options: { data: { type: "string" }, only: { type: "string" } } });
    const { data, only } = values;
    if (data === undefined || !existsSync(`${data}/html`))
      return `Cannot find pages: '${data ?? ""}/html' does not exist`;
    const all = readdirSync(`${data}/html`).map((file) => file.replace(/\.html\.gz$/, ""));
    return { data, ids: only?.split(",") ?? all.toSorted() };
  } catch (error) {
    return messageOf(error);
  }
}

function pageOf(data: string, id: string): Page {
  const bytes = Bun.gunzipSync(readFileSync(`${data}/html/${id}.html.gz`));
  // The format of the data set.
  const { url, ground_truth: truth } = JSON.parse(readFileSync(`${data}/ground-truth/${id}.json`, "utf8")) as {
    /** Absent for some pages. */
    readonly url?: string;
    readonly ground_truth: { readonly main_content: string | null };
  };
  return { id, bytes, url: url ?? "https://site.test/", wanted: truth.main_content ?? "" };
}

async function readPage(worker: PageWorker, page: Page, task: ExtractionTask, tally: Tally): Promise<string> {
  const before = cpuMs();
  const response = await worker.run(jobOf(page, task));
  tally.times.push(cpuMs() - before);
  if (!response.ok) tally.failures.push(`${page.id}: ${response.reason}`);
  else if (response.outcome.outcome === "content") {
    tally.contents += 1;
    return response.outcome.extraction.content;
  } else if (response.outcome.outcome === "not-content") tally.refusals.push(`${page.id}: ${response.outcome.detail}`);
  return "";
}

function jobOf({ bytes, url }: Page, task: ExtractionTask): ExtractionJob {
  const contentType = "text/html; charset=utf-8";
  const source = { engine: "static", body: bytes, contentType, finalUrl: url, statusCode: 200, headers: [] } as const;
  return { source: { ...source, complete: true }, task, mayNeedBrowser: false };
}

/** The service's extraction worker. It is replaced if a page exceeds the deadline. */
class PageWorker {
  #worker: Worker | undefined;

  async run(job: ExtractionJob): Promise<ExtractionResponse> {
    this.#worker ??= new Worker(new URL("../src/content/extractor/extract-worker.ts", import.meta.url).href);
    const worker = this.#worker;
    const { promise, resolve } = Promise.withResolvers<ExtractionResponse>();
    const fail = (reason: string) => {
      resolve({ id: 0, ok: false, reason });
      this.close();
    };
    const before = cpuMs();
    const startedAt = performance.now();
    const timer = setInterval(() => {
      if (cpuMs() - before > DEADLINE_MS) fail(`not done within ${DEADLINE_MS} ms of CPU time`);
      else if (performance.now() - startedAt > MAX_WAIT_MS) fail("it waits without end");
    }, LOOK_MS);
    worker.addEventListener("message", (event: MessageEvent<ExtractionResponse>) => resolve(event.data), {
      once: true,
    });
    worker.addEventListener("error", (event) => fail(event.message), { once: true });
    worker.postMessage({ id: 0, job });
    return await promise.finally(() => clearInterval(timer));
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** User and system time of the process and its worker, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Markdown without markup and addresses, to compare words. */
function plain(markdown: string): string {
  return markdown.replace(/\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)/g, " ").replace(/\\(?=[^\w\s])/g, "");
}

function print(tallies: ReadonlyMap<Kind, Tally>, scores: readonly number[]): void {
  const rows = [...tallies].map(([kind, { contents, refusals, failures, times }]) => [
    kind,
    ...[contents, refusals.length, failures.length].map(String),
    median(times).toFixed(0),
    Math.max(...times).toFixed(0),
  ]);
  console.log(aligned([["format", "content", "refused", "failed", "median CPU-ms", "max CPU-ms"], ...rows]).join("\n"));
  console.log(`token F1 of article, as Markdown: ${mean(scores).toFixed(4)} over ${scores.length} pages`);
  for (const [kind, { failures }] of tallies) for (const failure of failures) console.log(`FAILED ${kind} ${failure}`);
  for (const refusal of tallies.get("article")?.refusals ?? []) console.log(`refused article ${refusal}`);
}
