import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { call } from "../testing/client.ts";
import { startTestService, type TestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const WORDS =
  "<main><h1>The ferry</h1><p>The ferry crosses the river every twenty minutes from six in the morning, and on Sundays from eight.</p><p>It takes twelve cars and sixty people. If the water is higher than four metres at the gauge of the mill, it stays at the eastern bank, and a bus goes by the bridge in its place.</p><p>Bicycles and children are free, dogs pay half, and horses have to be led on board.</p></main>";
const TABLE = `${WORDS}<table><thead><tr><th>Leaves</th></tr></thead><tbody></tbody></table>`;
const FAR = `${WORDS}<div style="height: 3000px"></div>`;

interface Page {
  readonly html: string;
  readonly script?: string;
  readonly words: string;
}

const PAGES: Readonly<Record<string, Page>> = {
  "/socket": {
    html: `${TABLE}<script src="/socket.js"></script>`,
    script: `const socket = new WebSocket("ws://" + location.host + "/messages");
      socket.onmessage = ({ data }) => { document.querySelector("table").tBodies[0].insertRow().insertCell().textContent = data; };`,
    words: "07:20 from the mill",
  },
  "/inline-socket": {
    html: `${TABLE}<script>new WebSocket("ws://" + location.host + "/messages").onmessage = ({ data }) => {
      document.querySelector("table").tBodies[0].insertRow().insertCell().textContent = data; };</script>`,
    words: "07:20 from the mill",
  },
  "/worker": {
    html: `${WORDS}<p>Next: <b id="next">…</b></p><script src="/worker.js"></script>`,
    script: `const work = "setTimeout(() => postMessage('at a quarter past'), 900)";
      new Worker(URL.createObjectURL(new Blob([work]))).onmessage = ({ data }) => { document.getElementById("next").textContent = data; };`,
    words: "Next: at a quarter past",
  },
  "/replaced": {
    html: `${FAR}<p class="motto">A motto.</p><script src="/replaced.js"></script>`,
    script: `const motto = document.querySelector(".motto");
      new IntersectionObserver(([entry]) => { if (entry.isIntersecting) motto.textContent = "Rivers join what they part."; }).observe(motto);`,
    words: "Rivers join what they part.",
  },
};

let site: Bun.Server<undefined>;
let content: TestService;
const requests: string[] = [];

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request, server) {
      const { pathname } = new URL(request.url);
      if (pathname === "/messages") return server.upgrade(request) ? undefined : new Response("", { status: 400 });
      requests.push(pathname);
      const page = PAGES[pathname.replace(/\.js$/, "")];
      if (page === undefined) return new Response("", { status: 404 });
      const headers = { "cache-control": "no-store" };
      if (pathname.endsWith(".js")) {
        return new Response(page.script, { headers: { ...headers, "content-type": "text/javascript" } });
      }
      return new Response(`<!doctype html><title>Ferry</title>${page.html}`, {
        headers: { ...headers, "content-type": "text/html; charset=utf-8" },
      });
    },
    websocket: {
      open(socket) {
        setTimeout(() => socket.send("07:20 from the mill"), 900);
      },
      message() {},
    },
  });
  content = await startTestService();
});

afterAll(async () => {
  await content.close();
  await site.stop(true);
});

async function read(path: string, engine: string): Promise<string> {
  const url = new URL(path, site.url).href;
  const { json } = await call(content.service, "/scrape", { url, format: "text", engine, timeout: 60 });
  return String(json["content"] ?? json["detail"]).replaceAll(/\s+/g, " ");
}

const CASES = Object.entries(PAGES).flatMap(([path, { words }]) =>
  ["auto", "browser"].map((engine) => [path, engine, words] as const),
);

test.each(CASES)("%s has with %s what its script fills late", async (path, engine, words) => {
  expect(await read(path, engine)).toContain(words);
});

test("the browser engine requests a page and its script once", async () => {
  requests.length = 0;
  await read("/replaced", "browser");
  expect(requests.filter((path) => path.startsWith("/replaced"))).toEqual(["/replaced", "/replaced.js"]);
});
