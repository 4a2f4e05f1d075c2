import { expect, test } from "bun:test";
import { bearer, SECRET, token } from "../../../../test/policy/testing/tokens.ts";
import { type Exchange, type ResponseHead } from "../../exchange/exchange.ts";
import { type Decision, type Policy } from "../policy.ts";
import { createAuthPolicy } from "./auth.ts";
import { type Auth } from "./create-method.ts";
import { type KeySetDeps } from "./jwks.ts";
import { requestOf } from "./testing/exchange.ts";

const KEYS = {
  type: "api_key",
  keys: [{ key: "k", name: "alice" }],
  header_name: "X-Key",
  query_param: "",
  consumers: [],
};
const JWT = { type: "jwt", algorithm: "HS256", secret: SECRET, claims_to_headers: [], consumers: [] };
const TOKEN = `Authorization: ${bearer(token({ sub: "bob" }))["authorization"]}\r\n`;
const FORGED = "Authorization: Bearer forged\r\n";

interface Asked {
  readonly decision: Decision;
  readonly exchange: Exchange;
  readonly heads: readonly ResponseHead[];
}

/** The policy's decision about a request with these fields, and its response. */
async function ask(auth: object, fields: string, names: readonly string[] = []): Promise<Asked> {
  // The schema's defaults and the network are not needed here.
  const policy = createAuthPolicy({ auth: auth as Auth, identityNames: names }, { clock: Date.now } as KeySetDeps);
  if (policy === undefined) throw new Error("There is nothing to decide");
  const heads: ResponseHead[] = [];
  const response = { start: (head: ResponseHead) => heads.push(head), data: () => true, end() {}, abort() {} };
  const exchange = Object.assign(requestOf(fields), {
    response,
    id: "id",
    isAuthorized: true,
    consumer: "",
    addedFields: "",
  });
  return { decision: await policy.request(exchange), exchange, heads };
}

test("an admitted client has a name and is marked as admitted, and other clients are not", async () => {
  const { decision, exchange } = await ask(KEYS, "X-Key: k\r\nA: 1\r\n");
  expect([decision, exchange.consumer, exchange.isAuthorized]).toEqual(["continue", "alice", true]);
  expect(exchange.head.fields).toBe("A: 1\r\nX-Consumer-Name: alice\r\n");
  const refused = await ask(KEYS, "X-Key: wrong\r\nA: 1\r\n");
  expect([refused.decision, refused.exchange.isAuthorized, refused.heads[0]?.status]).toEqual([
    "responded",
    false,
    401,
  ]);
  expect([refused.heads[0]?.fields.includes("WWW-Authenticate: ApiKey"), refused.exchange.head.fields]).toEqual([
    true,
    "A: 1\r\n",
  ]);
});

/** The fields that the upstream gets. */
async function passed(auth: object, sent: string): Promise<string> {
  return (await ask(auth, sent)).exchange.head.fields;
}

test("an unverified token is removed on routes that verify tokens, and passes elsewhere", async () => {
  const both = { type: "chain", methods: [KEYS, JWT] };
  expect(await passed(both, `X-Key: k\r\n${FORGED}`)).toBe("X-Consumer-Name: alice\r\n");
  expect(await passed(both, `X-Key: k\r\nAuthorization: Basic x\r\n`)).toContain("Authorization: Basic x");
  expect(await passed(both, TOKEN)).toBe(`${TOKEN}X-Consumer-Name: bob\r\n`);
  expect(await passed(KEYS, `X-Key: k\r\n${FORGED}`)).toBe(`${FORGED}X-Consumer-Name: alice\r\n`);
});

test("identity fields of other routes are removed, except fields that clients also use themselves", async () => {
  const names = ["x-role", "cookie", "authorization"];
  const sent = "X_Role: admin\r\nCookie: a=b\r\nAuthorization: Basic x\r\n";
  const { exchange } = await ask({ type: "none" }, sent, names);
  expect(exchange.head.fields).toBe("Cookie: a=b\r\nAuthorization: Basic x\r\n");
  expect(createAuthPolicy({ auth: { type: "none" }, identityNames: [] }, {} as KeySetDeps)).toBeUndefined();
});

