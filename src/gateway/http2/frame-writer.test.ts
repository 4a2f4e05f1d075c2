import { expect, test } from "bun:test";
import { type Exchange, type ResponseHead } from "../exchange/exchange.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { GET, ScriptedClient } from "./testing/scripted-client.ts";

const OK = { status: 200, reason: "OK", fields: "", bodyLength: -1 } satisfies ResponseHead;

function open(client: ScriptedClient, streamId = 1): Exchange {
  client.head(streamId, f.END_STREAM, GET);
  const exchange = client.host.exchanges.at(-1);
  if (exchange === undefined) throw new Error("Cannot go on: no exchange was made");
  return exchange;
}

test("a head whose bytes wait for the socket does not change the bytes of another connection", () => {
  const [full, other] = [new ScriptedClient().begin(), new ScriptedClient().begin()];
  const [waiting, sound] = [open(full), open(other)];
  const behind = open(full, 3);
  waiting.response.start(OK);
  full.wire.takes = [0];
  sendGathered();
  // Both happen in one event: the bytes gathered for one connection are still in the shared buffer.
  sound.response.start({ ...OK, fields: "X-Of: other\r\n", bodyLength: 0 });
  behind.response.start({ ...OK, fields: "X-Of: full\r\n", bodyLength: 0 });
  sound.response.end("");
  behind.response.end("");
  expect(other.heard()).toEqual(["HEADERS 1 :status: 200, content-length: 0, x-of: other end"]);
  full.connection.onDrain();
  expect(full.heard()).toEqual(["HEADERS 1 :status: 200", "HEADERS 3 :status: 200, content-length: 0, x-of: full end"]);
});

test("a head that is longer than the shared buffer is sent completely", () => {
  const client = new ScriptedClient().begin();
  const exchange = open(client);
  exchange.response.start({ ...OK, fields: `X-Long: ${"~".repeat(140_000)}\r\n`, bodyLength: 0 });
  exchange.response.end("");
  const frames = client.frames();
  expect(frames.slice(1).every(({ type }) => type === f.CONTINUATION)).toBe(true);
  expect(frames.reduce((sum, { payload }) => sum + payload.length, 0)).toBeGreaterThan(140_000);
});

test("only the first head announces that its sender has no table", () => {
  const client = new ScriptedClient().begin();
  for (const streamId of [1, 3]) {
    const { response } = open(client, streamId);
    response.start({ ...OK, bodyLength: 0 });
    response.end("");
  }
  const [first, second] = client.frames();
  expect(first?.payload[0]).toBe(0x20);
  expect(second?.payload).toEqual(first?.payload.subarray(1) as Buffer);
});

test("a frame is as long as the client allows, and all bytes of its length are correct", () => {
  const length = 0x02_03_04;
  const client = new ScriptedClient().begin([
    [4, f.MAX_WINDOW],
    [5, length],
  ]);
  client.numbers(f.WINDOW_UPDATE, 0, 1_000_000);
  const { response } = open(client);
  response.start(OK);
  response.data(Buffer.alloc(length + 1));
  const sizes = client.frames().map(({ payload }) => payload.length);
  expect(sizes.slice(1)).toEqual([length, 1]);
});
