import { expect, test } from "bun:test";
import { ClientExchange, Consumer } from "../../../test/flow/testing/flow.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { tellOwnSink } from "./subrequest.ts";
import { TestClient } from "./testing/test-client.ts";

const FAILURE = new TurnpikeError("upstream-failed", "the connection was reset");

test("the sink of a subrequest gets its error, and a response of a client is cut off", () => {
  const own = new TestClient();
  tellOwnSink(own.exchange, FAILURE);
  expect(own.error).toBe("upstream-failed");
  const client = new Consumer();
  tellOwnSink(new ClientExchange(client), FAILURE);
  expect(client.aborts).toBe(1);
});

test("a subrequest that is cancelled leaves once", () => {
  const { exchange } = new TestClient();
  let cancels = 0;
  exchange.onCancel = () => cancels++;
  exchange.cancel();
  exchange.cancel();
  expect([exchange.gone, cancels]).toEqual([true, 1]);
});
