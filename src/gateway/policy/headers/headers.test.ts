import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { type HeaderRulesConfig, type RouteConfig } from "../../config/config.ts";
import { provideRequestHeaders, provideResponseHeaders } from "./headers.ts";

const NONE = { set: [], add: [], remove: [] };
const RULES = {
  set: [{ name: "X-Set", value: "new" }],
  add: [{ name: "X-Add", value: "more" }],
  remove: ["X-Gone", "Content-Type"],
};
const FIELDS = "Content-Type: a/b\r\nx-set: old\r\nX-Add: one\r\nX-GONE: 1\r\nX-Other: 1\r\n";
const CHANGED = "X-Add: one\r\nX-Other: 1\r\nX-Set: new\r\nX-Add: more\r\n";

function routeOf(headers: HeaderRulesConfig): RouteConfig {
  // No other member is read.
  return { headers } as RouteConfig;
}

/** The fields that a client gets for an upstream's response with `FIELDS`. */
async function received(status: number, isGrpc: boolean): Promise<string> {
  const client = new Consumer();
  let fields = "";
  client.start = (head) => (fields = head.fields);
  const exchange = new ClientExchange(client, { isGrpc });
  const policy = provideResponseHeaders().policy(routeOf({ request: NONE, response: RULES }));
  expect([policy?.name, policy?.runsOnLocalReply]).toEqual(["headers.response", true]);
  expect(await policy?.request(exchange)).toBe("continue");
  exchange.response.start({ status, reason: "", fields: FIELDS, bodyLength: 0 });
  return fields;
}

test("request rules replace, add and remove fields for the upstream", async () => {
  const exchange = new ClientExchange(new Consumer(), { fields: FIELDS });
  const policy = provideRequestHeaders().policy(routeOf({ request: RULES, response: NONE }));
  expect(policy?.name).toBe("headers.request");
  expect(await policy?.request(exchange)).toBe("continue");
  expect(exchange.head.fields).toBe(CHANGED);
});

test("response rules change final responses, local ones too, and no interim response", async () => {
  expect(await received(200, false)).toBe(CHANGED);
  expect(await received(101, false)).toBe(CHANGED);
  expect(await received(103, false)).toBe(FIELDS);
});

test("response rules do not change the Content-Type of a gRPC call, by which clients recognise it", async () => {
  expect(await received(200, true)).toBe(`Content-Type: a/b\r\n${CHANGED}`);
});

test.each(["set", "add", "remove"] as const)(
  "rules that only %s are a policy, and without rules there is no policy",
  (kind) => {
    const some = { ...NONE, [kind]: RULES[kind] };
    const names = [
      { request: some, response: NONE },
      { request: NONE, response: some },
    ].map((rules) => [
      provideRequestHeaders().policy(routeOf(rules))?.name,
      provideResponseHeaders().policy(routeOf(rules))?.name,
    ]);
    expect(names).toEqual([
      ["headers.request", undefined],
      [undefined, "headers.response"],
    ]);
    expect([provideRequestHeaders().policy(undefined), provideResponseHeaders().policy(undefined)]).toEqual([
      undefined,
      undefined,
    ]);
  },
);
