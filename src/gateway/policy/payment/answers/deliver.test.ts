import { expect, test } from "bun:test";
import { TestExchange } from "../testing/test-gateway.ts";
import { sendAnswer } from "./deliver.ts";

test("a delivery that waits for a client to read is over, and not whole, when a sink on the way wants no more", async () => {
  const exchange = new TestExchange(new Request("http://localhost/goods"));
  exchange.slow = true;
  const head = { status: 200, reason: "", fields: "", bodyLength: 2 };
  const answer = { head, body: [Buffer.from("a"), Buffer.from("b")], trailers: "", size: 2 };
  const sent = sendAnswer(exchange, answer, head);
  await Promise.resolve();
  // As compression does where it fails: the client is still there, and hears nothing more.
  exchange.onCancel?.();
  expect(await sent).toBe(false);
});
