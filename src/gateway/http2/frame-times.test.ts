import { describe, expect, test } from "bun:test";
import * as f from "./frame.ts";
import { ScriptedClient, SETTINGS } from "./testing/scripted-client.ts";

describe("a frame that has begun and is not completed reaches its own timeout: it", () => {
  const ping = f.payloadFrame({ type: f.PING, flags: 0, streamId: 0 }, Buffer.alloc(8));
  const unknown = f.payloadFrame({ type: 0x77, flags: 0, streamId: 0 }, Buffer.alloc(8));

  test.each([
    ["is a single byte", ping.subarray(0, 1)],
    ["lacks its whole payload", ping.subarray(0, 9)],
    ["lacks the last byte of its payload", ping.subarray(0, 16)],
    ["lacks its whole payload, and is unknown", unknown.subarray(0, 9)],
    ["lacks the last byte, and is unknown", unknown.subarray(0, 16)],
  ])("%s", (_what, part) => {
    const client = new ScriptedClient().begin();
    client.bytes(part);
    client.host.clock.advance(SETTINGS.headerMs - 100);
    expect(client.wire.ended).toBe(false);
    client.host.clock.advance(200);
    expect(client.wire.ended).toBe(true);
  });

  test("has the whole idle timeout once it is complete", () => {
    const client = new ScriptedClient().begin();
    for (const frame of [ping, unknown]) client.bytes(frame);
    client.host.clock.advance(SETTINGS.headerMs + 100);
    expect(client.wire.ended).toBe(false);
  });
});
