import { afterAll, afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { defineGlobals, serveInterface } from "../testing/fake-page.ts";
import { call, insistence, offlineSince, session, warned } from "./client.ts";
import { Problem, problemOf, sameOr } from "./problem.ts";
import { logIn, logOut, resumeSession } from "./session.ts";
import { Store } from "./store.ts";

const gateway = serveInterface();
const stored = new Map<string, string>();
const undo = defineGlobals({
  localStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  },
});
afterAll(() => {
  undo();
  gateway.stop();
});

interface Asked {
  readonly line: string;
  readonly headers: Headers;
  readonly body: string;
}

let asked: Asked[] = [];
const OPEN = { kind: "open", session: { access: "full", csrf_token: "token" } } as const;

/** Gives all requests these responses, the last one again and again. */
function answer(...responses: readonly (() => Response)[]): void {
  gateway.respond = async (request) => {
    const { pathname, search } = new URL(request.url);
    asked.push({
      line: `${request.method} ${pathname}${search}`,
      headers: request.headers,
      body: await request.text(),
    });
    return (responses[asked.length - 1] ?? responses.at(-1))?.() ?? new Response();
  };
}

const json = (body: unknown, init?: ResponseInit) => () => Response.json(body, init);

async function problemFrom(response: () => Response): Promise<Problem> {
  answer(response);
  return await call("/v1/config").then(
    () => expect.unreachable(),
    (error: unknown) => problemOf(error),
  );
}

beforeEach(() => {
  asked = [];
  session.set({ kind: "unknown" });
  warned.set([]);
});
afterEach(() => {
  insistence.ask = () => Promise.resolve(false);
});

test("a request has the token of its session if it changes something, and its body and condition", async () => {
  answer(json({ name: "a" }, { headers: { etag: '"1"' } }));
  session.set(OPEN);
  expect(await call("/v1/config")).toEqual({ body: { name: "a" }, etag: '"1"' });
  await call("/v1/config", { method: "PUT", body: { a: 1 }, ifMatch: '"1"' });
  session.set({ kind: "unknown" });
  await call("/v1/session", { csrfToken: "earlier" });
  await call("/v1/session", { method: "POST", body: { key: "k" } });
  const seen = asked.map(({ line, body, headers }) => [
    line,
    body,
    ...["accept", "content-type", "if-match", "x-csrf-token"].map((name) => headers.get(name)),
  ]);
  expect(seen).toEqual([
    ["GET /v1/config", "", "application/json", null, null, null],
    ["PUT /v1/config", '{"a":1}', "application/json", "application/json", '"1"', "token"],
    ["GET /v1/session", "", "application/json", null, null, "earlier"],
    ["POST /v1/session", '{"key":"k"}', "application/json", "application/json", null, null],
  ]);
});

test("the warnings of the last change are shown, not those of a check or a read", async () => {
  const warnings = [{ path: "routes", message: "is odd" }];
  answer(json({ warnings }));
  await call("/v1/config");
  await call("/v1/config/check", { method: "POST" });
  expect(warned.value).toEqual([]);
  await call("/v1/config", { method: "PUT" });
  expect(warned.value).toEqual(warnings);
  answer(json({}));
  await call("/v1/config", { method: "PUT" });
  expect(warned.value).toEqual([]);
});

test("a problem has the gateway's words, its diagnostics, and when to try again", async () => {
  const errors = [{ path: "a", message: "is wrong" }];
  const found = await problemFrom(json({ detail: "No.", errors }, { status: 400, headers: { "retry-after": "5" } }));
  expect([found.status, found.message, found.diagnostics, found.retryAfterSeconds]).toEqual([400, "No.", errors, 5]);
  const bare = await problemFrom(json({ title: "Bad" }, { status: 400, headers: { "retry-after": "soon" } }));
  expect([bare.message, bare.diagnostics, bare.retryAfterSeconds]).toEqual(["Bad", [], undefined]);
  for (const body of [null, "text"]) {
    expect(await problemFrom(json(body, { status: 500 }))).toMatchObject({
      message: "The gateway responded with 500",
      retryAfterSeconds: undefined,
    });
  }
  const page = await problemFrom(() => new Response("<html>", { status: 502, statusText: "Bad Gateway" }));
  expect(page.message).toBe("The gateway responded with 502 Bad Gateway.");
  expect((await problemFrom(() => new Response("<html>"))).message).toBe("The gateway's response cannot be read.");
});

test("an open session that the gateway does not know any more is lost", async () => {
  await problemFrom(json({}, { status: 401 }));
  expect(session.value).toEqual({ kind: "unknown" });
  session.set(OPEN);
  await problemFrom(json({}, { status: 403 }));
  expect(session.value).toEqual(OPEN);
  await problemFrom(json({}, { status: 401 }));
  expect(session.value).toEqual({ kind: "none", lost: true });
});

