import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND } from "../../../../test/support/program.ts";
import { baseUrl } from "../../../content/testing/client.ts";
import { startTestService, type TestService } from "../../../content/testing/service.ts";
import { patient } from "../../../lib/testing/patience.ts";

// A content service and a process for each command start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

let made: TestService;
let site: Bun.Server<undefined>;
let folder: string;
/** The site sends its pages, except the first, when this resolves. */
let open: PromiseWithResolvers<void>;
/** Resolves when such a page is requested. */
let asked: PromiseWithResolvers<void>;

const PATHS = ["/a/b", "/a_b", "/A_B", "/..%2f..%2fetc", "/%E6%BD%AE?day=1", `/${"long-".repeat(60)}`];

function page(path: string, links: readonly string[]): Response {
  const html = `<!doctype html><html lang="en"><head><title>Page ${path}</title></head><body><article><h1>Page ${path}</h1>
    <p>${`The page ${path} tells of high water at the harbour. `.repeat(8)}</p>
    ${links.map((href) => `<a href="${href}">to ${href}</a>`).join(" ")}</article></body></html>`;
  return new Response(html, { headers: { "content-type": "text/html" } });
}

beforeAll(async () => {
  made = await startTestService();
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch({ url }) {
      const path = url.slice(new URL(url).origin.length);
      if (path === "/") return page("/", [...PATHS, "/gone"]);
      if (path !== "/gone" && !PATHS.includes(path)) return new Response("", { status: 404 });
      asked.resolve();
      await open.promise;
      return path === "/gone" ? new Response("", { status: 410 }) : page(path, []);
    },
  });
});
afterAll(async () => {
  open.resolve();
  await made.close();
  await site.stop(true);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-jobs-"));
  open = Promise.withResolvers();
  asked = Promise.withResolvers();
});
afterEach(() => {
  open.resolve();
  rmSync(folder, { recursive: true, force: true });
});

