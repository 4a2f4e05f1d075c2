import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { isPreflight, respondToPreflight } from "./preflight.ts";

const ORIGIN = "Origin: https://a.test\r\n";
const FIELDS = `${ORIGIN}Access-Control-Request-Method: GET\r\n`;

test.each([
  [{}, true],
  [{ method: "GET" }, false],
  [{ bodyLength: 1 }, false],
  [{ bodyLength: -1 }, false],
  [{ isGrpc: true }, false],
  [{ fields: ORIGIN }, false],
  [{ fields: "Access-Control-Request-Method: GET\r\n" }, false],
  [{ fields: "Origin:\r\nAccess-Control-Request-Method:\r\n" }, true],
])("an OPTIONS request changed by %j is a preflight: %p", (change, expected) => {
  const head = { method: "OPTIONS", bodyLength: 0, fields: FIELDS, ...change };
  expect(isPreflight(new ClientExchange(new Consumer(), head))).toBe(expected);
});

test("the response to a preflight has no body, depends on its fields, and authorizes nothing", () => {
  const client = new Consumer();
  const heads: [number, string, number][] = [];
  client.start = ({ status, fields, bodyLength }) => void heads.push([status, fields, bodyLength]);
  const exchange = new ClientExchange(client, { method: "OPTIONS", bodyLength: 0, fields: FIELDS });
  exchange.isAuthorized = true;
  respondToPreflight(exchange, "X-Allowed: 1\r\n");
  expect(heads).toEqual([[204, expect.stringContaining("X-Allowed: 1\r\n"), 0]]);
  const vary = "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\r\n";
  expect([heads[0]?.[1].includes(vary), exchange.isAuthorized, client.length, client.ends]).toEqual([
    true,
    false,
    0,
    1,
  ]);
});
