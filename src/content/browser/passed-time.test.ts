import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { call } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const WORDS = "<main><p>The mill has three wheels.</p></main>";
const add = (words: string) => `document.querySelector("main").append("${words}")`;

const PAGES: Readonly<Record<string, string>> = {
  "/timer": `${WORDS}<script>setTimeout(() => { ${add("Added by a timer.")} }, 3_500)</script>`,
  "/later": `${WORDS}<script>setTimeout(() => { ${add("Added later.")} }, 30_000)</script>`,
  "/request": `${WORDS}<script>setTimeout(async () => {
    const words = await (await fetch("/words")).text();
    setTimeout(() => { ${add("And then.")}; document.querySelector("main").append(words); }, 900);
  }, 1_200)</script>`,
  "/stream": `${WORDS}<script>new EventSource("/never"); setTimeout(() => { ${add("Added beside a stream.")} }, 900)</script>`,
  "/endless": `${WORDS}<script>(function again() { setTimeout(again, 0); })(); (function frame() { requestAnimationFrame(frame); })();
    setTimeout(() => { ${add("Added beside others.")} }, 2_000)</script>`,
  "/counts": `${WORDS}<p id="count">0</p><script>requestAnimationFrame(function step(now) {
    const part = Math.min(1, now / 1_500);
    count.textContent = Math.round(part * 1_840) + " sacks";
    if (part < 1) requestAnimationFrame(step);
  })</script>`,
  "/refresh": `<meta http-equiv="refresh" content="3; url=/timer"><title>Stays</title>${WORDS}<script>setTimeout(() => { ${add("Added before the refresh.")} }, 900)</script>`,
  "/leaves": `${WORDS}<script>setTimeout(() => { location.href = "/arrived"; }, 2_000)</script>`,
  "/reloads": `${WORDS}<script>setTimeout(() => { ${add("Added before the reload.")} }, 300); setTimeout(() => location.reload(), 900)</script>`,
  "/turns": `<title>One of two</title>${WORDS}<script>setTimeout(() => { location.href = "/turns?" + Math.random(); }, 3_000)</script>`,
  "/late": `${WORDS}<script>setTimeout(() => { location.href = "/slow"; }, 3_900)</script>`,
  "/slow": `<title>Arrived late</title><main><p>Here is the slow page.</p><img src="/dot.svg"></main><script>setTimeout(() => { location.href = "/never"; }, 60_000)</script>`,
  "/arrived": `<title>Arrived</title><main><p>Here is the other page.</p><img src="/dot.svg"></main>`,
};

let site: Bun.Server<undefined>;
let content: TestService;

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/never") {
        const stream = new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(":\n")),
        });
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      }
      if (pathname === "/words") {
        await Bun.sleep(300);
        return new Response("Words of the server.");
      }
      const body = PAGES[pathname];
      if (body === undefined) return new Response("", { status: 404 });
      return new Response(`<!doctype html>${body}`, { headers: { "content-type": "text/html" } });
    },
  });
  content = await startTestService();
});

afterAll(async () => {
  await content.close();
  await site.stop(true);
});

async function read(path: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { status, json } = await call(content.service, "/scrape", {
    url: new URL(path, site.url).href,
    format: "text",
    engine: "browser",
    timeout: 60,
    ...more,
  });
  return status === 200 ? String(json["content"]) : `${status} ${String(json["detail"])}`;
}

test.each<[path: string, words: string]>([
  ["/timer", "Added by a timer."],
  ["/request", "And then.Words of the server."],
  ["/stream", "Added beside a stream."],
  ["/endless", "Added beside others."],
  ["/counts", "1840 sacks"],
  ["/refresh", "Added before the refresh."],
  ["/leaves", "Here is the other page."],
  ["/reloads", "The mill has three wheels."],
  ["/turns", "The mill has three wheels."],
  ["/late", "Here is the slow page."],
])("a read of %s has what the page's timers add within seconds", async (path, words) => {
  expect(await read(path)).toContain(words);
});

test("auto reads the same as browser", async () => {
  expect(await read("/timer", { engine: "auto" })).toContain("Added by a timer.");
});

test("a timer of half a minute does not run", async () => {
  expect(await read("/later")).not.toContain("Added later.");
});

test("a page whose reader says when it is done is read then", async () => {
  expect(await read("/timer", { wait_until: "domcontentloaded" })).not.toContain("Added by a timer.");
  expect(await read("/timer", { wait: 0.01 })).not.toContain("Added by a timer.");
});
