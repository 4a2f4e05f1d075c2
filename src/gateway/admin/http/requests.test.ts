import { describe, expect, test } from "bun:test";
import { TurnpikeError } from "../../../lib/errors.ts";
import { checkType, readJson } from "./body.ts";
import { Guard } from "./guard.ts";
import { accessOf, readKeys, sameKeys } from "./keys.ts";
import { checkHost, ownHosts } from "./own-host.ts";
import { entityTag, isKnown, refuseKnown, revisionsOf } from "./preconditions.ts";
import { sessionCookie, sessionToken } from "./sessions.ts";
import { errorCodes, malformedResponse, problemResponse, rawProblem } from "./problem.ts";

function codeOf(run: () => unknown): string {
  try {
    run();
    return "passed";
  } catch (error) {
    return error instanceof TurnpikeError ? error.code : String(error);
  }
}

const at = (address: string, ...hosts: string[]) => ownHosts({ address, hosts });

describe("the host of a request", () => {
  test.each<[boolean, string, string]>([
    [true, "127.0.0.1", "localhost:9000"],
    [true, "127.0.0.1", "127.0.0.1"],
    [true, "127.0.0.1", "[::1]:1"],
    [true, "192.0.2.1", "192.0.2.1:9000"],
    [true, "192.0.2.1", "admin.test"],
    [false, "192.0.2.1", "other.test"],
    [false, "192.0.2.1", "192.0.2.2"],
    [true, "0.0.0.0", "192.0.2.2"],
    [true, "::", "[2001:db8::1]:9000"],
    [false, "0.0.0.0", "other.test"],
  ])("is its own: %p, at %s for %s", (isOwn, address, authority) => {
    expect(at(address, "admin.test")(authority)).toBe(isOwn);
  });

  test("must be one valid name or address of the interface", () => {
    const isOwn = at("192.0.2.1");
    const check = (authorities: readonly string[], localAddress = "192.0.2.9") =>
      codeOf(() => checkHost(authorities, { localAddress }, isOwn));
    expect(check([])).toBe("passed");
    expect(check(["localhost"])).toBe("passed");
    expect(check(["localhost", "localhost"])).toBe("bad-request");
    expect(check(["a b"])).toBe("bad-request");
    expect(check(["other.test"])).toBe("host-not-allowed");
    expect(check(["192.0.2.9:9000"])).toBe("passed");
    expect(check(["192.0.2.9:9000"], "::ffff:192.0.2.9")).toBe("passed");
    expect(check(["192.0.2.8:9000"])).toBe("host-not-allowed");
  });
});

describe("the preconditions of a request", () => {
  test.each<[string | null, readonly string[] | undefined]>([
    [null, undefined],
    ["*", ["*"]],
    [" * ", ["*"]],
    ['"a"', ["a"]],
    ['"a", "b~c"', ["a", "b"]],
    ['W/"a"', []],
    ['W/"a", "b"', ["b"]],
    ["a", []],
    ['""', [""]],
  ])("If-Match %p accepts the revisions %j", (field, revisions) => {
    expect(revisionsOf(field)).toEqual(revisions as string[]);
  });

  test("an entity tag has the revision, and the state that changes without it", () => {
    expect([entityTag("1"), entityTag("1", "x")]).toEqual(['"1"', '"1~x"']);
  });

  test.each<[Record<string, string>, boolean | "precondition-failed"]>([
    [{}, false],
    [{ "if-match": '"1"' }, false],
    [{ "if-match": "*" }, false],
    [{ "if-match": '"2"' }, "precondition-failed"],
    [{ "if-match": 'W/"1"' }, "precondition-failed"],
    [{ "if-none-match": '"1"' }, true],
    [{ "if-none-match": 'W/"1"' }, true],
    [{ "if-none-match": "*" }, true],
    [{ "if-none-match": '"2"' }, false],
    [{ "if-match": '"2"', "if-none-match": '"1"' }, "precondition-failed"],
  ])("a GET with %j: %p", (fields, expected) => {
    const headers = new Headers(fields);
    if (typeof expected === "string") expect(codeOf(() => isKnown(headers, '"1"'))).toBe(expected);
    else expect(isKnown(headers, '"1"')).toBe(expected);
  });

  test.each<[Record<string, string>, string]>([
    [{}, "passed"],
    [{ "if-none-match": '"2"' }, "passed"],
    [{ "if-none-match": '"1"' }, "precondition-failed"],
    [{ "if-none-match": 'W/"1"' }, "precondition-failed"],
    [{ "if-none-match": " * " }, "precondition-failed"],
  ])("a change with %j: %s", (fields, expected) => {
    expect(codeOf(() => refuseKnown(new Headers(fields), "1"))).toBe(expected);
  });
});

