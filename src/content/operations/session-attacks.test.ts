/** Pages of two sessions that are loaded at once, of one site, and that look for each other in all that a browser shares. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { call } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(90_000));

/** A worker that tells each page which pages it has. */
const WORKER = `const names = [];
  addEventListener("connect", ({ ports: [port] }) => {
    port.onmessage = ({ data }) => { if (data !== "") names.push(data); port.postMessage(names); };
  });`;

/** Leaves a mark everywhere, waits until the other page has done so too, and shows what it finds. */
const SPY = `
  const me = new URL(location.href).searchParams.get("me");
  const found = new Set();
  const channel = new BroadcastChannel("all");
  channel.onmessage = ({ data }) => { found.add("channel " + data); };
  addEventListener("storage", ({ newValue }) => { found.add("event " + newValue); });
  const worker = new SharedWorker("/worker.js").port;
  const asked = (text) => new Promise((resolve) => { worker.onmessage = ({ data }) => resolve(data); worker.postMessage(text); });
  const settled = (request) => new Promise((resolve, reject) => { request.onsuccess = () => resolve(request.result); request.onerror = reject; });
  localStorage.setItem("mark " + me, me);
  document.cookie = "mark" + me + "=" + me;
  await settled(indexedDB.open("mark " + me));
  await (await caches.open("mark " + me)).put("/mark", new Response(me));
  const root = await navigator.storage.getDirectory();
  await root.getFileHandle("mark " + me, { create: true });
  await navigator.serviceWorker.register("/service-worker.js?" + me, { scope: "/" + me });
  void navigator.locks.request("mark " + me, () => new Promise(() => {}));
  await asked(me);
  await fetch("/meet?me=" + me);
  channel.postMessage(me);
  localStorage.setItem("again " + me, me);
  await fetch("/meet?me=again" + me);
  for (const name of await asked("")) found.add("worker " + name);
  for (let at = 0; at < localStorage.length; at += 1) found.add("storage " + localStorage.key(at).split(" ")[1]);
  for (const one of document.cookie.split("; ")) found.add("cookie " + one.split("=")[1]);
  for (const { name } of await indexedDB.databases()) found.add("database " + name.split(" ")[1]);
  for (const name of await caches.keys()) found.add("cache " + name.split(" ")[1]);
  for await (const name of root.keys()) found.add("file " + name.split(" ")[1]);
  for (const { scope } of await navigator.serviceWorker.getRegistrations()) found.add("service " + scope.slice(-1));
  for (const { name } of (await navigator.locks.query()).held) found.add("lock " + name.split(" ")[1]);
  return [...found].sort().join(", ");`;

/** Resolves each time two pages have come. */
let meeting = Promise.withResolvers<void>();
let waiting = 0;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname.endsWith(".js")) return new Response(WORKER, { headers: { "content-type": "text/javascript" } });
    if (pathname === "/meet") {
      const { promise, resolve } = meeting;
      waiting += 1;
      if (waiting === 2) {
        [waiting, meeting] = [0, Promise.withResolvers()];
        resolve();
      }
      await promise;
      return new Response("met");
    }
    const page = `<p id="shown">loading</p><script type="module">
      const run = async () => { ${SPY} };
      document.getElementById("shown").textContent = await run().catch(String);
      document.body.insertAdjacentHTML("beforeend", "<i id=done></i>");</script>`;
    return new Response(page, { headers: { "content-type": "text/html" } });
  },
});
const { service, close } = await startTestService();

afterAll(async () => {
  await close();
  await server.stop(true);
});

test("pages of two sessions that are loaded at once find nothing of each other, by any way between pages of a site", async () => {
  const seen = await Promise.all(
    ["A", "B"].map(async (me) => {
      const { json } = await call(service, "/sessions", {});
      const session = { session: json["id"], session_secret: json["secret"] };
      const url = `http://127.0.0.1:${server.port}/?me=${me}`;
      const page = { url, format: "text", engine: "browser", selector: "#done", timeout: 60, ...session };
      const reply = await call(service, "/scrape", page);
      return reply.json["content"];
    }),
  );
  const kinds = ["cache", "cookie", "database", "file", "lock", "service", "storage", "worker"];
  expect(seen).toEqual(["A", "B"].map((me) => kinds.map((kind) => `${kind} ${me}`).join(", ")));
});
