/** Price rules and free requests for gRPC calls. */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { type Http2Client, fieldOf } from "../support/http2-client.ts";
import { end, GRPC_TYPE, response, told, unary, WireRig } from "./testing/wire.ts";

setDefaultTimeout(patient(30_000));

let wire: WireRig | undefined;

afterEach(async () => {
  await wire?.stop();
  wire = undefined;
});

async function serve(x402: object): Promise<{ rig: WireRig; client: Http2Client }> {
  const more = { x402: { enabled: true, test_mode: true } };
  wire = await WireRig.start({ route: { x402: { ...TERMS, ...x402 } }, more });
  return { rig: wire, client: await wire.client() };
}

/** The status of a call, and its price if it has one. */
async function outcome(client: Http2Client, streamId: number): Promise<readonly unknown[]> {
  const { grpcStatus, head } = await told(client, streamId);
  const required = fieldOf(head, "payment-required");
  if (required === undefined) return [grpcStatus];
  const { accepts } = decodeHeader(required) as { readonly accepts: readonly { readonly amount: string }[] };
  return [grpcStatus, accepts[0]?.amount];
}

test("methods have prices of their own, and no call has a price that depends on JSON", async () => {
  const { rig, client } = await serve({
    rules: [
      { match: { path_pattern: "/test.Echo/Free" }, free: true },
      { match: { path_pattern: "/test.Echo/Dear" }, price: "$0.9" },
      { match: { path_pattern: "/test.Echo/Long" }, body_bytes: { min: 5 }, price: "$0.3" },
      { match: { path_pattern: "/test.Echo/Json" }, unit_price: { price: "$0.01", count: "/n" } },
    ],
  });
  unary(client, 1, [], "/test.Echo/Free");
  response(await rig.request("/test.Echo/Free"));
  expect(await outcome(client, 1)).toEqual(["0"]);
  const calls = [
    ["/test.Echo/Dear", ["9", "900000"]],
    ["/test.Echo/Long", ["9", "300000"]],
    ["/test.Echo/Json", ["3"]],
    ["/test.Echo/dear", ["3"]],
    ["/test.Echo/Other", ["9", "10000"]],
  ] as const;
  for (const [i, [path, expected]] of calls.entries()) {
    unary(client, 3 + 2 * i, [], path);
    expect([path, ...(await outcome(client, 3 + 2 * i))]).toEqual([path, ...expected]);
  }
  expect(rig.origin.requests).toHaveLength(1);
});

test("a free call that fails at the server is given back, and one that the server refuses is not", async () => {
  const { rig, client } = await serve({ free_per_day: { requests: 1 } });
  const call = async (streamId: number, status: string, atEnd: boolean): Promise<readonly unknown[]> => {
    const path = `/test.Echo/Call${streamId}`;
    unary(client, streamId, [], path);
    const request = await rig.request(path);
    if (atEnd) {
      request.head(200, [GRPC_TYPE]);
      end(request, status);
    } else response(request, status);
    return await outcome(client, streamId);
  };
  const UNAVAILABLE = "14";
  const NOT_FOUND = "5";
  for (const [streamId, atEnd] of [
    [1, false],
    [3, true],
    [5, false],
  ] as const)
    expect(await call(streamId, UNAVAILABLE, atEnd)).toEqual([UNAVAILABLE]);
  expect(await call(7, NOT_FOUND, true)).toEqual([NOT_FOUND]);
  unary(client, 9);
  expect(await outcome(client, 9)).toEqual(["9", "10000"]);
});
