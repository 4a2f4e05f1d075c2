import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";
import { pollUntil } from "../../lib/time/poll-until.ts";
import { baseUrl, call, outcomeOf, type Reply } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";
import { startSite } from "../testing/site.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const site = startSite();
const other = startSite("127.0.0.2");
const { service, state, close } = await startTestService({ pageCache: { maxBytes: 1e6, hitPrice: 100 } });

afterAll(async () => {
  await close();
  await Promise.all([site.close(), other.close()]);
});

interface Made {
  readonly id: string;
  readonly secret: string;
}

async function create(body: Record<string, unknown> = {}): Promise<Made> {
  const { status, json } = await call(service, "/sessions", body);
  expect(status).toBe(201);
  return { id: String(json["id"]), secret: String(json["secret"]) };
}

const scrape = ({ id, secret }: Made, url: string, more: Record<string, unknown> = {}) =>
  call(service, "/scrape", { url, format: "text", session: id, session_secret: secret, timeout: 20, ...more });

async function about(path: string, secret: string, method = "GET"): Promise<Reply> {
  const response = await fetch(baseUrl(service) + path, { method, headers: { "x-session-secret": secret } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  // Each JSON response of the service is an object.
  const json = JSON.parse(Buffer.from(bytes).toString()) as Reply["json"];
  return { status: response.status, headers: response.headers, json, bytes };
}

const words = ({ json }: Reply) => String(json["content"]).split(/\s+/);

describe("a session", () => {
  test("keeps cookies and localStorage from page to page, in both engines", async () => {
    const made = await create();
    const url = `${site.url}/cookies`;
    expect(words(await scrape(made, url, { engine: "browser" }))).toEqual(["none", "none"]);
    expect(words(await scrape(made, url, { engine: "browser" }))).toEqual(["visitor=1", "yes"]);
    expect(words(await scrape(made, url, { engine: "static" }))).toEqual(["visitor=1"]);
    // Without the session, and in another one, nothing is known.
    expect(words(await call(service, "/scrape", { url, format: "text", engine: "browser" }))).toEqual(["none", "none"]);
    expect(words(await scrape(await create(), url, { engine: "browser" }))).toEqual(["none", "none"]);
  });

  test("takes a cookie of the static engine to the browser, and to screenshots, PDF, extraction and articles", async () => {
    const made = await create();
    expect(words(await scrape(made, `${site.url}/cookies`, { engine: "static" }))).toEqual(["none"]);
    const own = { url: `${site.url}/cookies`, session: made.id };
    const secret = { "x-session-secret": made.secret };
    const extracted = await call(
      service,
      "/extract",
      { ...own, selectors: { cookie: "#cookie" }, engine: "browser" },
      secret,
    );
    expect(extracted.json["data"]).toEqual({ cookie: "visitor=1" });
    const from = site.hits.length;
    for (const path of ["/screenshot", "/pdf", "/read"]) {
      const { status } = await call(service, path, { ...own, url: `${site.url}/article` }, secret);
      expect([path, status]).toEqual([path, 200]);
    }
    expect(site.hits.slice(from).filter((path) => path === "/article")).toHaveLength(3);
    expect((await about(`/sessions/${made.id}`, made.secret)).json).toMatchObject({ uses: 5 });
  });

  test("gives the cookies and the storage of a host to this host alone", async () => {
    const made = await create();
    await scrape(made, `${site.url}/cookies`, { engine: "browser" });
    expect(words(await scrape(made, `${other.url}/cookies`, { engine: "browser" }))).toEqual(["none", "none"]);
    expect(words(await scrape(made, `${other.url}/cookies`, { engine: "browser" }))).toEqual(["visitor=1", "yes"]);
    expect(words(await scrape(made, `${site.url}/cookies`, { engine: "browser" }))).toEqual(["visitor=1", "yes"]);
  });

  test("leaves nothing in the state folder that can be read", async () => {
    const made = await create();
    await scrape(made, `${site.url}/cookies`, { engine: "browser" });
    const files = readdirSync(state.path).filter((name) => name.startsWith("jobs.sqlite"));
    const text = Buffer.concat(files.map((name) => readFileSync(join(state.path, name))));
    expect(text.includes(made.id)).toBe(true);
    expect([text.includes(made.secret), text.includes("visitor")]).toEqual([false, false]);
  });

  test("is not found with another secret, and ends with DELETE", async () => {
    const made = await create();
    const wrong = { ...made, secret: "x".repeat(32) };
    const path = `/sessions/${made.id}`;
    expect(outcomeOf(await scrape(wrong, `${site.url}/article`))).toBe("404 not-found");
    expect(outcomeOf(await scrape({ ...made, id: "0".repeat(32) }, `${site.url}/article`))).toBe("404 not-found");
    expect(outcomeOf(await call(service, "/scrape", { url: site.url, session: made.id }))).toBe("404 not-found");
    expect(outcomeOf(await about(path, wrong.secret, "DELETE"))).toBe("404 not-found");
    expect((await about(path, made.secret)).status).toBe(200);
    expect((await about(path, made.secret, "DELETE")).json).toMatchObject({ id: made.id });
    expect(outcomeOf(await about(path, made.secret))).toBe("404 not-found");
    expect(outcomeOf(await scrape(made, `${site.url}/article`))).toBe("404 not-found");
  });

  test("is listed with the others of its secret, which a client may give", async () => {
    const made = await create();
    const second = await call(service, "/sessions", { session_secret: made.secret });
    expect([second.status, second.json["secret"]]).toEqual([201, made.secret]);
    const { json } = await about("/sessions", made.secret);
    // Both may have been made within one millisecond.
    const listed = (json["sessions"] as readonly { id: string }[]).toSorted((a, b) => (a.id < b.id ? -1 : 1)); // as described
    const ids = [made.id, String(second.json["id"])].toSorted();
    expect(listed).toMatchObject(ids.map((id) => ({ id, uses: 0, stored_bytes: 0 })));
    expect((await about("/sessions", "x".repeat(32))).json).toEqual({ sessions: [] });
    const weak = await call(service, "/sessions", { session_secret: "password" });
    expect([outcomeOf(weak), weak.json["errors"]]).toMatchObject([
      "400 invalid-parameters",
      [{ path: "session_secret" }],
    ]);
  });

  test("rejects a second use at the same time, and keeps the first", async () => {
    const made = await create();
    const client = new AbortController();
    const body = { url: `${site.url}/never`, session: made.id, session_secret: made.secret, timeout: 120 };
    const first = fetch(`${baseUrl(service)}/scrape`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: client.signal,
    }).catch(() => "gone");
    await site.hit("/never");
    expect(outcomeOf(await scrape(made, `${site.url}/article`))).toBe("409 session-busy");
    client.abort();
    expect(await first).toBe("gone");
    const isFree = async () => (await scrape(made, `${site.url}/article`)).status === 200;
    expect(await pollUntil(isFree, { everyMs: 50, mostMs: patient(20_000) })).toBe(true);
  });

  test("excludes what shows its page to others", async () => {
    const made = await create();
    for (const more of [{ max_age: 60 }, { changes: {} }]) {
      const reply = await scrape(made, `${site.url}/article`, more);
      expect([outcomeOf(reply), reply.json["errors"]]).toEqual([
        "400 invalid-parameters",
        [{ path: Object.keys(more)[0], message: 'is not allowed with "session"' }],
      ]);
    }
    const several = {
      urls: [site.url],
      session: made.id,
      session_secret: made.secret,
      schema: { type: "object", properties: { title: { type: "string" } } },
    };
    expect((await call(service, "/extract", several)).json["errors"]).toEqual([
      { path: "urls", message: 'is not allowed with "session"' },
    ]);
    expect(outcomeOf(await call(service, "/batch", { urls: [site.url], session: made.id }))).toBe(
      "400 invalid-parameters",
    );
  });

  test("two sessions that load pages at once never see each other's cookies", async () => {
    const made = await Promise.all(Array.from({ length: 4 }, () => create()));
    await Promise.all(
      made.map((one, n) =>
        scrape(one, `${site.url}/login?name=user${n}`, { engine: n % 2 === 0 ? "browser" : "static" }),
      ),
    );
    const seen = await Promise.all(
      made.map(async (one, n) =>
        words(await scrape(one, `${site.url}/cookies`, { engine: n < 2 ? "browser" : "static" })),
      ),
    );
    expect(seen.map(([first]) => first)).toEqual(["name=user0", "name=user1", "name=user2", "name=user3"]);
  });

  test("keeps the cookies of a page that is an error, and has no bounds that a page can break", async () => {
    const made = await create();
    expect((await scrape(made, `${site.url}/refused-login`, { engine: "browser" })).status).toBe(500);
    expect(words(await scrape(made, `${site.url}/cookies`, { engine: "static" }))).toEqual(["tried=1"]);
    expect((await scrape(made, `${site.url}/hoard`, { engine: "browser" })).status).toBe(200);
    const { json } = await about(`/sessions/${made.id}`, made.secret);
    expect(Number(json["stored_bytes"])).toBeLessThan(1024 * 1024 + 100);
    expect(words(await scrape(made, `${site.url}/cookies`, { engine: "browser" })).at(-1)).toBe("none");
  });
});
