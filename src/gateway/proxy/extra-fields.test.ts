import { expect, test } from "bun:test";
import { extraFields } from "./extra-fields.ts";
import { type ForwardTarget } from "./target.ts";
import { Variant } from "./route-split.ts";
import { withCredential } from "./with-credential.ts";
import { TestClient } from "./testing/test-client.ts";

const ONE = { name: "X-One", value: "1" };

test("the fields of a route replace the client's, and its Host is the last one", () => {
  expect(extraFields([], undefined)).toEqual({ host: undefined, extraFields: "", extraNames: [] });
  expect(extraFields([{ name: "HOST", value: "a" }, ONE], undefined)).toEqual({
    host: "a",
    extraFields: "X-One: 1\r\n",
    extraNames: ["host", "x-one"],
  });
  expect(extraFields([{ name: "Host", value: "a" }], "b").host).toBe("b");
  expect(extraFields([], "b")).toEqual({ host: "b", extraFields: "", extraNames: ["host"] });
});

function targetOf(change: Partial<ForwardTarget>): ForwardTarget {
  // No other members are read.
  return change as ForwardTarget;
}

test("an upstream's credential replaces that of the client and of the route", () => {
  const target = targetOf({ extraFields: "Authorization: route\r\nX: 1\r\n", extraNames: ["authorization", "x"] });
  const derived = withCredential(target, "Authorization: upstream\r\n");
  expect(derived.extraFields).toBe("X: 1\r\nAuthorization: upstream\r\n");
  expect(derived.extraNames).toContain("authorization");
  expect(withCredential(target, "Authorization: upstream\r\n")).toBe(derived);
  expect(withCredential(target, "Authorization: other\r\n").extraFields).toBe("X: 1\r\nAuthorization: other\r\n");
  const plain = targetOf({ extraFields: "", extraNames: [] });
  expect(withCredential(plain, "Authorization: upstream\r\n").extraNames).toEqual(["authorization"]);
});

test("a variant edits the request and changes the target, or responds", () => {
  const { exchange } = new TestClient();
  const edited: object[] = [];
  const served: object[] = [];
  // Of the parts, only one is given.
  const parts = { host: "b.test" } as ConstructorParameters<typeof Variant>[1];
  const variant = new Variant((one) => edited.push(one), parts);
  const target = targetOf({ host: "a.test", serviceName: "turnpike" });
  const made = variant.apply(exchange, target);
  expect(made).toMatchObject({ host: "b.test", serviceName: "turnpike", split: undefined, variants: undefined });
  expect(variant.apply(exchange, target)).toBe(made as ForwardTarget);
  expect(variant.apply(exchange, targetOf({ serviceName: "other" }))?.serviceName).toBe("other");
  expect(new Variant(undefined, { serve: (one) => served.push(one) }).apply(exchange, target)).toBeUndefined();
  expect([edited.length, served]).toEqual([3, [exchange]]);
});
