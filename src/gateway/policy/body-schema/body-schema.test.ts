import { expect, test } from "bun:test";
import { ClientExchange, Consumer, ProducedBody } from "../../../../test/flow/testing/flow.ts";
import { type FieldError } from "../../../lib/errors.ts";
import { BufferPool } from "../../../lib/memory/buffer-pool.ts";
import { SchemaError } from "../../../lib/json-schema/compile-schema.ts";
import { type Config } from "../../config/config.ts";
import { loadValue } from "../../config/load.ts";
import { type FeatureParts } from "../../features/feature-parts.ts";
import { type Policy } from "../policy.ts";
import { createBodySchemaPolicy } from "./body-schema.ts";
import { provideBodySchemas } from "./provide-body-schemas.ts";

const JSON_TYPE = "Content-Type: application/json\r\n";
const NAMED = { type: "object", required: ["name"], properties: { name: { type: "string", format: "date" } } };
const VALID = '{"name":"2026-01-01"}';

const poolOf = (bytes = 1_000_000): BufferPool => new BufferPool({ bufferSize: 1, bufferCount: bytes, reserve: 0 });

const policyOf = (schema: object = NAMED, { maxBodyBytes = 1000, memory = poolOf() } = {}): Policy =>
  createBodySchemaPolicy({ body_schema: schema, max_body_bytes: maxBodyBytes }, { memory });

/** A request whose client notes the response, with a body that the test sends. */
function requestOf(head: ConstructorParameters<typeof ClientExchange>[1] = {}) {
  const client = new Consumer();
  const statuses: number[] = [];
  client.start = ({ status }) => void statuses.push(status);
  const exchange = new ClientExchange(client, { fields: JSON_TYPE, ...head });
  const body = new ProducedBody(() => {});
  exchange.body = body;
  const problem = (): { detail?: string; errors?: readonly FieldError[] } =>
    client.length === 0 ? {} : (JSON.parse(client.bytes.toString()) as { detail?: string }); // A problem document.
  return { exchange, body, statuses, problem };
}

/** The decision about a whole body, whose pieces arrive while it is read or after. */
async function decided(
  policy: Policy,
  head: Parameters<typeof requestOf>[0],
  { text, late = false }: { readonly text: string; readonly late?: boolean },
) {
  const request = requestOf(head);
  const send = (): void => {
    if (text !== "") request.body.sink?.data(Buffer.from(text), 0, Buffer.byteLength(text));
    request.body.sink?.end("");
  };
  const { body } = request;
  if (!late) {
    request.exchange.body = {
      readTo(sink) {
        body.sink = sink;
        send();
      },
      pause() {},
      resume() {},
    };
  }
  const decision = policy.request(request.exchange);
  if (late) send();
  return { decision: await decision, isPromise: decision instanceof Promise, ...request };
}

test.each([false, true])("a valid body is passed on with its length (after a wait: %p)", async (late) => {
  const { decision, isPromise, exchange, statuses } = await decided(policyOf(), {}, { text: VALID, late });
  expect([decision, isPromise, statuses, exchange.head.bodyLength]).toEqual(["continue", late, [], VALID.length]);
  const passed = new Consumer();
  exchange.body.readTo(passed);
  expect([passed.bytes.toString(), passed.ends]).toEqual([VALID, 1]);
});

test.each([
  ['{"name":"today"}', '/name must be of format "date"', "/name"],
  ["{}", 'it requires "name"', ""],
  ["3", "it must be object", ""],
])("the body %s is refused with its problem, first in the detail", async (text, problem, path) => {
  const { decision, statuses, problem: shown } = await decided(policyOf(), {}, { text, late: true });
  expect([decision, statuses]).toEqual(["responded", [400]]);
  expect(shown().detail).toBe(`the body does not fit the schema of this route: ${problem}`);
  expect(shown().errors?.map((error) => error.path)).toEqual([path]);
});

test("the error for a body that is not JSON differs from that for one that takes too long to check", async () => {
  const { statuses, problem } = await decided(policyOf(), {}, { text: "{" });
  const message = "expected a key in double quotes, found the end of the text, at character 1";
  expect([statuses, problem().detail]).toEqual([[400], `the body is not JSON that this route accepts: ${message}`]);
  expect(problem().errors).toEqual([{ path: "", message }]);
  const twice = { $ref: "#/$defs/n" };
  const costly = { $defs: { n: { allOf: [{ items: twice }, { items: twice }] } }, ...twice };
  const deep = await decided(policyOf(costly), {}, { text: `${"[".repeat(100)}0${"]".repeat(100)}` });
  expect([deep.decision, deep.statuses]).toEqual(["responded", [400]]);
  expect(deep.problem().detail).toStartWith("the body takes too long to check: it takes more than 2000000 steps");
});

test.each([
  ["POST", 0, 400],
  ["PUT", -1, 400],
  ["GET", 0, "continue"],
  ["HEAD", -1, "continue"],
  ["OPTIONS", 0, "continue"],
  ["DELETE", -1, "continue"],
] as const)("%s without a body, of the announced length %d: %p", async (method, bodyLength, expected) => {
  // A request that is known to have no body needs no type for it.
  const fields = bodyLength === 0 ? "" : JSON_TYPE;
  const { decision, statuses, problem } = await decided(policyOf(), { method, bodyLength, fields }, { text: "" });
  expect(decision === "responded" ? statuses[0] : decision).toBe(expected);
  expect(problem().detail).toBe(expected === 400 ? "a JSON body is required" : undefined);
});

