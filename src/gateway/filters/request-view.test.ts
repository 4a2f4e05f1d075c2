import { expect, test } from "bun:test";
import { TestClient } from "../proxy/testing/test-client.ts";
import { ExchangeView } from "./request-view.ts";
import { testSettings } from "./testing/test-runtime.ts";

const HEAD = { method: "POST", path: "/a", query: "?secret=1", fields: "X: 1\r\nSecret: 2\r\n" };

test.each([
  ["", ""],
  ["b", "Content-Length: 1\r\n"],
  ["body", "Content-Length: 4\r\n"],
])("a filter sees a request with the body %j as the gateway shows it", (body, line) => {
  const { exchange } = new TestClient(HEAD, { clientAddress: "192.0.2.7" });
  const settings = { ...testSettings(), visibleQuery: () => "?q", visibleFields: () => "X: 1\r\n" };
  const view = new ExchangeView(exchange, settings, { bytes: Buffer.from(body), length: body.length });
  expect([view.method, view.path, view.bodyLength, String(view.body)]).toEqual(["POST", "/a?q", body.length, body]);
  expect(view.fields).toBe(`Host: a.test\r\nX-Real-IP: 192.0.2.7\r\n${line}X: 1\r\n`);
});
