import { createHash } from "node:crypto";
import { expect, test } from "bun:test";
import { createApiKey, type NamedKey } from "./api-key.ts";
import { MAX_CREDENTIAL_BYTES, type Method } from "./method.ts";
import { requestOf } from "./testing/exchange.ts";

function methodOf(keys: readonly NamedKey[], consumers: readonly string[] = []): Method {
  return createApiKey({ keys, header_name: "X-Key", query_param: "key", consumers });
}

/** The consumer of an admitted request, or the reason of a refusal. */
function verdict(method: Method, fields: string, query?: string): string {
  const outcome = method.check(requestOf(fields, query));
  if (outcome instanceof Promise) throw new Error("It is asked at once");
  if (outcome.kind === "admitted") return `${outcome.consumer} by ${outcome.by === method} ${outcome.fields}`;
  return outcome.error.message;
}

const letIn = (name: string) => `${name} by true X-Consumer-Name: ${name}\r\n`;

test("each of many keys admits its own holder, as text or as a hash", () => {
  const keys = Array.from({ length: 20 }, (_, i) =>
    i % 2 === 0
      ? { key: `key ${i}`, name: `name ${i}` }
      : { key_hash: createHash("sha256").update(`key ${i}`).digest("hex"), name: `name ${i}` },
  );
  const method = methodOf(keys);
  for (let i = 0; i < keys.length; i++) expect(verdict(method, `X-Key: key ${i}\r\n`)).toBe(letIn(`name ${i}`));
  expect(verdict(method, "X-Key: key 20\r\n")).toContain("not valid");
});

test("a key of the maximum length is accepted, and a longer one is refused", () => {
  const most = "k".repeat(MAX_CREDENTIAL_BYTES);
  const method = methodOf([
    { key: most, name: "long" },
    { key: `${most}k`, name: "too long" },
  ]);
  expect(verdict(method, `X-Key: ${most}\r\n`)).toBe(letIn("long"));
  expect(verdict(method, `X-Key: ${most}k\r\n`)).toContain("not valid");
});

test("a key is compared as bytes, whatever its encoding", () => {
  const method = methodOf([{ key: "ключ", name: "a" }]);
  expect(verdict(method, `X-Key: ${Buffer.from("ключ").toString("latin1")}\r\n`)).toBe(letIn("a"));
  expect(verdict(method, "", `?key=${encodeURIComponent("ключ")}`)).toBe(letIn("a"));
});

test("the header's key takes precedence over the query's, and a repeated or missing key is refused", () => {
  const method = methodOf([
    { key: "a", name: "alice" },
    { key: "b", name: "bob" },
  ]);
  expect(verdict(method, "X-Key: a\r\n", "?key=b")).toBe(letIn("alice"));
  expect(verdict(method, "X-Other: a\r\n", "?key=b")).toBe(letIn("bob"));
  expect(verdict(method, "X-Key: a\r\nX-Key: a\r\n")).toContain("more than one");
  expect(verdict(method, "", "?key=a&key=a")).toContain("more than one");
  expect([verdict(method, ""), verdict(method, "", "?other=a")]).toEqual([
    expect.stringContaining("needs an API key"),
    expect.stringContaining("needs an API key"),
  ]);
});

test("a holder who is not among the allowed consumers gets 403", () => {
  const keys = [
    { key: "a", name: "alice" },
    { key: "b", name: "bob" },
  ];
  const method = methodOf(keys, ["bob"]);
  expect(verdict(method, "X-Key: a\r\n")).toContain("not allowed");
  expect(verdict(method, "X-Key: b\r\n")).toBe(letIn("bob"));
});

test("the key is removed from the request, and everything else stays", () => {
  const { head } = requestOf("A: 1\r\nX-Key: a\r\nB: 2\r\nx-key: b\r\n", "?x=1&key=a&y=2");
  methodOf([]).take(head);
  expect([head.fields, head.query]).toEqual(["A: 1\r\nB: 2\r\n", "?x=1&y=2"]);
  const { head: plain } = requestOf("A: 1\r\n");
  methodOf([]).take(plain);
  expect([plain.fields, plain.query]).toEqual(["A: 1\r\n", ""]);
});

test("a name that cannot be a field value fails the start", () => {
  expect(() => methodOf([{ key: "a", name: "a\n" }])).toThrow('"a\\n" is not a valid consumer name');
});

test("a key that was presented before is admitted again, and a similar one is not", () => {
  const keys = Array.from({ length: 40 }, (_, i) => ({ key: `key ${i}`, name: `name ${i}` }));
  const method = methodOf(keys, ["name 0", "name 1"]);
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < keys.length; i++) {
      const expected = i < 2 ? letIn(`name ${i}`) : "the holder of this API key is not allowed here";
      expect(verdict(method, `X-Key: key ${i}\r\n`)).toBe(expected);
      expect(verdict(method, `X-Key: key ${i}x\r\n`)).toContain("not valid");
      expect(verdict(method, `X-Key: key\r\n`)).toContain("not valid");
    }
  }
});

test("the key of one request is not removed from another", () => {
  const method = methodOf([{ key: "a", name: "alice" }]);
  const [first, second] = [requestOf("X-Key: a\r\nB: 1\r\n"), requestOf("B: 1\r\nX-Key: a\r\nX-Key: a\r\n")];
  void method.check(first);
  void method.check(second);
  method.take(first.head);
  method.take(second.head);
  expect([first.head.fields, second.head.fields]).toEqual(["B: 1\r\n", "B: 1\r\n"]);
});
