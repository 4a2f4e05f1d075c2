import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { chmodSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { startContentService } from "../service.ts";
import { UNTRUSTED } from "../testing/certificate.ts";
import { baseUrl, call, type Reply, outcomeOf } from "../testing/client.ts";
import { browsers, descendantsOf, renderers } from "../testing/processes.ts";
import { startTestService } from "../testing/service.ts";
import { startSite } from "../testing/site.ts";
import { createStateFolder, withBrowser } from "../testing/state-folder.ts";
import { CdpConnection, type CdpFields } from "./program/cdp.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(150_000));

const site = startSite();
const { service, state, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.close();
});

function scrape(path: string, more: Record<string, unknown> = {}): Promise<Reply> {
  return call(service, "/scrape", { url: site.url + path, format: "text", timeout: 10, engine: "browser", ...more });
}

async function expectNextIsServed(): Promise<void> {
  const { status, json } = await scrape("/next-page");
  expect([status, json["content"]]).toEqual([200, "/next-page"]);
}

/** A browser program as a configuration names it: a script that executes the browser. */
async function ownBrowser(): Promise<string> {
  const program = join(state.path, "own-browser");
  const { path = "" } = service.browser ?? {};
  const folder = dirname(path);
  const environment = `LD_LIBRARY_PATH=${folder}/lib`;
  await Bun.write(program, `#!/bin/sh\n${environment} exec ${path} "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

function kill(processes: readonly { readonly pid: number }[]): void {
  for (const { pid } of processes) process.kill(pid, "SIGKILL");
}

test.each([
  ["never responds", "/never"],
  ["loops in a script while it loads", "/spin"],
  ["opens dialogs for ever", "/alerts-for-ever"],
])("a page that %s ends with its timeout", async (_what, path) => {
  const started = performance.now();
  const { status, json } = await scrape(path, { timeout: 1 });
  expect([status, json["detail"]]).toEqual([500, "Cannot finish loading the page within 1 s"]);
  expect(performance.now() - started).toBeLessThan(patient(20_000));
  await expectNextIsServed();
});

test("a page that loops after it has loaded ends with its timeout", async () => {
  expect(outcomeOf(await scrape("/spin-late", { timeout: 1 }))).toBe("500 page-timeout");
  await expectNextIsServed();
});

test("the timeout stops a script of the caller that never ends", async () => {
  expect(outcomeOf(await scrape("/", { timeout: 1, evaluate: "(() => { while (true); })()" }))).toBe(
    "500 page-timeout",
  );
  expect(outcomeOf(await scrape("/", { timeout: 1, evaluate: "new Promise(() => {})" }))).toBe("500 page-timeout");
  await expectNextIsServed();
});

test("a looping page affects no other page", async () => {
  const spinning = scrape("/spin", { timeout: 3 });
  await site.hit("/spin");
  await expectNextIsServed();
  expect(outcomeOf(await spinning)).toBe("500 page-timeout");
});

test("pages that wait for their server until the timeout do not delay the site's next page", async () => {
  const slow = startSite("127.0.0.5");
  const ask = (path: string, timeout: number): Promise<Reply> => scrape("", { url: slow.url + path, timeout });
  const late = await Promise.all(["/never?a", "/never?b", "/never?c"].map((path) => ask(path, 1)));
  expect(late.map(outcomeOf)).toEqual(Array(3).fill("500 page-timeout"));
  // Shorter than the delay of a site whose pages were busy three times.
  expect((await ask("/next-page", 5)).status).toBe(200);
  await slow.close();
});

test("dialogs are dismissed", async () => {
  expect((await scrape("/alerts")).json["content"]).toBe("after");
});

test("a page that both engines load is requested once, cookies and redirects included", async () => {
  const asked: string[] = [];
  const shell = `<!doctype html><title>Shell</title><div id="root"></div>
    <script>root.textContent = "Shown by script. ".repeat(20) + document.cookie</script>`;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const headers = { "content-type": "text/html", "set-cookie": `${pathname.slice(1)}=1` };
      return pathname === "/from"
        ? new Response(null, { status: 302, headers: { ...headers, location: "/shell" } })
        : new Response(shell, { headers });
    },
  });
  const { json } = await call(service, "/scrape", { url: `${server.url.href}from`, format: "text" });
  expect(json["metadata"]).toMatchObject({ engine: "browser", final_url: `${server.url.href}shell`, status: 200 });
  expect(json["content"]).toContain("Shown by script.");
  expect(json["content"]).toContain("from=1; shell=1");
  expect(asked).toEqual(["/from", "/shell"]);
  await server.stop(true);
});

test("a download is read without the browser, and rejected if it has no text", async () => {
  const { status, json } = await scrape("/download");
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-type-unsupported"]);
});

test.each(["/loop?n=1", "/script-loop?n=1"])("the redirect loop %s is an error", async (path) => {
  const { status, json } = await scrape(path);
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-failed"]);
  expect(String(json["detail"])).toContain("redirects");
});

test("the reason why a page cannot be loaded is not lost if the browser shows its error page first", async () => {
  using _ = spyOn(CdpConnection.prototype, "send").mockImplementation(async function (
    this: CdpConnection,
    ...[method, params = {}, session = ""]: Parameters<CdpConnection["send"]>
  ) {
    const ask = (name: string, fields: CdpFields): Promise<CdpFields> =>
      new Promise((resolve, reject) => this.post(name, fields, session, { resolve, reject }));
    const response = await ask(method, params);
    // The error page responds to this after the event of it.
    if (method === "Page.navigate") await ask("Runtime.evaluate", { expression: "0" });
    return response;
  });
  expect(String((await scrape("/loop?n=1")).json["detail"])).toContain("redirects");
});

test("popups do not open, and the page continues", async () => {
  const { json } = await scrape("/popups");
  expect(json).toMatchObject({ content: "main", metadata: { title: "opened" } });
  expect(site.hits.filter((path) => path.startsWith("/popup?"))).toEqual([]);
});

test("a page that never stops sending is an error, not a full memory", async () => {
  expect(outcomeOf(await scrape("/flood", { timeout: 2 }))).toMatch(/^500 page-(?:failed|timeout)$/);
  await expectNextIsServed();
});

test("a page that uses too much memory is stopped, and affects no other page", async () => {
  // A page that used some CPU time gets a processor only if no other program wants it.
  const greedy = scrape("/greedy", { timeout: 120 });
  await site.hit("/greedy");
  await expectNextIsServed();
  const { status, json } = await greedy;
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-failed"]);
  expect(String(json["detail"])).toContain("too much memory");
});

test("a server that does not exist is an error", async () => {
  const gone = startSite();
  await gone.close();
  const { status, json } = await call(service, "/scrape", { url: gone.url });
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-failed"]);
  expect(json["detail"]).toBe("Cannot load the page: its server does not accept connections");
});

test.each(["/pending-image", "/never"])(
  "a page whose tab crashes at %s is an error, and the next page is served",
  async (path) => {
    // The kill races with the tab: it comes before the page has loaded or after it.
    for (let round = 0; round < 10; round += 1) {
      const crashed = scrape(`${path}?crash-${round}`);
      await site.hit(`${path}?crash-${round}`);
      kill(renderers());
      const { status, json } = await crashed;
      const detail = "Cannot load the page: it crashed its tab";
      expect([status, json["detail"]]).toEqual([500, detail]);
    }
    await expectNextIsServed();
  },
);

test("a page whose tab crashes while it is captured is an error, and the next page is served", async () => {
  const body = { url: `${site.url}/scrolled-through`, full_page: true };
  const crashed = call(service, "/screenshot", body);
  await site.hit("/scrolled-to");
  kill(renderers());
  const { status, json } = await crashed;
  expect([status, json["detail"]]).toEqual([500, "Cannot load the page: it crashed its tab"]);
  await expectNextIsServed();
});

test("a browser that is killed fails its pages and is started again for the next", async () => {
  const failing = [scrape("/pending-image?kill"), scrape("/never?kill")];
  await site.hit("/pending-image?kill");
  await site.hit("/never?kill");
  kill(browsers());
  for (const reply of await Promise.all(failing)) {
    expect(reply.status).toBe(503);
    expect(reply.headers.get("retry-after")).toBe("2");
    expect(reply.json["detail"]).toBe("Cannot load the page: the browser stopped; try again");
  }
  await expectNextIsServed();
  expect(browsers()).toHaveLength(1);
});

test("a browser that hangs is replaced", async () => {
  const [browser] = browsers();
  process.kill(browser?.pid ?? 0, "SIGSTOP");
  expect(outcomeOf(await scrape("/", { timeout: 1 }))).toBe("500 page-timeout");
  await expectNextIsServed();
});

test("a certificate without a known issuer is an error that says so", async () => {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, tls: UNTRUSTED, fetch: () => new Response("secret") });
  const { status, json } = await call(service, "/scrape", { url: server.url.href, engine: "browser" });
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-failed"]);
  expect(json["detail"]).toBe("Cannot load the page: its certificate is not valid (ERR_CERT_AUTHORITY_INVALID)");
  await server.stop(true);
});

test("health is 503 while the browser does not start, and 200 again when it does", async () => {
  const program = await ownBrowser();
  const other = await startContentService({
    listen: { hostname: "127.0.0.1", port: 0 },
    stateDir: withBrowser(join(state.path, "other")),
    allowPrivate: true,
    browserPath: program,
    log: () => undefined,
  });
  const health = () => fetch(`${baseUrl(other)}/health`);
  // The reported health can be a second old.
  const healthBecomes = async (status: number) => {
    for (;;) {
      const response = await health();
      if (response.status === status) return response;
      await Bun.sleep(20);
    }
  };
  expect((await health()).status).toBe(200);
  renameSync(program, `${program}.away`);
  kill(browsers().filter(({ command }) => command.includes(join(state.path, "other"))));
  const scraped = await call(other, "/scrape", { url: site.url, engine: "browser" });
  expect([scraped.status, scraped.json["type"]]).toEqual([503, "urn:turnpike:error:browser-unavailable"]);
  const degraded = await healthBecomes(503);
  expect(await degraded.json()).toMatchObject({ detail: "The browser does not start" });
  renameSync(`${program}.away`, program);
  await healthBecomes(200);
  expect((await call(other, "/scrape", { url: site.url, engine: "browser" })).status).toBe(200);
  await other.close();
});

test("a client that goes away frees its place", async () => {
  const leaving = new AbortController();
  const { address } = service;
  const url = "port" in address ? `http://${address.hostname}:${address.port}/scrape` : "";
  const gone = fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: `${site.url}/never?leaving`, timeout: 120 }),
    signal: leaving.signal,
  }).catch(() => undefined);
  await site.hit("/never?leaving");
  const before = renderers().length;
  leaving.abort();
  await gone;
  await expectNextIsServed();
  expect(renderers().length).toBeLessThanOrEqual(before);
});

