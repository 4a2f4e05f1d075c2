import { expect, test } from "bun:test";
import { parentOf, stateOf } from "./trace-context.ts";

const IDS = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";

// The results are those of @opentelemetry/core 3.1.1.
test.each([
  [`00-${IDS}-01`, true],
  [`cc-${IDS}-01-more`, true],
  [`00-${IDS}-01-x`, false],
  [`ff-${IDS}-01`, false],
  [`00-${IDS.toUpperCase()}-01`, false],
  [`00-${"0".repeat(32)}-b7ad6b7169203331-01`, false],
  [`00-${IDS.slice(0, 32)}-${"0".repeat(16)}-01`, false],
  [`00-${IDS}-0g`, false],
  [`0-${IDS}-01`, false],
  ["", false],
])("traceparent %p is valid: %p", (value, isSound) => {
  expect(parentOf(`Traceparent: ${value}\r\n`) !== undefined).toBe(isSound);
});

const state = (value: string): string => stateOf(`tracestate: ${value}\r\n`);

test("a valid tracestate is passed on, and is shortened by whole members", () => {
  expect(stateOf("tracestate: a=1\r\nTraceState: b@c=2 , d=3\r\n")).toBe("a=1,b@c=2,d=3");
  for (const unsound of ["a", "A=1", "a=1,a=2", "a=b=c", "a=", "a=\u00e9"]) expect(state(unsound)).toBe("");
  const many = Array.from({ length: 33 }, (_, n) => `k${n}=1`).join(",");
  expect(state(many)).toBe("");
  expect(
    state(`a=1,long=${"x".repeat(200)},${Array.from({ length: 30 }, (_, n) => `k${n}=${"y".repeat(9)}`).join(",")}`),
  ).toMatch(/^a=1,k0=y{9},.{1,500}$/);
});

test("a tracestate of 32 members and 512 characters is passed on whole, and a longer one loses its last members", () => {
  const members = Array.from({ length: 32 }, (_, n) => `k${n}=1`).join(",");
  expect(state(members)).toBe(members);
  const full = `${"a".repeat(100)}=${"x".repeat(27)},${"b".repeat(100)}=${"x".repeat(27)},${"c".repeat(100)}=${"x".repeat(25)},`;
  const whole = `${full}d=${"x".repeat(512 - full.length - 2)}`;
  expect([whole.length, state(whole)]).toEqual([512, whole]);
  expect(state(`${whole}x`)).toBe(full.slice(0, -1));
});
