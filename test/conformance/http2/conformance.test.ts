/**
 * RFC 9113 and 7541 as a table, section by section, against the real gateway over real sockets, without TLS by prior
 * knowledge. Client, frames and header compression are the tests' own. PEER_PORT sends the cases to another server;
 * PEER_ORIGIN is then the Unix socket of its origin.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../../support/gateway.ts";
import { get, Http2Client } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { RawOrigin } from "../../support/raw-origin.ts";
import { type Case } from "./case.ts";
import { FLOW_CASES, STREAM_WINDOW } from "./flow-control.ts";
import { FRAME_TYPE_CASES } from "./frame-types.ts";
import { FRAME_CASES } from "./frames.ts";
import { HPACK_CASES } from "./hpack.ts";
import { MESSAGE_CASES } from "./messages.ts";
import { respondByPath } from "./origin.ts";
import { MAX_STREAMS, STREAM_CASES } from "./streams.ts";
import { patient } from "../../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(20_000));

const CASES = [...FRAME_CASES, ...STREAM_CASES, ...FRAME_TYPE_CASES, ...FLOW_CASES, ...MESSAGE_CASES, ...HPACK_CASES];
const AFTER = 101;

let origin: RawOrigin;
let gateway: Gateway | undefined;
let port = 0;

beforeAll(async () => {
  origin = await RawOrigin.start(process.env.PEER_ORIGIN);
  origin.response = respondByPath;
  // These respond before the request is complete, or never read it.
  origin.onBytes = (connection) => {
    const request = connection.received.slice(connection.parsed);
    if (request.startsWith("POST /at-once") && request.includes("\r\n\r\n")) {
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
    if (request.startsWith("POST /deaf")) connection.socket.pause();
  };
  port = Number(process.env.PEER_PORT ?? 0);
  if (port !== 0) return;
  const { upstreams, routes } = everythingTo(origin.port);
  gateway = await startGateway({
    access_log: { enabled: false },
    http2: { max_streams: MAX_STREAMS, initial_window_size: STREAM_WINDOW },
    upstreams,
    // On other routes the body is buffered before the origin gets the request, so the origin cannot respond before its
    // end.
    routes: [...routes, { path_prefix: "/at-once", upstream: "origin", request_buffering: false }],
  });
  ({ port } = gateway);
});

afterAll(async () => {
  await gateway?.stop();
  await origin.stop();
});

async function serves(client: Http2Client): Promise<void> {
  client.send(get(AFTER, "/after"));
  const { status, body } = await client.response(AFTER);
  expect([status, body.toString()]).toEqual([200, "GET /after"]);
}

async function play(client: Http2Client, row: Exclude<Case, { kind: "raw" }>): Promise<void> {
  if (row.kind === "script") {
    await row.run(client, port);
    return;
  }
  client.send(...row.frames);
  switch (row.kind) {
    case "connection":
      expect(row.codes).toContain(await client.goawayCode());
      await client.closed();
      return;
    case "stream":
      expect(row.codes).toContain(await client.resetCode(row.streamId));
      await serves(client);
      return;
    case "served":
      expect((await client.response(row.streamId)).status).toBe(row.status);
      return;
    case "ignored":
      await serves(client);
      expect(client.frames.filter(({ type }) => type === h2.RST_STREAM || type === h2.GOAWAY)).toEqual([]);
  }
}

async function run(row: Case): Promise<void> {
  if (row.kind === "raw") {
    await row.run(port);
    return;
  }
  const client = await Http2Client.ready(port);
  try {
    await play(client, row);
  } finally {
    client.destroy();
  }
}

for (const section of [...new Set(CASES.map((row) => row.section))].toSorted()) {
  describe(`RFC ${section}`, () => {
    test.each(CASES.filter((row) => row.section === section).map((row) => [row.rule, row] as const))(
      "%s",
      async (_, row) => {
        await run(row);
      },
    );
  });
}
