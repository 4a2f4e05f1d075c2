/** `http2.*` as clients see it: the configured values are announced in SETTINGS, and enforced. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { everythingTo, type Gateway, startGateway } from "../support/gateway.ts";
import { get, Http2Client, post } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { echo, RawOrigin } from "../support/raw-origin.ts";

const FRAME = 20_000;

let origin: RawOrigin;
let gateway: Gateway;

beforeAll(async () => {
  origin = await RawOrigin.start();
  origin.response = echo;
  gateway = await startGateway({
    http2: { max_streams: 7, max_header_list_size: 3000, initial_window_size: 70_000, max_frame_size: FRAME },
    ...everythingTo(origin.port),
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

async function withClient(run: (client: Http2Client) => Promise<void>): Promise<void> {
  const client = await Http2Client.ready(gateway.port);
  try {
    await run(client);
  } finally {
    client.destroy();
  }
}

test("SETTINGS have the configured values, and leave the header table at 4096 bytes", async () => {
  await withClient(async (client) => {
    const { payload } = await client.sees("SETTINGS", ({ type, flags }) => type === h2.SETTINGS && flags === 0);
    const said = new Map(
      Array.from({ length: payload.length / 6 }, (_, i) => [
        payload.readUInt16BE(i * 6),
        payload.readUInt32BE(i * 6 + 2),
      ]),
    );
    expect([
      said.get(h2.MAX_CONCURRENT_STREAMS),
      said.get(h2.MAX_HEADER_LIST_SIZE),
      said.get(h2.INITIAL_WINDOW_SIZE),
      said.get(h2.MAX_FRAME_SIZE),
      said.get(h2.HEADER_TABLE_SIZE) ?? 4096,
    ]).toEqual([7, 3000, 70_000, FRAME, 4096]);
  });
});

test("a frame of max_frame_size is accepted, and one more byte ends the connection", async () => {
  await withClient(async (client) => {
    client.send(post(1), h2.data(1, "x".repeat(FRAME), h2.END_STREAM));
    expect((await client.response(1)).status).toBe(200);
    client.send(post(3), h2.data(3, "x".repeat(FRAME + 1)));
    expect(await client.goawayCode()).toBe(h2.FRAME_SIZE_ERROR);
  });
});

test("a header list over max_header_list_size gets 431", async () => {
  await withClient(async (client) => {
    client.send(get(1, "/x", [["x-large", "y".repeat(2500)]]), get(3, "/x", [["x-large", "y".repeat(3000)]]));
    expect([(await client.response(1)).status, (await client.response(3)).status]).toEqual([200, 431]);
  });
});