test("a body of one byte is checked, also that of a method that needs none", async () => {
  for (const method of ["POST", "GET"]) {
    expect((await decided(policyOf(), { method, bodyLength: 1 }, { text: "3" })).statuses).toEqual([400]);
    expect((await decided(policyOf({ type: "integer" }), { method, bodyLength: 1 }, { text: "3" })).decision).toBe(
      "continue",
    );
  }
});

test.each<[NonNullable<Parameters<typeof requestOf>[0]>]>([
  [{ isGrpc: true, fields: "Content-Type: application/grpc\r\n" }],
  [{ upgrade: "websocket", fields: "" }],
])("a request with %j is not checked, and its body is not read", async (head) => {
  const { exchange, body, statuses } = requestOf(head);
  expect([await policyOf().request(exchange), statuses]).toEqual(["continue", []]);
  expect([exchange.body === body, body.sink]).toEqual([true, undefined]);
});

test("a body of another type, too long, or beyond the memory is refused", async () => {
  const { statuses, exchange, body } = requestOf({ fields: "Content-Type: text/plain\r\n" });
  expect([policyOf().request(exchange), statuses, body.sink]).toEqual(["responded", [415], undefined]);
  const long = requestOf({ bodyLength: 1001 });
  expect([policyOf().request(long.exchange), long.statuses]).toEqual(["responded", [413]]);
  const memory = poolOf(10);
  const full = await decided(policyOf(NAMED, { memory }), {}, { text: VALID, late: true });
  expect([full.decision, full.statuses, memory.used]).toEqual(["responded", [503], 0]);
});

test("a client that has left gets no response, and its body goes no further", async () => {
  const before = requestOf({ bodyLength: 0 });
  before.exchange.gone = true;
  expect([policyOf().request(before.exchange), before.statuses]).toEqual(["responded", []]);

  const memory = poolOf();
  const within = requestOf();
  const decision = policyOf(NAMED, { memory }).request(within.exchange);
  within.body.sink?.data(Buffer.from(VALID), 0, VALID.length);
  expect(memory.used).toBeGreaterThan(0);
  within.exchange.gone = true;
  within.exchange.onGone?.();
  expect([await decision, within.statuses, memory.used]).toEqual(["responded", [], 0]);

  // Between the end of the body and the check.
  const after = requestOf({ method: "GET" });
  const late = policyOf().request(after.exchange);
  after.body.sink?.end("");
  after.exchange.gone = true;
  after.exchange.onGone?.();
  expect([await late, after.statuses, after.exchange.body === after.body]).toEqual(["responded", [], true]);
});

function configOf(...routes: readonly object[]): Config {
  const servers = [{ address: "127.0.0.1", port: 1 }];
  const { config, problems } = loadValue({
    upstreams: [{ name: "u", servers }],
    routes: routes.map((route, i) => ({ path_prefix: `/${i}`, upstream: "u", ...route })),
    limits: { max_body_bytes: 2000 },
  });
  if (config === undefined) throw new Error(JSON.stringify(problems));
  return config;
}

// The provider reads these parts alone.
const featureOf = (config: Config) => provideBodySchemas({ config, bodies: poolOf() } as FeatureParts);

/** The policies of routes, in their order, and of requests without a route. */
function policiesOf(...routes: readonly object[]): (Policy | undefined)[] {
  const config = configOf(...routes);
  return [...config.routes, undefined].map((route) => featureOf(config).policy(route));
}

test("a route with a schema has a policy, with its own limit of bytes or the general one", async () => {
  const routes = [{ body_schema: NAMED }, { body_schema: NAMED, max_body_bytes: 500 }, {}];
  const [general, own, ...none] = policiesOf(...routes);
  expect(none).toEqual([undefined, undefined]);
  for (const [policy, bodyLength, statuses] of [
    [general, 2001, [413]],
    [general, 2000, []],
    [own, 501, [413]],
    [own, 500, []],
  ] as const) {
    const request = requestOf({ bodyLength });
    void policy?.request(request.exchange);
    expect(request.statuses).toEqual([...statuses]);
  }
});

test("the schema of a content operation checks the bodies of its route", async () => {
  const [policy] = policiesOf({ body_schema: { $ref: "urn:turnpike:body:read" } });
  if (policy === undefined) throw new Error("no policy");
  const statusesOf = async (text: string) => (await decided(policy, {}, { text })).statuses;
  expect(await statusesOf('{"url":"https://a.test/"}')).toEqual([]);
  expect(await statusesOf('{"uri":"https://a.test/"}')).toEqual([400]);
});

test("an invalid schema is an error when the policy is made", () => {
  const config = configOf({});
  const [route] = config.routes;
  if (route === undefined) throw new Error("no route");
  expect(() => featureOf(config).policy({ ...route, body_schema: { type: "text" } })).toThrow(SchemaError);
});
