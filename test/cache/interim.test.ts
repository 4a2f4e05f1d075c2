/** Interim responses pass through a cache, over every protocol, and are not stored (RFC 9110 §15.2). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startProtocols, type ProtocolGateway } from "../policy/protocols.ts";
import { everythingTo } from "../support/gateway.ts";
import { get, Http2Client } from "../support/http2-client.ts";
import { Http3Client } from "../support/http3-client.ts";
import { RawClient } from "../support/raw-client.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { statusOf } from "../support/message.ts";

let origin: RawOrigin;
let gateway: ProtocolGateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  const { upstreams } = everythingTo(origin.port);
  gateway = await startProtocols({
    upstreams,
    routes: [{ path_prefix: "/", upstream: "origin", cache: { ttl_s: 0 } }],
  });
  origin.response = (_, connection) =>
    connection.send(
      "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nX-Hint: 1\r\n\r\n" +
        "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\nbody",
    );
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

interface Seen {
  readonly interim: readonly number[];
  readonly names: readonly string[];
}

async function overHttp1(path: string): Promise<Seen> {
  const client = await RawClient.open(gateway.plainPort);
  client.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const interim: number[] = [];
  for (;;) {
    const message = await client.response();
    const status = statusOf(message);
    const names = message.fields.map(([name]) => name.toLowerCase());
    if (status >= 200) {
      client.destroy();
      return { interim, names };
    }
    interim.push(status);
    if (status === 103) expect(names).toEqual(["link", "x-hint"]);
  }
}

async function overHttp2(path: string): Promise<Seen> {
  const client = await Http2Client.ready(gateway.plainPort);
  client.send(get(1, path));
  const { interim, fields } = await client.response(1);
  client.destroy();
  return { interim, names: fields.map(([name]) => name) };
}

async function overHttp3(path: string): Promise<Seen> {
  const client = await Http3Client.connect(gateway.quicPort);
  const { interim, headers } = await client.request("GET", path);
  client.close();
  return { interim: interim.map((block) => Number(block[":status"])), names: Object.keys(headers) };
}

test.each([
  ["HTTP/1.1", overHttp1],
  ["HTTP/2", overHttp2],
  ["HTTP/3", overHttp3],
] as const)("over %s they come before the final response, which alone is kept", async (name, ask) => {
  const path = `/${name}`;
  const before = origin.requests.length;
  const first = await ask(path);
  const second = await ask(path);
  expect([first.interim, second.interim]).toEqual([[102, 103], []]);
  expect([...first.names, ...second.names]).not.toContain("x-hint");
  expect(second.names).toContain("age");
  expect(origin.requests.length - before).toBe(1);
});