function spawn(args: readonly string[]) {
  const env = { ...process.env, TURNPIKE_HOME: join(folder, "home"), TURNPIKE_GATEWAY: baseUrl(made.service) };
  return Bun.spawn([...COMMAND, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

async function resultOf(child: ReturnType<typeof spawn>): Promise<Ran> {
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, errors };
}

const turnpike = (...args: string[]): Promise<Ran> => resultOf(spawn(args));
const crawl = (...args: string[]): readonly string[] => [
  "call",
  "crawl",
  site.url.href,
  "--set",
  "sitemap=skip",
  ...args,
];

interface Line {
  readonly number: number;
  readonly url: string;
  readonly file?: string;
  readonly kind?: string;
}

const linesOf = (path: string): Line[] =>
  readFileSync(join(folder, path), "utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
const numbersOf = (path: string): number[] => linesOf(path).map(({ number }) => number);
const ALL = [1, 2, 3, 4, 5, 6, 7, 8];

test("a crawl becomes a folder with a file for each page, whose names are safe and overwrite nothing, and an index", async () => {
  open.resolve();
  mkdirSync(join(folder, "docs"));
  const host = site.url.host.replace(":", "-");
  writeFileSync(join(folder, "docs", `${host}.md`), "mine");
  const { code, out, errors } = await turnpike(...crawl("--out", "docs"));
  expect([code, out]).toEqual([0, ""]);
  expect(errors).toContain("completed: 7 of 100 pages, 1 failed; not delivered: not-found 1\nwrote ");
  const index = linesOf("docs/index.ndjson");
  expect(index.map(({ number }) => number)).toEqual(ALL);
  expect(index.find(({ url }) => url.endsWith("/gone"))).toMatchObject({ kind: "not-found" });
  const files = index.flatMap(({ file }) => file ?? []);
  expect(new Set(files.map((name) => name.toLowerCase())).size).toBeGreaterThanOrEqual(6);
  expect(readdirSync(join(folder, "docs")).toSorted()).toEqual([`${host}.md`, "index.ndjson", ...files].toSorted());
  expect(files.every((name) => name.startsWith(host) && Buffer.byteLength(name) < 200)).toBe(true);
  expect(readFileSync(join(folder, "docs", `${host}.md`), "utf8")).toBe("mine");
  for (const { url, file } of index) {
    const path = new URL(url).pathname;
    if (file !== undefined)
      expect(readFileSync(join(folder, "docs", file), "utf8")).toContain(`The page ${path}`.slice(0, 40));
  }
  const again = await turnpike(...crawl("--out", "docs"));
  expect([again.code, again.errors]).toEqual([
    1,
    'turnpike call: Cannot write to "docs": it has results; name another one with --out\n',
  ]);
});

test("several formats of a page are a JSON file of a folder, and JSON on standard output", async () => {
  open.resolve();
  const formats = ["--set", "limit=1", "--set", 'formats=["text","links"]'];
  const results = { text: expect.stringContaining("The page / tells"), links: expect.any(Array) };
  expect((await turnpike(...crawl("--out", "docs", ...formats))).code).toBe(0);
  const [{ file = "", ...line } = {}] = linesOf("docs/index.ndjson");
  expect(file).toEndWith(".json");
  expect(line).not.toHaveProperty("results");
  expect(JSON.parse(readFileSync(join(folder, "docs", file), "utf8"))).toEqual(results);
  const { out } = await turnpike(...crawl(...formats));
  expect(JSON.parse(out.replace(/^==> .* <==\n/, ""))).toEqual(results);
});

test("after Ctrl-C the job goes on, and is resumed without a missing or a repeated line", async () => {
  const child = spawn(crawl("--out", "pages.ndjson"));
  await asked.promise;
  const hasFirst = () => existsSync(join(folder, "pages.ndjson")) && numbersOf("pages.ndjson").length > 0;
  while (!hasFirst()) await Bun.sleep(20);
  child.kill("SIGINT");
  const { code, errors } = await resultOf(child);
  expect(code).toBe(130);
  const [, id = ""] = /turnpike jobs resume ([\w-]+)\n$/.exec(errors) ?? [];
  expect(numbersOf("pages.ndjson")).toEqual([1]);
  const kept = join(folder, "home", "jobs", `${id}.json`);
  expect([statSync(kept).mode & 0o777, statSync(join(folder, "home", "jobs")).mode & 0o777]).toEqual([0o600, 0o700]);
  const listed = JSON.parse((await turnpike("jobs", "--json")).out) as object[];
  expect(listed).toMatchObject([{ id, state: "running", delivered: 1, limit: 100, out: join(folder, "pages.ndjson") }]);
  // A line that an earlier process has not finished.
  appendFileSync(join(folder, "pages.ndjson"), '{"number":2,"ur');
  open.resolve();
  expect((await turnpike("jobs", "resume", id.slice(0, 10))).code).toBe(0);
  expect(numbersOf("pages.ndjson")).toEqual(ALL);
  expect((await turnpike("jobs", "resume", id)).errors).toContain("completed: 7 of 100 pages");
  expect(numbersOf("pages.ndjson")).toEqual(ALL);
});

test("a detached job is shown, read, cancelled and forgotten by its id", async () => {
  const started = await turnpike(...crawl("--detach"));
  const id = started.out.trim();
  expect([started.code, started.errors]).toEqual([0, ""]);
  await asked.promise;
  const cancelled = await turnpike("jobs", "cancel", id);
  expect(cancelled.out).toContain("state       cancelled\n");
  const lines = (await turnpike("jobs", "results", id, "--json")).out.trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as Line).number)).toEqual([1]);
  const printed = await turnpike("jobs", "resume", id);
  expect([printed.code, printed.out]).toEqual([0, expect.stringContaining(`==> ${site.url.href} <==\n# Page /\n`)]);
  expect((await turnpike("jobs", "results", id, "--after", "1")).out).toBe("");
  expect((await turnpike("jobs", "forget", id)).code).toBe(0);
  expect(await turnpike("jobs")).toEqual({ code: 0, out: "", errors: "no jobs\n" });
  expect((await turnpike("jobs", "show", id)).errors).toContain(`No job with an id that begins with "${id}"`);
});

test("a terminal shows a bar that fits it, and the pages below their addresses", async () => {
  let shown = "";
  const decoder = new TextDecoder();
  const env = {
    ...process.env,
    TURNPIKE_HOME: join(folder, "home"),
    TURNPIKE_GATEWAY: baseUrl(made.service),
    NO_COLOR: "1",
  };
  const child = Bun.spawn([...COMMAND, ...crawl()], {
    cwd: folder,
    env,
    terminal: {
      cols: 70,
      rows: 50,
      data(_terminal, data) {
        shown += decoder.decode(data, { stream: true });
        if (shown.includes("] 1 of 100 pages")) open.resolve();
      },
    },
  });
  expect(await child.exited).toBe(0);
  child.terminal?.close();
  const bars = shown.match(/\S \[#*\.+\] 1 of 100 pages, \d addresses wait, \d+ s/g) ?? [];
  expect(bars.length).toBeGreaterThan(0);
  expect(bars.every((bar) => bar.length <= 70)).toBe(true);
  expect(shown).toContain(`==> ${site.url.href}a/b <==\r\n# Page /a/b\r\n`);
  expect(shown).toContain("completed: 7 of 100 pages, 1 failed");
});

test.each([
  [["jobs", "show", "x"], 'No job with an id that begins with "x"'],
  [["jobs", "nothing"], '"nothing" is not one of list, show'],
  [["call", "read", "u", "--detach"], "read is not a job; --detach is for jobs"],
])("wrong usage %p is explained", async (args, message) => {
  const { code, errors } = await turnpike(...args);
  expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
});
