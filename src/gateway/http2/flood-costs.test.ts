/** Frames of a client that move no data, with their costs to the frame: see `FloodBudget`. */
import { expect, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { sendGathered } from "../wire/outgoing.ts";
import * as f from "./frame.ts";
import { GET, POST, ScriptedClient } from "./testing/scripted-client.ts";

const MAX_CREDIT = 10_000;
/** The client's SETTINGS and its acknowledgement of the gateway's SETTINGS. */
const BEGINNING = 2;

type Play = (client: ScriptedClient, i: number) => void;

/** Resets stream 1 from this side. */
function breakOff(client: ScriptedClient): void {
  client.host.exchanges[0]?.response.abort(new TurnpikeError("internal", ""));
}

test.each<[string, number, Play]>([
  ["PING", 1, (client) => client.frame(f.PING, 0, 0, Buffer.alloc(8))],
  ["a response to a PING", 1, (client) => client.frame(f.PING, f.ACK, 0, Buffer.alloc(8))],
  ["SETTINGS", 1, (client) => client.frame(f.SETTINGS, 0, 0)],
  ["PRIORITY", 1, (client) => client.frame(f.PRIORITY, 0, 1, Buffer.alloc(5))],
  ["WINDOW_UPDATE", 1, (client) => client.numbers(f.WINDOW_UPDATE, 1, 1)],
  ["an unknown frame", 1, (client) => client.frame(0x77, 0, 0, Buffer.from("any"))],
  ["empty DATA", 1, (client) => client.data(1, 0, "")],
  ["padding alone", 1, (client) => client.frame(f.DATA, f.PADDED, 1, Buffer.from([1, 0]))],
  [
    "DATA for a stream that was reset",
    1,
    (client, i) => {
      if (i === 0) breakOff(client);
      client.data(1, 0, "x");
    },
  ],
  [
    "trailers for a stream that was reset",
    1,
    (client, i) => {
      if (i === 0) breakOff(client);
      client.head(1, f.END_STREAM, [["x", "y"]]);
    },
  ],
  [
    // The frame costs credit as well.
    "a request that is reset",
    11,
    (client, i) => {
      client.head(2 * i + 3, f.END_STREAM, GET);
      client.numbers(f.RST_STREAM, 2 * i + 3, f.CANCEL);
    },
  ],
  ["a request that has to be reset", 10, (client, i) => client.head(2 * i + 3, f.END_STREAM, GET.slice(1))],
])("%s costs %d of the credit", (_what, cost, play) => {
  const client = new ScriptedClient().begin();
  client.head(1, 0, POST);
  const enough = Math.floor((MAX_CREDIT - BEGINNING) / cost);
  for (let i = 0; i < enough; i++) play(client, i);
  expect(client.wire.ended).toBe(false);
  play(client, enough);
  expect(client.wire.ended).toBe(true);
  expect(client.heard().at(-1)).toEndWith(` ${f.ENHANCE_YOUR_CALM}`);
});

test("the frames of a head or a body cost nothing", () => {
  const client = new ScriptedClient().begin();
  client.host.onExchange = (exchange) => {
    exchange.body.readTo({ data: () => true, end() {}, abort() {} });
  };
  for (let i = 0; i < 250; i++) {
    const streamId = 2 * i + 1;
    client.frame(f.HEADERS, 0, streamId, client.block(POST));
    for (let n = 0; n < 63; n++) client.frame(f.CONTINUATION, n === 62 ? f.END_HEADERS : 0, streamId);
    for (let n = 0; n < 63; n++) client.data(streamId, 0, "x");
    client.data(streamId, f.END_STREAM, "");
    const { response } = client.host.exchanges[i] ?? {};
    response?.start({ status: 200, reason: "", fields: "", bodyLength: 0 });
    response?.end("");
  }
  sendGathered();
  expect([client.wire.ended, client.host.exchanges.length]).toEqual([false, 250]);
});

test("an unknown frame is skipped, however its bytes arrive", () => {
  const client = new ScriptedClient().begin();
  const unknown = f.payloadFrame({ type: 0x77, flags: 0xff, streamId: 5 }, Buffer.from("anything"));
  const head = f.payloadFrame({ type: f.HEADERS, flags: f.END_HEADERS | f.END_STREAM, streamId: 1 }, client.block(GET));
  const all = Buffer.concat([unknown, unknown, head]);
  for (const byte of all) client.bytes(Buffer.from([byte]));
  client.bytes(Buffer.concat([unknown, f.payloadFrame({ type: f.PING, flags: 0, streamId: 0 }, Buffer.alloc(8))]));
  expect(client.heard()).toEqual(["PING 1"]);
  expect(client.host.exchanges.length).toBe(1);
});
