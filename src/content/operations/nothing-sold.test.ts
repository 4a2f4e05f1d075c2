import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type ContentService, startContentService } from "../service.ts";
import { call } from "../testing/client.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const page = (body: string) =>
  new Response(`<!doctype html><title>Page</title><body>${body}`, { headers: { "content-type": "text/html" } });

const PAGES: Readonly<Record<string, () => Response>> = {
  "/field": () => page("<form><input></form>"),
  "/dialog": () => page("<img src=/dot><dialog>Nobody opens this.</dialog>"),
  "/shown-late": () => page(`<input><script src="/late.js"></script>`),
  "/late.js": () => new Response(`document.body.append("Shown by a script")`),
  "/spaces.txt": () => new Response(" \n", { headers: { "content-type": "text/plain" } }),
};

const state = createStateFolder();
let service: ContentService;
let site: Bun.Server<undefined>;

beforeAll(async () => {
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => PAGES[new URL(request.url).pathname]?.() ?? new Response("", { status: 404 }),
  });
  service = await startContentService({
    listen: { hostname: "127.0.0.1", port: 0 },
    stateDir: state.path,
    allowPrivate: true,
    log: () => undefined,
  });
});

afterAll(async () => {
  await service.close();
  await site.stop(true);
  state.remove();
});

const url = (path: string) => new URL(path, site.url).href;

test.each<[string, string, Record<string, unknown>]>([
  ["/scrape", "/field", { format: "text" }],
  ["/scrape", "/field", { format: "markdown", engine: "static" }],
  ["/scrape", "/dialog", { format: "text", engine: "browser" }],
  ["/read", "/field", {}],
  ["/screenshot", "/spaces.txt", {}],
  ["/pdf", "/spaces.txt", {}],
])("%s of %s with %j is an error, because the requested content is empty", async (operation, path, more) => {
  const { status, json } = await call(service, operation, { url: url(path), timeout: 30, ...more });
  expect([status, json["type"]]).toEqual([500, "urn:turnpike:error:page-empty"]);
});

test("a page of pictures is shown, and returned in Markdown, although it has no text", async () => {
  const markdown = await call(service, "/scrape", { url: url("/dialog"), engine: "static" });
  expect(markdown.json["content"]).toBe(`![](${url("/dot")})`);
  expect((await call(service, "/screenshot", { url: url("/dialog") })).status).toBe(200);
  const links = await call(service, "/scrape", { url: url("/field"), format: "links" });
  expect([links.status, links.json["content"]]).toEqual([200, ""]);
});

test("a page that seems to have no text is tried in a browser", async () => {
  const { json } = await call(service, "/scrape", { url: url("/shown-late"), format: "text" });
  expect(json["content"]).toBe("Shown by a script");
});