describe("the problem of a request", () => {
  test.each<[ConstructorParameters<typeof TurnpikeError>[0], Record<string, string | null>]>([
    ["overloaded", { "retry-after": "2", "www-authenticate": null }],
    ["unauthorized", { "retry-after": null, "www-authenticate": 'Bearer realm="turnpike"' }],
    ["bad-request", { "retry-after": null, "www-authenticate": null }],
  ])("%s has its fields", async (code, fields) => {
    const response = problemResponse(new TurnpikeError(code, "Cannot do it"), "id-1", { "x-a": "b" });
    const { headers, status } = response;
    expect(Object.fromEntries(Object.keys(fields).map((name) => [name, headers.get(name)]))).toEqual(fields);
    expect([headers.get("content-type"), headers.get("x-a")]).toEqual(["application/problem+json", "b"]);
    expect(await response.json()).toMatchObject({ code: code.replaceAll("-", "_"), status, instance: "id-1" });
  });

  test("has the time to wait that its error names", () => {
    const response = problemResponse(new TurnpikeError("overloaded", "x"), "id", { "retry-after": "9" });
    expect(response.headers.get("retry-after")).toBe("9");
  });

  test("in bytes closes the connection, and has the length of its text in UTF-8", () => {
    const [head = "", body = ""] = rawProblem(new TurnpikeError("bad-request", "Cannot read “x”"), { A: "b" }).split(
      "\r\n\r\n",
    );
    const length = Buffer.byteLength(body);
    expect(head.split("\r\n")).toEqual([
      "HTTP/1.1 400 Bad Request",
      "Content-Type: application/problem+json",
      `Content-Length: ${length}`,
      "Connection: close",
      "A: b",
    ]);
    expect(JSON.parse(body)).toMatchObject({ code: "bad_request", detail: "Cannot read “x”" });
  });

  test("of a head that cannot be parsed has its own status if it is too long", () => {
    expect(malformedResponse("HPE_HEADER_OVERFLOW")).toStartWith("HTTP/1.1 431 ");
    expect(malformedResponse("HPE_INVALID_METHOD")).toStartWith("HTTP/1.1 400 ");
  });

  test("has a code without hyphens", () => {
    expect(errorCodes()).toContain("bad_request");
    expect(errorCodes().filter((code) => !/^[a-z0-9_]+$/.test(code))).toEqual([]);
  });
});

describe("the keys", () => {
  const KEY = "k".repeat(32);
  const ADMIN = {
    api_key: "",
    api_key_env: "",
    read_api_key: "",
    read_api_key_env: "",
    allow_short_keys: false,
  };
  /** Only these parts of the section are read. */
  const keysOf = (admin: Partial<typeof ADMIN>, environment: Record<string, string> = {}) =>
    readKeys({ admin: { ...ADMIN, ...admin } } as Parameters<typeof readKeys>[0], environment);

  test("give full access, or access to read", () => {
    const keys = keysOf({ api_key: "full", read_api_key: "read" });
    expect(["full", "read", "other", ""].map((key) => accessOf(keys, key))).toEqual([
      "full",
      "read",
      undefined,
      undefined,
    ]);
    const one = keysOf({ api_key: "full" });
    expect(["full", "read"].map((key) => accessOf(one, key))).toEqual(["full", undefined]);
  });

  test("are the same if both are", () => {
    const keys = keysOf({ api_key: "a", read_api_key: "b" });
    expect(sameKeys(keys, keysOf({ api_key: "a", read_api_key: "b" }))).toBe(true);
    for (const other of [{ api_key: "a" }, { api_key: "c", read_api_key: "b" }, { api_key: "a", read_api_key: "c" }])
      expect(sameKeys(keys, keysOf(other))).toBe(false);
  });

  test("come from variables of the environment, without blanks", () => {
    const keys = keysOf({ api_key: "x", api_key_env: "A", read_api_key_env: "B" }, { A: ` ${KEY}\n`, B: `${KEY}r` });
    expect([KEY, `${KEY}r`, "x"].map((key) => accessOf(keys, key))).toEqual(["full", "read", undefined]);
  });

  test.each<[string, Partial<typeof ADMIN>, Record<string, string>]>([
    ["admin.api_key is empty", {}, {}],
    ["the read-only key equals the operators' key", { api_key: "a", read_api_key: "a" }, {}],
    ["admin.api_key_env: the environment variable A is not set", { api_key_env: "A" }, {}],
    ["admin.api_key_env: the environment variable A is not set", { api_key_env: "A" }, { A: " " }],
    ["admin.read_api_key_env: the environment variable B is not set", { api_key: "a", read_api_key_env: "B" }, {}],
    ["must hold", { api_key_env: "A" }, { A: "short" }],
    ["must hold", { api_key_env: "A" }, { A: `${KEY} ${KEY}` }],
    ["must hold 1 to 1024", { api_key_env: "A", allow_short_keys: true }, { A: "k".repeat(1025) }],
  ])("cannot be used: %s", (message, admin, environment) => {
    expect(() => keysOf(admin, environment)).toThrow(message);
  });

  test("may be short if the configuration allows it", () => {
    expect(accessOf(keysOf({ api_key_env: "A", allow_short_keys: true }, { A: "k" }), "k")).toBe("full");
    const longest = "k".repeat(1024);
    expect(accessOf(keysOf({ api_key_env: "A" }, { A: longest }), longest)).toBe("full");
  });
});

