import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { call } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";

setDefaultTimeout(patient(60_000));

const WORDS = "A lamp stands on a desk, and gives a warm light to a reader who turns the page. ".repeat(4);
const page = (links: string): string =>
  `<!doctype html><title>Lamp</title>${links}<h1>Lamp</h1><dl><dt>Brand<dd>Nordlys</dl><dl class=x><dt>Warranty<dd>99 years</dl><p>${WORDS}</p>`;
const link = (href: string): string => `<link rel=stylesheet href="${href}">`;
const MANY = Array.from({ length: 60 }, (_, at) => link(`/many/${at}.css`)).join("");

const PAGES: Readonly<Record<string, string>> = {
  "/plain": page(link("/plain.css")),
  "/hidden": page(link("/first.css")),
  "/unasked": page(link("/unasked.css")),
  "/gone": page(link("/404.css")),
  "/failed": page(link("/500.css")),
  "/other-type": page(link("/text.css")),
  "/many": page(MANY),
};
const SHEETS: Readonly<Record<string, string>> = {
  "/plain.css": "p{color:#333}",
  "/first.css": "@import url('deep/second.css');",
  "/deep/second.css": "@import 'third.css';",
  "/deep/third.css": ".x{display:none}",
};

/** The requests for style sheets, with their cookies and fields of the caller. */
const asked: string[] = [];
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch({ url, headers }) {
    const { pathname } = new URL(url);
    const html = PAGES[pathname];
    if (html !== undefined) {
      return new Response(html, { headers: { "content-type": "text/html", "set-cookie": "seen=1" } });
    }
    asked.push(`${pathname} ${headers.get("cookie") ?? ""}${headers.get("x-own") ?? ""}`);
    const status = pathname === "/404.css" ? 404 : pathname === "/500.css" ? 500 : 200;
    const type = pathname === "/text.css" ? "text/plain" : "text/css";
    return new Response(SHEETS[pathname] ?? "", { status, headers: { "content-type": type } });
  },
});
const { service, close } = await startTestService();

afterAll(async () => {
  await close();
  await site.stop(true);
});

const SCHEMA = { type: "object", properties: { brand: { type: "string" }, warranty: { type: "string" } } };
const read = async (path: string, more: object = {}, operation = "/extract"): Promise<Record<string, unknown>> => {
  const url = new URL(path, site.url).href;
  const { status, json } = await call(service, operation, { url, engine: "static", schema: SCHEMA, ...more });
  expect([status, json]).toEqual([200, json]);
  return json;
};
/** The page when its style sheets have arrived in time, which a busy machine may prevent at first. */
const readWhole = async (path: string, more: object = {}): Promise<Record<string, unknown>> => {
  for (;;) {
    const json = await read(path, more);
    if (shown(json) === true) return json;
  }
};
const shown = ({ sources }: Record<string, unknown>): unknown =>
  (sources as Record<string, { readonly shown: boolean }>)["/brand"]?.shown; // The shape of the response.

test("a value that an imported style sheet hides is left out, and other values are known to be seen", async () => {
  expect((await readWhole("/hidden"))["data"]).toEqual({ brand: "Nordlys", warranty: null });
  expect((await readWhole("/plain"))["data"]).toEqual({ brand: "Nordlys", warranty: "99 years" });
});

test("values are not known to be seen if a style sheet does not load, unless it is gone", async () => {
  for (const path of ["/failed", "/other-type", "/many"])
    expect([path, shown(await read(path))]).toEqual([path, false]);
  expect((await read("/failed", { shown_only: true }))["data"]).toEqual({ brand: null, warranty: null });
  expect(shown(await readWhole("/gone"))).toBe(true);
  expect(new Set(asked.filter((one) => one.startsWith("/many/"))).size).toBeLessThanOrEqual(32);
});

test("with auto, a browser decides about values that style sheets hide, or may hide", async () => {
  for (const [path, warranty] of [
    ["/hidden", null],
    ["/other-type", "99 years"],
  ] as const) {
    // The document counts when the browser of a busy machine fails.
    let json: Record<string, unknown> = {};
    while ((json["metadata"] as { readonly engine?: string } | undefined)?.engine !== "browser") {
      json = await read(path, { engine: "auto", timeout: 60 });
    }
    expect([json["data"], shown(json)]).toEqual([{ brand: "Nordlys", warranty }, true]);
  }
});

test("style sheets are requested without cookies and fields of a caller", async () => {
  asked.length = 0;
  const own = { headers: { "x-own": "secret" }, cookies: [{ name: "a", value: "b" }] };
  expect((await readWhole("/hidden", own))["data"]).toEqual({ brand: "Nordlys", warranty: null });
  // A request of an earlier test may arrive late.
  expect(new Set(asked.filter((one) => !one.startsWith("/many/")))).toEqual(
    new Set(["/first.css ", "/deep/second.css ", "/deep/third.css "]),
  );
});

test("style sheets are requested only for fields by a schema, also as one of several formats", async () => {
  await read("/unasked", { schema: undefined, selectors: { brand: "dd" } });
  await read("/unasked", { schema: undefined }, "/scrape");
  expect(asked.filter((one) => one.startsWith("/unasked"))).toEqual([]);
  const formats = ["markdown", { type: "json", schema: SCHEMA }];
  await read("/unasked", { schema: undefined, formats }, "/scrape");
  expect(asked.filter((one) => one.startsWith("/unasked"))).toEqual(["/unasked.css "]);
});