test("forty concurrent pages are all served", async () => {
  const replies = await Promise.all(Array.from({ length: 40 }, (_, n) => scrape(`/page-${n}`)));
  expect(replies.map((reply) => reply.json["content"])).toEqual(replies.map((_, n) => `/page-${n}`));
});

test("no process and no profile remains when the service closes", async () => {
  const own = createStateFolder();
  const other = await startContentService({
    listen: { hostname: "127.0.0.1", port: 0 },
    stateDir: own.path,
    allowPrivate: true,
    browserPath: await ownBrowser(),
    log: () => undefined,
  });
  expect(browsers()).toHaveLength(2);
  await call(other, "/scrape", { url: site.url, engine: "browser" });
  await other.close();
  expect(browsers()).toHaveLength(1);
  // The zombies of its helpers would still be found by their name.
  const [mine] = browsers();
  const left = descendantsOf(process.pid).filter(({ name }) => name === mine?.name);
  const owned = [mine, ...descendantsOf(mine?.pid ?? 0)].map((found) => found?.pid);
  expect(left.filter(({ pid }) => !owned.includes(pid))).toEqual([]);
  expect([...new Bun.Glob("browser/profile-*").scanSync({ cwd: own.path, onlyFiles: false })]).toEqual([]);
  own.remove();
});