test("a preflight gets a response without credentials on a route that requires them", async () => {
  const preflight = "Origin: http://o.test\r\nAccess-Control-Request-Method: PUT\r\n";
  const decisions: unknown[] = [];
  for (const auth of [KEYS, { type: "none" }]) {
    const response = { start: () => {}, data: () => true, end() {}, abort() {} };
    const exchange = Object.assign(requestOf(preflight), { response, id: "id", addedFields: "" });
    Object.assign(exchange.head, { method: "OPTIONS" });
    const policy = createAuthPolicy({ auth: auth as Auth, identityNames: ["x"] }, {} as KeySetDeps);
    decisions.push(await policy?.request(exchange));
  }
  expect(decisions).toEqual(["responded", "continue"]);
});

/** The policy's decision about a request with these fields, its consumer, and the fields and query that are passed on. */
function decided(policy: Policy, fields: string, query = ""): readonly [Decision, string, string] {
  const response = { start: () => {}, data: () => true, end() {}, abort() {} };
  const exchange = Object.assign(requestOf(fields, query), { response, id: "id", isAuthorized: false, consumer: "" });
  const decision = policy.request(exchange);
  if (decision instanceof Promise) throw new Error("It is decided at once");
  expect(exchange.isAuthorized).toBe(decision === "continue");
  return [decision, exchange.consumer, exchange.head.fields + exchange.head.query];
}

function policyOf(auth: object): Policy {
  const policy = createAuthPolicy({ auth: auth as Auth, identityNames: ["x-role"] }, { clock: Date.now } as KeySetDeps);
  if (policy === undefined) throw new Error("There is nothing to decide");
  return policy;
}

test("equal requests are admitted alike, and a different one is checked", () => {
  const keys = [...KEYS.keys, { key: "other", name: "carol" }];
  const policy = policyOf({ ...KEYS, keys, query_param: "key" });
  const alice = ["continue", "alice", "A: 1\r\nX-Consumer-Name: alice\r\n"] as const;
  for (let n = 0; n < 3; n++) {
    expect(decided(policy, "X-Key: k\r\nX_Role: admin\r\nA: 1\r\n")).toEqual(alice);
  }
  expect(decided(policy, "X-Key: K\r\nX_Role: admin\r\nA: 1\r\n")[0]).toBe("responded");
  expect(decided(policy, "A: 1\r\n")[0]).toBe("responded");
  expect(decided(policy, "A: 1\r\n", "?key=other&b=1")[1]).toBe("carol");
  expect(decided(policy, "A: 1\r\n", "?key=other&b=1")[2]).toContain("?b=1");
  expect(decided(policy, "A: 1\r\n", "?key=othe&b=1")[0]).toBe("responded");
  expect(decided(policy, "X-Key: k\r\nA: 1\r\n")).toEqual(alice);
});

test("a key that a reload removes is refused", () => {
  expect(decided(policyOf(KEYS), "X-Key: k\r\n")[0]).toBe("continue");
  expect(decided(policyOf({ ...KEYS, keys: [{ key: "new", name: "alice" }] }), "X-Key: k\r\n")[0]).toBe("responded");
});

test("a token is verified for each request, also in a chain with keys", () => {
  let now = Date.now();
  const auth = { type: "chain", methods: [KEYS, JWT] };
  const policy = createAuthPolicy({ auth: auth as Auth, identityNames: [] }, { clock: () => now } as KeySetDeps);
  if (policy === undefined) throw new Error("There is nothing to decide");
  const fields = `Authorization: ${bearer(token({ sub: "bob", exp: Math.floor(now / 1000) + 60 }))["authorization"]}\r\n`;
  expect(decided(policy, fields)[1]).toBe("bob");
  now += 3_600_000;
  expect(decided(policy, fields)[0]).toBe("responded");
});
