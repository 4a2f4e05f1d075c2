import { describe, expect, test } from "bun:test";
import { CALLS } from "../../../../payments/credit/credit-terms.ts";
import { deferralOf, deferralText } from "../../../../payments/settlement/deferral.ts";
import { chargePath, deferrableUntil, deferralChange } from "./deferred-charge.ts";

const NOW = 1_800_000_000;
const route = { mayDefer: true, settle: "after", clock: () => NOW * 1000 + 999 } as const;
const upto = { scheme: "upto", amount: "100", validBefore: NOW + 600, deferral: "" };

type Route = Parameters<typeof deferrableUntil>[0];
type Paid = Parameters<typeof deferrableUntil>[2];

function until(payment: object, accepted: object = {}, change: Partial<Route> = {}): number | undefined {
  // Only the fields above are read.
  return deferrableUntil({ ...route, ...change }, accepted, { ...upto, ...payment } as Paid);
}

describe("a charge can be made later", () => {
  const known = deferralText({ path: "/due", quote: "5", due: "1", until: NOW + 7, failures: 0 });
  const channel = { row: { withdrawDelay: 1001 } };

  test.each<[string, number | undefined, number | undefined]>([
    ["of an upto payment, two minutes before its end", until({}), NOW + 480],
    ["of an upto payment that leaves a minute for the work", until({ validBefore: NOW + 180 }), NOW + 60],
    ["not of one that leaves less", until({ validBefore: NOW + 179 }), undefined],
    ["not of an exact payment", until({ scheme: "exact" }), undefined],
    ["not of nothing", until({ amount: "0" }), undefined],
    ["not of a route without it", until({}, {}, { mayDefer: false }), undefined],
    ["not of a route that is paid before", until({}, {}, { settle: "before" }), undefined],
    ["of credit, within two days", until({ scheme: "exact" }, { prepaid: { token: "USDC" } }), NOW + 172_800],
    ["not of a pass for calls", until({}, { prepaid: { token: CALLS } }), undefined],
    ["of a channel, within half of its delay", until({}, { channel }), NOW + 500],
    ["of a channel, within two days", until({}, { channel: { row: { withdrawDelay: 1e9 } } }), NOW + 172_800],
    ["until the time of an earlier response", until({ deferral: known }, {}, { mayDefer: false }), NOW + 7],
  ])("%s", (_what, result, expected) => {
    expect(result).toBe(expected as never);
  });
});

test.each([
  [[], undefined],
  [[`{"path":"/due/1"}`], "/due/1"],
  [[`{"path":"/due/1"}`, `{"path":"/due/1"}`], ""],
  [[`{"path":"//elsewhere.example/"}`], ""],
  [[`{"path":"due"}`], ""],
  [[`{"path":"/a b"}`], ""],
  [[`{"path":"/${"a".repeat(511)}"}`], `/${"a".repeat(511)}`],
  [[`{"path":"/${"a".repeat(512)}"}`], ""],
  [[`{"path":1}`], ""],
  [["null"], ""],
  [["{"], ""],
])("an upstream's fields %j name the path %p", (values, path) => {
  expect(chargePath(values)).toBe(path as never);
});

test("a later charge keeps its quote, what is due and its end when a repeated response names another path", () => {
  const payment = { ...upto } as Paid;
  const first = deferralChange(payment, { path: "/one", until: NOW + 480 });
  const known = { quote: "100", due: "0", until: NOW + 480, failures: 0 };
  expect(deferralOf({ deferral: first.deferral ?? "" })).toEqual({ ...known, path: "/one" });
  const later = { ...payment, deferral: deferralText({ ...known, due: "40", failures: 2, path: "/one" }) };
  const second = deferralChange(later, { path: "/two", until: NOW + 900 });
  expect(deferralOf({ deferral: second.deferral ?? "" })).toEqual({ ...known, due: "40", failures: 2, path: "/two" });
  expect(second.dueInMs).toBe(0);
});
