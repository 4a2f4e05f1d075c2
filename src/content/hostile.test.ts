import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { type ContentService } from "./service.ts";
import { call, type Reply, outcomeOf } from "./testing/client.ts";
import { browsers } from "./testing/processes.ts";
import { startLocalService } from "./testing/service.ts";
import { createStateFolder } from "./testing/state-folder.ts";
import { patient } from "../lib/testing/patience.ts";
import { smallDisk } from "../lib/testing/small-disk.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(120_000));

const state = createStateFolder();
let service: ContentService;
let site: Bun.Server<undefined>;

const HTML = { "content-type": "text/html; charset=utf-8" };
const MEBIBYTE = 1024 * 1024;
/** A document that expands to a thousand times its size. */
const BOMB = new Uint8Array(gzipSync(Buffer.alloc(256 * MEBIBYTE, "<p>a</p>")));

function endless(piece: Uint8Array<ArrayBuffer>): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
}

const NEVER = new Promise<Response>(() => undefined);

const PAGES: Readonly<Record<string, (url: URL) => Response | Promise<Response>>> = {
  "/plain": () => new Response("<p>served</p>", { headers: HTML }),
  "/stalled": () => NEVER,
  "/stalled-body": () =>
    new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("<p>begun")) }),
      { headers: HTML },
    ),
  "/bomb": () => new Response(BOMB, { headers: { ...HTML, "content-encoding": "gzip" } }),
  "/two-gigabytes": () =>
    new Response(endless(new Uint8Array(MEBIBYTE).fill(32)), { headers: { ...HTML, "content-length": "2147483648" } }),
  "/redirects": (url) => Response.redirect(`${url.origin}/redirects?n=${Number(url.searchParams.get("n")) + 1}`, 302),
  "/circle": (url) => Response.redirect(`${url.origin}/circle`, 302),
  "/alerts": () => new Response("<p>x<script>for (;;) alert('again')</script>", { headers: HTML }),
  "/spins": () => new Response("<p>x<script>while (true);</script>", { headers: HTML }),
  "/frames": () =>
    new Response(
      `<p>x<script>for (let i = 0; i < 10000; i += 1) document.body.append(Object.assign(document.createElement("iframe"), { src: "/plain?" + i }))</script>`,
      { headers: HTML },
    ),
  "/windows": () =>
    new Response(`<p>opened<script>for (let i = 0; i < 200; i += 1) window.open("/plain?" + i)</script>`, {
      headers: HTML,
    }),
  "/nested": () => new Response("<div><b><table>".repeat(300_000), { headers: HTML }),
  "/grows": () =>
    new Response(`<p>x<script>for (;;) document.body.append(document.body.cloneNode(true))</script>`, {
      headers: HTML,
    }),
};

beforeAll(async () => {
  site = Bun.serve({
    // The server has several addresses: pages of a site that exceeded a limit are delayed, and other pages must not be.
    hostname: "0.0.0.0",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const url = new URL(request.url);
      return PAGES[url.pathname]?.(url) ?? new Response("no such page", { status: 404 });
    },
  });
  service = await startLocalService(state.path);
});

afterAll(async () => {
  await service.close();
  await site.stop(true);
  state.remove();
});

/** Seconds that most pages get, and those that must be served, which end by themselves. */
const TIMEOUT = 6;
const SERVED = 60;

interface Asked {
  readonly host?: string;
  readonly operation?: string;
  readonly timeout?: number;
}

function ask(path: string, engine: string, asked: Asked = {}): Promise<Reply> {
  const { host = "127.0.0.1", operation = "/scrape", timeout = TIMEOUT } = asked;
  return call(service, operation, { url: `http://${host}:${site.port}${path}`, engine, timeout });
}

/** Another site than the hostile pages'. */
const OTHER: Asked = { host: "127.0.0.2", timeout: SERVED };
const LATE = /^500 page-timeout$/;
const FAILED = /^500 page-(?:failed|timeout|empty)$/;
const SERVED_OR_FAILED = /^(?:200|500 page-(?:failed|timeout|empty))$/;

/**
 * The permitted results of each page, first with the static engine if it is used, then in a browser. Pages that wait or spin until
 * their timeout get a short one.
 */
test.each<[what: string, path: string, outcomes: RegExp, timeout?: number]>([
  ["never responds", "/stalled", LATE, 2],
  ["stops in the middle of its body", "/stalled-body", LATE, 2],
  ["is a gzip bomb", "/bomb", FAILED],
  ["is two gigabytes long", "/two-gigabytes", FAILED],
  ["redirects to new URLs without end", "/redirects", FAILED],
  ["redirects to itself", "/circle", FAILED],
  ["asks again and again", "/alerts", SERVED_OR_FAILED, 2],
  ["spins", "/spins", SERVED_OR_FAILED, 2],
  ["has 10,000 frames", "/frames", SERVED_OR_FAILED, 3],
  ["opens windows", "/windows", /^200$/, SERVED],
  ["is a pile of open tags", "/nested", SERVED_OR_FAILED, 3],
  ["grows without end", "/grows", SERVED_OR_FAILED, 3],
])("a page that %s ends in a result, and the next page of another site is served", async (...given) => {
  const [, path, outcomes, timeout = TIMEOUT] = given;
  const operations = [
    () => ask(path, "auto", { timeout }),
    () => ask(path, "browser", { timeout }),
    () => ask(path, "auto", { timeout, operation: "/read" }),
  ];
  // On a busy machine a page that must be served may need more than the longest time.
  const isTooSlow = (outcome: string): boolean => timeout === SERVED && LATE.test(outcome);
  await Promise.all(
    operations.map(async (operation) => {
      let outcome = outcomeOf(await operation());
      while (isTooSlow(outcome)) outcome = outcomeOf(await operation());
      expect(outcome).toMatch(outcomes);
    }),
  );
  for (const engine of ["static", "browser"]) {
    const next = await ask("/plain", engine, OTHER);
    expect([next.status, next.json["content"]]).toEqual([200, "served"]);
  }
});

test("a browser that is killed while pages load and tabs open is replaced for the next request", async () => {
  for (let round = 0; round < 10; round += 1) {
    expect((await ask("/plain", "browser", OTHER)).status).toBe(200);
    const failing = [
      ask("/stalled", "browser", { ...OTHER, timeout: TIMEOUT }),
      ask("/plain", "browser", OTHER),
      ask("/plain", "browser", OTHER),
    ];
    // Some rounds kill the browser before its tabs are open, others after.
    for (let turn = 0; turn < round * 20; turn += 1) await new Promise((next) => setImmediate(next));
    for (const { pid } of browsers()) process.kill(pid, "SIGKILL");
    for (const { status } of await Promise.all(failing)) expect([200, 500, 503]).toContain(status);
  }
  expect((await ask("/plain", "browser", OTHER)).status).toBe(200);
});

test("a full disk does not prevent pages from being read (needs the right to mount)", async () => {
  using disk = smallDisk("320m");
  if (!disk.isMounted) return;
  const other = await startLocalService(disk.path);
  try {
    disk.fill();
    for (const engine of ["static", "browser"]) {
      const { status, json } = await call(other, "/scrape", {
        url: `http://127.0.0.2:${site.port}/plain`,
        engine,
        timeout: 20,
      });
      expect([status, json["content"]]).toEqual([200, "served"]);
    }
  } finally {
    await other.close();
  }
});
