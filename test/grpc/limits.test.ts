/** The lengths of calls: each message has a limit, and their sum is unlimited. */
/* oxlint-disable eslint/no-await-in-loop -- what is tested comes one after the other */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { GRPC } from "../../src/lib/http/grpc-status.ts";
import * as h2 from "../support/http2-frames.ts";
import { GRPC_TYPE, begin, end, message, told, WireRig } from "./testing/wire.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const MAX_BYTES = 1000;
const FITS = message("x".repeat(MAX_BYTES));
const TOO_LONG = message("x".repeat(MAX_BYTES + 1));

let wire: WireRig;

beforeEach(async () => {
  wire = await WireRig.start({ route: { max_body_bytes: MAX_BYTES, max_response_bytes: MAX_BYTES } });
});

afterEach(async () => {
  await wire.rig.settled();
  await wire.stop();
});

test("a call may have any number of messages, both ways", async () => {
  const client = await wire.client();
  begin(client, 1);
  const request = await wire.request();
  request.head(200, [GRPC_TYPE]);
  for (let i = 1; i <= 20; i++) {
    client.send(h2.data(1, FITS));
    await wire.origin.until(`message ${i}`, () => (request.body.length >= i * FITS.length ? true : undefined));
    request.data(FITS);
  }
  client.send(h2.data(1, "", h2.END_STREAM));
  await wire.origin.until("the end", () => (request.ended ? true : undefined));
  end(request);
  const { grpcStatus, body } = await told(client, 1);
  expect([grpcStatus, body.length]).toEqual([String(GRPC.OK), 20 * FITS.length]);
});

test("a client's message that is too long ends the call", async () => {
  const client = await wire.client();
  begin(client, 1);
  const request = await wire.request();
  client.send(h2.data(1, FITS));
  await wire.origin.until("the first message", () => (request.body.length >= FITS.length ? true : undefined));
  client.send(h2.data(1, TOO_LONG));
  const { grpcStatus, message: why } = await told(client, 1);
  expect([grpcStatus, why]).toEqual([
    String(GRPC.RESOURCE_EXHAUSTED),
    "a message of the call is larger than this route allows",
  ]);
});

test("a server's message that is too long ends the call", async () => {
  const client = await wire.client();
  begin(client, 1);
  const request = await wire.request();
  request.head(200, [GRPC_TYPE]);
  request.data(FITS);
  request.data(TOO_LONG);
  const { grpcStatus } = await told(client, 1);
  expect(grpcStatus).toBe(String(GRPC.RESOURCE_EXHAUSTED));
});