test("a change that would lose a guard is sent again with force, if the user says so", async () => {
  const lost = json({ code: "guard_lost", detail: "free" }, { status: 409 });
  expect((await problemFrom(lost)).message).toBe("free");
  const questions: string[] = [];
  insistence.ask = async ({ message }) => questions.push(message) > 0;
  for (const path of ["/v1/config", "/v1/routes/a?host="]) {
    asked = [];
    answer(lost, json({ done: true }));
    expect((await call(path, { method: "PATCH", body: {} })).body).toEqual({ done: true });
    const forced = `${path}${path.includes("?") ? "&" : "?"}force=true`;
    expect(asked.map(({ line, body }) => [line, body])).toEqual([
      [`PATCH ${path}`, "{}"],
      [`PATCH ${forced}`, "{}"],
    ]);
  }
  expect(questions).toEqual(["free", "free"]);
  expect((await problemFrom(json({ code: "other" }, { status: 409 }))).body.code).toBe("other");
  expect(questions).toHaveLength(2);
});

const refuse = (): Promise<Response> => Promise.reject(new Error("refused"));
const cut = (signal?: AbortSignal) => call("/cut", signal === undefined ? {} : { signal }).catch(problemOf);

test("a gateway that does not respond is offline since the first failure, until it responds", async () => {
  using limits = spyOn(AbortSignal, "timeout");
  const working = globalThis.fetch;
  globalThis.fetch = Object.assign(refuse as unknown as typeof fetch, { preconnect: working.preconnect }); // it takes any call
  try {
    await cut(AbortSignal.abort());
    expect(offlineSince.value).toBeUndefined();
    const before = Date.now();
    expect(await cut()).toMatchObject({ status: 0, message: "The gateway does not respond." });
    const since = offlineSince.value ?? 0;
    expect([since >= before, since <= Date.now()]).toEqual([true, true]);
    await cut(new AbortController().signal);
    expect(offlineSince.value).toBe(since);
    expect(limits.mock.calls).toEqual([[20_000], [20_000], [20_000]]);
  } finally {
    globalThis.fetch = working;
  }
  answer(json({}));
  await call("/v1/config");
  expect(offlineSince.value).toBeUndefined();
});

test("a session is resumed with the token of an earlier log-in, and ends with a log-out", async () => {
  answer(json(OPEN.session));
  await logIn("secret");
  expect([asked[0]?.body, session.value, [...stored.values()]]).toEqual(['{"key":"secret"}', OPEN, ["token"]]);
  session.set({ kind: "unknown" });
  await resumeSession();
  expect([asked[1]?.headers.get("x-csrf-token"), session.value]).toEqual(["token", OPEN]);
  await logOut();
  expect([asked[2]?.line, session.value, stored.size]).toEqual([
    "DELETE /v1/session",
    { kind: "none", lost: false },
    0,
  ]);
  session.set({ kind: "unknown" });
  answer(json({ access: "full", csrf_token: "" }));
  await resumeSession();
  expect([asked[3]?.headers.get("x-csrf-token"), session.value]).toEqual(["", { kind: "none", lost: false }]);
  session.set({ kind: "unknown" });
  answer(json({}, { status: 401 }));
  await resumeSession();
  expect(session.value).toEqual({ kind: "none", lost: false });
  session.set({ kind: "unknown" });
  answer(json({}, { status: 503 }));
  expect(await resumeSession().catch(problemOf)).toMatchObject({ status: 503 });
  expect(session.value).toEqual({ kind: "unknown" });
});

test("the same problem is announced once, and errors of the page are problems too", () => {
  const before = new Problem(400, { detail: "No." });
  expect(sameOr(before, new Problem(400, { detail: "No." }))).toBe(before);
  for (const other of [new Problem(401, { detail: "No." }), new Problem(400, { detail: "Yes." })])
    expect(sameOr(before, other)).toBe(other);
  expect(sameOr(undefined, before)).toBe(before);
  expect(problemOf(before)).toBe(before);
  expect([problemOf(new Error("broken")), problemOf("text")]).toMatchObject([
    { status: 0, message: "broken" },
    { status: 0, message: "text" },
  ]);
});

test("followers of a value learn of changes until they end", () => {
  const store = new Store(1);
  const seen: number[] = [];
  const end = store.follow(() => void seen.push(store.value));
  for (const value of [2, 2, 3]) store.set(value);
  end();
  store.set(4);
  expect([seen, store.value]).toEqual([[2, 3], 4]);
});