describe("the body of a request", () => {
  test.each([
    ["application/json", true],
    ["Application/JSON; charset=UTF-8", true],
    ['application/json; charset="utf-8"', true],
    ["application/json; a=b", true],
    ["application/json; charset=latin1", false],
    ["text/plain", false],
    ["", false],
    [null, false],
  ])("of the type %p is accepted: %p", (type, isAccepted) => {
    const headers = new Headers(type === null ? {} : { "content-type": type });
    expect(codeOf(() => checkType(headers, ["application/json"]))).toBe(
      isAccepted ? "passed" : "unsupported-media-type",
    );
  });

  test.each([
    ["Identity", true],
    ["gzip", false],
    ["identity, gzip", false],
  ])("with the Content-Encoding %p is accepted: %p", (coding, isAccepted) => {
    const headers = new Headers({ "content-type": "application/json", "content-encoding": coding });
    expect(codeOf(() => checkType(headers, ["application/json"]))).toBe(
      isAccepted ? "passed" : "unsupported-media-type",
    );
  });

  test.each([
    ["", "it is empty"],
    ["{", "Cannot read the body"],
    ["\xff", "it is not UTF-8"],
    ['{"__proto__": 1}', "__proto__"],
    ['{"a": [{"b": {"__proto__": {}}}]}', "__proto__"],
  ])("%j is refused", (text, message) => {
    expect(() => readJson(Buffer.from(text, "latin1"))).toThrow(message);
  });

  test.each<unknown>([null, 1, "text", [null, { a: null }], { a: { proto: [1] } }])("%j is read", (value) => {
    expect(readJson(Buffer.from(JSON.stringify(value)))).toEqual(value);
  });
});

describe("the cookie of a session", () => {
  test.each([
    [null, undefined],
    ["", undefined],
    ["a=b", undefined],
    ["turnpike_session=abc", "abc"],
    ["a=b;  turnpike_session = abc ; c=d", "abc"],
    ["turnpike_session=", undefined],
    ["turnpike_session", undefined],
    ["turnpike_sessions=abc", undefined],
    ["turnpike_session=; turnpike_session=x", "x"],
  ])("in %p is %p", (cookies, token) => {
    expect(sessionToken(cookies)).toBe(token);
  });

  test("is for this site alone, and ends at once without a token", () => {
    expect(sessionCookie("abc", false)).toBe("turnpike_session=abc; HttpOnly; SameSite=Strict; Path=/");
    expect(sessionCookie(undefined, true)).toBe(
      "turnpike_session=; HttpOnly; SameSite=Strict; Path=/; Secure; Max-Age=0",
    );
  });
});

test("an address that floods gets a refusal, and the others get none", () => {
  let now = 0;
  const guard = new Guard(
    () => undefined,
    () => now,
  );
  guard.keys = { full: new Uint8Array(32), read: undefined };
  const address = "192.0.2.1";
  const fail = (): string => codeOf(() => guard.check("wrong", { address, trust: undefined }));
  for (let tries = 0; tries < 1000 && guard.refusal(address) === undefined; tries += 1) {
    now += 1;
    fail();
  }
  expect(guard.refusal(address)).toMatch(/^HTTP\/1.1 429 [^]*\r\nRetry-After: \d+\r\n/);
  expect(guard.refusal("192.0.2.2")).toBeUndefined();
});
