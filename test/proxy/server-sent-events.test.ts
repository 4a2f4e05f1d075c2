/** Each event of a stream reaches its client before the next one is sent: nothing buffers it. */
import { connect as connectHttp2 } from "node:http2";
import { request as askHttp1 } from "node:http";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Http3Client } from "../support/http3-client.ts";
import { type OriginConnection, RawOrigin } from "../support/raw-origin.ts";
import { until } from "../support/program.ts";
import { Rig } from "./testing/rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const EVENTS = 20;

/** The data that a client has read so far, and a function to close it. */
interface Reader {
  text(): string;
  close(): void;
}

let origin: RawOrigin;
let rig: Rig;

beforeAll(async () => {
  origin = await RawOrigin.start();
  rig = await Rig.start({
    quic: true,
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/", upstream: "origin" }],
  });
});
afterAll(async () => {
  await rig.stop();
  await origin.stop();
});

const READERS: Readonly<Record<string, () => Promise<Reader>>> = {
  "HTTP/1.1": () =>
    new Promise((resolve, reject) => {
      let text = "";
      const request = askHttp1({ port: rig.port, host: "127.0.0.1", path: "/events" }, (response) => {
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("error", () => {});
        resolve({ text: () => text, close: () => request.destroy() });
      });
      request.on("error", reject);
      request.end();
    }),
  "HTTP/2": () =>
    new Promise((resolve, reject) => {
      let text = "";
      const session = connectHttp2(`http://127.0.0.1:${rig.port}`);
      session.on("error", reject);
      const stream = session.request({ ":path": "/events" });
      stream.on("error", reject);
      stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      stream.on("response", () => resolve({ text: () => text, close: () => session.destroy() }));
    }),
  "HTTP/3": async () => {
    const client = await Http3Client.connect(rig.quicPort);
    const { headers, response, chunks } = await client.open("GET", "/events");
    response.catch(() => {});
    await headers;
    return { text: () => Buffer.concat(chunks).toString(), close: () => client.close() };
  },
};

/** A stream of events that are sent one by one. */
function begin(framing: string): Promise<OriginConnection> {
  return new Promise((resolve) => {
    origin.response = (_request, connection) => {
      connection.send(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n${framing}\r\n`);
      resolve(connection);
    };
  });
}

for (const [protocol, open] of Object.entries(READERS)) {
  test.each(["Transfer-Encoding: chunked\r\n", "Connection: close\r\n"])(
    `over ${protocol}, from a server that sends %p`,
    async (framing) => {
      const begun = begin(framing);
      const opening = open();
      const connection = await begun;
      const reader = await opening;
      let sent = "";
      for (let i = 0; i < EVENTS; i++) {
        const event = `id: ${i}\ndata: ${"x".repeat(i * 7)}\n\n`;
        connection.send(framing.includes("chunked") ? `${event.length.toString(16)}\r\n${event}\r\n` : event);
        sent += event;
        await until(`event ${i}`, () => (reader.text() === sent ? true : undefined));
      }
      expect(reader.text()).toBe(sent);
      reader.close();
    },
  );
}
