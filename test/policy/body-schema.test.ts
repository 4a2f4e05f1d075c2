import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { until } from "../../src/lib/testing/until.ts";
import { RawClient } from "../support/raw-client.ts";
import { everythingTo } from "../support/gateway.ts";
import { type Message } from "../support/message.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type ProtocolGateway, type Request, startProtocols } from "./protocols.ts";

const SCHEMA = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string", pattern: "^[a-z]+$" }, tags: { type: "array", items: { type: "integer" } } },
  additionalProperties: false,
};
const JSON_TYPE = { "content-type": "application/json" };
const MAX_BYTES = 100_000;

let origin: RawOrigin;
let gateway: ProtocolGateway;
const received: Message[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  origin.response = (request, connection) => {
    received.push(request);
    echo(request, connection);
  };
  const { upstreams } = everythingTo(origin.port);
  gateway = await startProtocols({
    upstreams,
    routes: [{ path_prefix: "/", upstream: Reflect.get(upstreams[0] ?? {}, "name") as string, body_schema: SCHEMA }],
    limits: { max_body_bytes: MAX_BYTES },
    timeouts: { body_ms: 300 },
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

beforeEach(() => void received.splice(0));

const post = (body: string | Uint8Array, headers: Record<string, string> = JSON_TYPE): Request => ({
  method: "POST",
  headers,
  body,
});

for (const protocol of PROTOCOLS) {
  test(`over ${protocol} a valid body reaches the upstream unchanged, with its length`, async () => {
    const body = ' {"name" : "a\\u0062c",\n"tags":[1, 2.0]} ';
    const reply = await gateway.request(protocol, post(body, { "content-type": "application/a+json; charset=UTF-8" }));
    expect(reply.status).toBe(200);
    expect(received[0]?.body).toBe(body);
    expect(received[0]?.fields.filter(([name]) => name.toLowerCase() === "content-length")).toEqual([
      ["Content-Length", String(body.length)],
    ]);
  });

  test(`over ${protocol} errors are reported by pointers, without the invalid values`, async () => {
    const reply = await gateway.request(protocol, post('{"name":"SECRET","tags":["x",1],"__proto__":{"a":1}}'));
    expect([reply.status, reply.header("content-type")]).toEqual([400, "application/problem+json"]);
    expect(reply.json).toMatchObject({
      detail: 'the body does not fit the schema of this route: /name must match "^[a-z]+$"',
      errors: [
        { path: "/name", message: 'must match "^[a-z]+$"' },
        { path: "/tags/0", message: "must be integer" },
        { path: "/__proto__", message: 'is not allowed; the names are "name" and "tags"' },
      ],
    });
    expect(reply.text).not.toContain("SECRET");
    expect(received).toEqual([]);
    const other = await gateway.request(protocol, post("3"));
    expect(other.json).toMatchObject({ detail: "the body does not fit the schema of this route: it must be object" });
    const broken = await gateway.request(protocol, post('{"name":"a"}}'));
    expect(broken.json).toMatchObject({
      detail: 'the body is not JSON that this route accepts: expected the end of the text, found "}", at character 12',
    });
  });

  for (const [what, request, status] of [
    ["no JSON", post("{"), 400],
    ["a name that is there twice", post('{"name":"a","name":"b"}'), 400],
    ["deep nesting", post("[".repeat(20_000)), 400],
    ["a byte order mark", post('\ufeff{"name":"a"}'), 400],
    ["broken UTF-8", post(Uint8Array.of(0x22, 0xff, 0x22)), 400],
    ["no body", { method: "POST", headers: JSON_TYPE }, 400],
    ["an empty body", post(""), 400],
    ["another type", post('{"name":"a"}', { "content-type": "text/plain" }), 415],
    ["no type", post('{"name":"a"}', {}), 415],
    ["another charset", post('{"name":"a"}', { "content-type": 'application/json; charset="utf-16"' }), 415],
    ["a coding", post('{"name":"a"}', { ...JSON_TYPE, "content-encoding": "gzip" }), 415],
    ["a GET with a body that does not fit", { ...post("{}"), method: "GET" }, 400],
    ["a GET without a body", {}, 200],
  ] as const) {
    test(`over ${protocol} ${what} gets ${status}`, async () => {
      expect((await gateway.request(protocol, request)).status).toBe(status);
      expect(received.length).toBe(status === 200 ? 1 : 0);
    });
  }
}

const head = (fields: string): string =>
  `POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${fields}\r\n`;

test("a chunked body gets a length, however its pieces arrive", async () => {
  const client = await RawClient.open(gateway.plainPort);
  client.send(head("Transfer-Encoding: chunked\r\n"));
  for (const character of '{"name":"a"}') client.send(`1\r\n${character}\r\n`);
  client.send("0\r\n\r\n");
  expect((await client.finalResponse("POST")).startLine).toContain(" 200 ");
  expect(received[0]?.body).toBe('{"name":"a"}');
  expect(received[0]?.fields.map(([name, value]) => `${name.toLowerCase()}: ${value}`)).toContain("content-length: 12");
  client.destroy();
});

test("a client that waits for 100 gets it from the gateway, and the upstream does not send one", async () => {
  const client = await RawClient.open(gateway.plainPort);
  client.send(head("Content-Length: 12\r\nExpect: 100-continue\r\n"));
  expect((await client.response("POST")).startLine).toContain(" 100 ");
  client.send('{"name":"a"}');
  expect((await client.finalResponse("POST")).startLine).toContain(" 200 ");
  expect(received[0]?.fields.some(([name]) => name.toLowerCase() === "expect")).toBe(false);
  client.destroy();
});

test("a body of a wrong type is refused before a 100", async () => {
  const client = await RawClient.open(gateway.plainPort);
  client.send(
    "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 12\r\nExpect: 100-continue\r\n\r\n",
  );
  expect((await client.response("POST")).startLine).toContain(" 415 ");
  client.destroy();
});

test("a body that is too long gets 413, announced or not", async () => {
  const body = JSON.stringify({ name: "a".repeat(MAX_BYTES) });
  for (const framed of [
    head(`Content-Length: ${body.length}\r\n`),
    `${head("Transfer-Encoding: chunked\r\n")}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ]) {
    const client = await RawClient.open(gateway.plainPort);
    client.send(framed);
    expect((await client.finalResponse("POST")).startLine).toContain(" 413 ");
    client.destroy();
  }
  expect(received).toEqual([]);
});

test("a body that stalls gets 408", async () => {
  const client = await RawClient.open(gateway.plainPort);
  client.send(`${head("Content-Length: 12\r\n")}{"name"`);
  expect((await client.finalResponse("POST")).startLine).toContain(" 408 ");
  expect(received).toEqual([]);
  client.destroy();
});

async function used(): Promise<string | undefined> {
  const { text } = await gateway.plain({ path: "/metrics" });
  return /^turnpike_buffer_bytes\{pool="body"\} (\d+)$/m.exec(text)?.[1];
}

test("clients that disconnect within a body leave no memory in use", async () => {
  const before = await used();
  expect(before).toBe("0");
  const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.open(gateway.plainPort)));
  for (const client of clients) client.send(`${head("Content-Length: 90000\r\n")}${"[".repeat(50_000)}`);
  await until(async () => Number(await used()) >= 500_000);
  for (const client of clients) client.destroy();
  await until(async () => (await used()) === before);
});
