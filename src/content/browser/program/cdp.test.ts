import { expect, test } from "bun:test";
import { CdpConnection } from "./cdp.ts";
import { type CdpReader, MAX_MESSAGE_BYTES, MessageParts } from "./cdp-wire.ts";

/** A connection whose other end is the test. */
function open() {
  let reader: CdpReader | undefined;
  let destroyed = false;
  const cdp = new CdpConnection({
    read: (given) => void (reader = given),
    write: () => undefined,
    destroy: () => void (destroyed = true),
  });
  return { cdp, receive: (text: string) => reader?.message(text), isDestroyed: () => destroyed };
}

test.each([
  "null",
  "5",
  '"text"',
  "[]",
  "{",
  '{"id":1,"error":null}',
  '{"id":1,"error":5}',
  '{"method":"A.b","params":5}',
])("the message %s, which is not of the protocol, closes the connection and ends its calls", async (text) => {
  const { cdp, receive, isDestroyed } = open();
  const failure = cdp.send("Browser.getVersion").catch(String);
  receive(text);
  expect(await failure).toContain("its connection is closed");
  expect([cdp.closed, isDestroyed()]).toEqual([true, true]);
});

test("an event without the fields of its method closes the connection", () => {
  const { cdp, receive } = open();
  cdp.listen("", (_method, params) => void (params["targetInfo"] as { type: string }).type);
  receive('{"method":"Target.targetCreated","params":{"targetInfo":{"type":"page"}}}');
  expect(cdp.closed).toBe(false);
  receive('{"method":"Target.targetCreated","params":{}}');
  expect(cdp.closed).toBe(true);
});

test("the reason of an error is one line of limited length", async () => {
  const { cdp, receive } = open();
  const failure = cdp.send("Page.enable").catch(String);
  receive(JSON.stringify({ id: 1, error: { message: `bad\r\n\u001b[31m${"x".repeat(100_000)}` } }));
  const reason = await failure;
  expect(reason).toStartWith("CdpError: Cannot call Page.enable: bad [31mxxx");
  expect(reason.length).toBeLessThan(1000);
});

test("a message in small parts takes little more memory than its bytes", () => {
  const received: string[] = [];
  const parts = new MessageParts({
    message: (text) => void received.push(text),
    oversized: (head) => void received.push(`too long: ${head}`),
    closed: () => undefined,
  });
  const big = Buffer.alloc(100_000, "b");
  const one = Buffer.from("a");
  for (let i = 0; i < 70_000; i++) parts.keep(one);
  parts.keep(big);
  for (let i = 0; i < 10; i++) parts.keep(one);
  expect(parts.held).toBeLessThan(8);
  parts.finish();
  expect(received).toEqual([`${"a".repeat(70_000)}${big.toString()}${"a".repeat(10)}`]);
  for (let left = MAX_MESSAGE_BYTES; left >= 0; left -= big.length) parts.keep(big);
  expect(received.at(-1)).toBe(`too long: ${"b".repeat(64)}`);
  expect(parts.held).toBe(0);
});
