import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { TestExchange } from "../testing/test-gateway.ts";
import { askAllowance } from "./preflight.ts";

function asked(): TestExchange {
  const headers = {
    Origin: "http://o.test",
    "Access-Control-Request-Method": "PUT",
    "X-HTTP-Method-Override": "PUT",
    Cookie: "a=b",
  };
  const exchange = new TestExchange(new Request("http://a.test/x?q=1", { method: "OPTIONS", headers }));
  askAllowance(exchange);
  return exchange;
}

test("the upstream gets only the preflight's own fields, and mirrors get no copy", () => {
  const exchange = asked();
  expect(exchange.head.fields.toLowerCase().split("\r\n").toSorted()).toEqual([
    "",
    "access-control-request-method: put",
    "origin: http://o.test",
  ]);
  expect([exchange.head.query, Reflect.get(exchange, "isUncopied")]).toEqual(["", true]);
});

test.each([
  [
    200,
    "Access-Control-Allow-Origin: *\r\naccess-control-max-age: 5\r\nAccess-Control-Expose-Headers: X\r\nLocation: /\r\n",
    "*",
    "5",
  ],
  [299, "Access-Control-Allow-Origin: *\r\n", "*", null],
  [200, "Access-Control-Max-Age: 5\r\nLocation: /\r\n", null, null],
  [300, "Access-Control-Allow-Origin: *\r\n", null, null],
])("from a response of %d with %j only the permissions are passed on", async (status, fields, origin, age) => {
  const exchange = asked();
  exchange.response.start({ status: 103, reason: "", fields, bodyLength: -1 });
  exchange.response.start({ status, reason: "OK", fields, bodyLength: 5 });
  expect(exchange.response.data(Buffer.from("goods"))).toBe(true);
  exchange.response.end("X: 1\r\n");
  const { status: responded, headers } = await exchange.received;
  expect([responded, exchange.interim.length, exchange.bytesSent]).toEqual([204, 0, 0]);
  expect([headers.get("access-control-allow-origin"), headers.get("access-control-max-age")]).toEqual([origin, age]);
  expect([headers.has("location"), headers.has("access-control-expose-headers"), headers.has("vary")]).toEqual([
    false,
    false,
    true,
  ]);
  expect(headers.get("access-control-allow-headers")).toBe(
    origin === null ? null : "PAYMENT-SIGNATURE, X-PAYMENT, Payment-Stream",
  );
});

test("the gateway's own errors keep their text", async () => {
  const exchange = asked();
  const error = new TurnpikeError("upstream-failed", "no");
  exchange.response.start({ status: 502, reason: "", fields: "X: 1\r\n", bodyLength: 2, error });
  exchange.slow = true;
  expect(exchange.response.data(Buffer.from("xnox"), 1, 3)).toBe(false);
  exchange.response.end("");
  const response = await exchange.received;
  expect([response.status, response.headers.get("x"), await response.text()]).toEqual([502, "1", "no"]);
  const broken = asked();
  broken.response.start({ status: 502, reason: "", fields: "", bodyLength: 2, error });
  broken.response.abort(error);
  expect((await broken.received).text()).rejects.toThrow("no");
});
