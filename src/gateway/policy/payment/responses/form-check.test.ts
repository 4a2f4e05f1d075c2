import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { TestExchange } from "../testing/test-gateway.ts";
import { askForm } from "./form-check.ts";

/** A check of an unpaid request, whose challenge is an empty 402. */
function asked() {
  const exchange = new TestExchange(new Request("http://a.test/x?q=1"));
  let challenges = 0;
  askForm(exchange, () => {
    challenges += 1;
    exchange.response.start({ status: 402, reason: "", fields: "", bodyLength: 0 });
    exchange.response.end("");
  });
  return { exchange, challenges: () => challenges };
}

test("the request asks for a check, and no cache and no mirror gets it", () => {
  const { exchange } = asked();
  expect(exchange.head.fields).toContain("Turnpike-Check: form\r\nCache-Control: no-store\r\n");
  expect([exchange.head.query, Reflect.get(exchange, "isUncopied")]).toEqual(["?q=1", true]);
});

test.each([400, 404, 413, 415, 422])("a refusal with %d passes, without claims about a payment", async (status) => {
  const { exchange, challenges } = asked();
  const fields = "Allow: POST\r\nSettlement-Overrides: {}\r\nPayment-Response: x\r\n";
  exchange.response.start({ status, reason: "", fields, bodyLength: 5 });
  exchange.response.data(Buffer.from("wrong"));
  exchange.response.end("");
  const received = await exchange.received;
  expect([received.status, await received.text(), challenges()]).toEqual([status, "wrong", 0]);
  expect(received.headers.get("allow")).toBe("POST");
  expect(received.headers.get("settlement-overrides")).toBeNull();
  expect(received.headers.get("payment-response")).toBeNull();
});

test.each([200, 204, 304, 401, 402, 403, 405, 429, 500, 503])(
  "nothing of a response with %d passes",
  async (status) => {
    const { exchange, challenges } = asked();
    exchange.response.start({ status: 103, reason: "", fields: "Link: x\r\n", bodyLength: -1 });
    exchange.response.start({ status, reason: "", fields: "", bodyLength: 5 });
    expect(challenges()).toBe(0);
    exchange.response.end("X: 1\r\n");
    const { status: responded } = await exchange.received;
    expect([responded, challenges(), exchange.interim.length, exchange.bytesSent]).toEqual([402, 1, 0, 0]);
  },
);

test("an upstream that does the work is stopped at its first byte, and the client gets the challenge", async () => {
  const { exchange, challenges } = asked();
  let stopped = 0;
  exchange.onCancel = () => void (stopped += 1);
  exchange.response.start({ status: 200, reason: "", fields: "Content-Type: text/event-stream\r\n", bodyLength: -1 });
  expect(exchange.response.data(Buffer.from("goods"))).toBe(true);
  const { status } = await exchange.received;
  expect([status, challenges(), stopped, exchange.bytesSent]).toEqual([402, 1, 1, 0]);
});

test("the gateway's errors of the client pass, and those of the upstream become the challenge", async () => {
  const late = asked();
  const error = new TurnpikeError("request-timeout", "x");
  late.exchange.response.start({ status: 408, reason: "", fields: "", bodyLength: 0, error });
  late.exchange.response.end("");
  expect([(await late.exchange.received).status, late.challenges()]).toEqual([408, 0]);
  const down = asked();
  down.exchange.response.abort(new TurnpikeError("upstream-failed", "x"));
  expect([(await down.exchange.received).status, down.challenges()]).toEqual([402, 1]);
});
