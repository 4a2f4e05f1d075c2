import { expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { ClientExchange, Consumer } from "../../../../test/flow/testing/flow.ts";
import { loadValue } from "../../config/load.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { createDecidingFieldsPolicy, provideDecidingFields } from "./deciding-fields.ts";

setDefaultTimeout(patient(20_000));

type Policy = ReturnType<typeof createDecidingFieldsPolicy>;

/** The status of the response of a policy, or `continue`. */
async function decided(policy: Policy, head: { fields?: string; query?: string }): Promise<unknown> {
  const client = new Consumer();
  let status = 0;
  client.start = (response) => void (status = response.status);
  const decision = await policy?.request(new ClientExchange(client, head));
  return decision === "responded" ? status : (decision ?? "no policy");
}

const lines = (...names: readonly string[]): string => names.map((name) => `${name}: a\r\n`).join("");

test.each([
  [["x-user", "x-other"], "continue"],
  [["X-USER"], "continue"],
  [["x-user", "X-User"], 400],
  [["x-user", "x-other", "x_user"], 400],
  [["x_user"], 400],
  [["x.user", "x-users", "ax-user"], "continue"],
  [["user_id"], "continue"],
  [["user-id"], 400],
] as const)("the fields %j are clear to every upstream: %s", async (names, expected) => {
  const policy = createDecidingFieldsPolicy({ fields: ["X-User", "user_id"], parameters: [] });
  expect(await decided(policy, { fields: lines(...names) })).toBe(expected);
});

test.each([
  ["?plan=a&other=b&other=c", "continue"],
  ["?plan=a&plan=a", 400],
  ["?%70lan=a", "continue"],
  ["?%70lan=a&plan=b", 400],
  ["?PLAN=a", 400],
  ["?plan[]=a", 400],
  ["?plan[0][x]=a", 400],
  ["?plans=a&myplan=b", "continue"],
  ["?other=1;plan=a", 400],
  ["?other=1;x=a&plan=a", "continue"],
  ["?+plan=a", 400],
  ["?plan%00x=a", 400],
  ["?the.plan=a", "continue"],
  ["?the_plan=a", 400],
  ["?the+plan=a", 400],
  ["?list[]=a", "continue"],
  ["?list[]=a&list[]=b", 400],
  ["", "continue"],
] as const)("the query %s is clear to every upstream: %s", async (query, expected) => {
  const policy = createDecidingFieldsPolicy({ fields: [], parameters: ["plan", "the.plan", "list[]"] });
  expect(await decided(policy, { query })).toBe(expected);
});

test("without names there is no policy, and trailers lose the deciding fields", () => {
  expect(createDecidingFieldsPolicy({ fields: [], parameters: [] })).toBeUndefined();
  const policy = createDecidingFieldsPolicy({ fields: ["x-user"], parameters: [] });
  const exchange = new ClientExchange(new Consumer());
  exchange.body = { readTo: (sink) => sink.end(lines("x-user", "x-more")), pause() {}, resume() {} };
  void policy?.request(exchange);
  const ends: string[] = [];
  exchange.body.readTo({ data: () => true, end: (trailers) => void ends.push(trailers), abort() {} });
  expect(ends).toEqual([lines("x-more")]);
});

const RATE = { requests_per_second: 1, burst_size: 1 };

/** The policies of routes. */
function policiesOf(...routes: readonly Record<string, unknown>[]) {
  const servers = [{ address: "127.0.0.1", port: 1 }];
  const { config, problems } = loadValue({
    upstreams: [{ name: "u", servers }],
    routes: routes.map((route) => ("tenant" in route ? route : { upstream: "u", ...route })),
    // A tenant's route needs a filter.
    wasm_filters: [{ match: "/own", module: "/nowhere.wasm" }],
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  // The provider reads the configuration alone.
  const feature = provideDecidingFields({ config } as FeatureParts);
  expect(feature.policy(undefined)).toBeUndefined();
  return config.routes.map((route) => feature.policy(route));
}

test("fields in the match of any route count for all, and query parameters for the prefixes above", async () => {
  const [matched, above, beside] = policiesOf(
    {
      path_prefix: "/a/b",
      match: { headers: [{ name: "X-Env", value: "1" }], query: [{ name: "plan", value: "1" }] },
      name: "one",
    },
    { path_prefix: "/a" },
    { path_prefix: "/c" },
  );
  const twice = { fields: lines("x-env", "x-env") };
  for (const policy of [matched, above, beside]) expect(await decided(policy, twice)).toBe(400);
  const query = "?plan=1&plan=2";
  expect(await decided(matched, { query })).toBe(400);
  expect(await decided(above, { query })).toBe(400);
  expect(await decided(beside, { query })).toBe("continue");
});

test.each([
  ["rate limit", { rate_limit: { ...RATE, key: "header:X-User" } }],
  ["split", { traffic_split: [{ upstream: "u", weight: 1 }], traffic_split_sticky: { header: "X-User" } }],
  ["tenant", { tenant: { socket_dir: "/nowhere", header: "X-User" } }],
  ["authentication", { auth: { type: "forward_auth", url: "http://127.0.0.1:1/", headers_forward: ["X-User"] } }],
])("a route's own %s decides for it alone, by its field", async (_what, route) => {
  const [own, other] = policiesOf({ path_prefix: "/own", ...route }, { path_prefix: "/other" });
  expect(await decided(own, { fields: lines("x-user", "x-user") })).toBe(400);
  expect(await decided(own, { fields: lines("x-more", "x-more") })).toBe("continue");
  expect(other).toBeUndefined();
});

test("a rate limit by address reads no field", () => {
  expect(policiesOf({ path_prefix: "/", rate_limit: { ...RATE, key: "ip" } })).toEqual([undefined]);
});
