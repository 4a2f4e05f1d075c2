/** Ends of paid gRPC calls, as servers and networks make them: a payment is spent only if the client's status is OK. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { newPayment } from "../payments/shops.ts";
import { OriginRequest } from "../proxy/testing/http2-origin.ts";
import { fieldOf, type Http2Client } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block, type HeaderList } from "../support/http2-hpack.ts";
import { GRPC_TYPE, message, response, told, unary, WireRig } from "./testing/wire.ts";

setDefaultTimeout(patient(30_000));

const PRICED = { ...TERMS, scheme: "exact" };
const OK = "0";
/** Of a 409. */
const SPENT = "10";

let wire: WireRig;
let client: Http2Client;
let streamId = -1;
let count = 0;

beforeAll(async () => {
  wire = await WireRig.start({
    route: { path_prefix: "/test.after/", x402: PRICED },
    routes: [{ path_prefix: "/test.before/", upstream: "origin", x402: { ...PRICED, settle: "before" } }],
    more: { x402: { enabled: true, test_mode: true, public_url: "https://shop.test" } },
  });
  client = await wire.client();
});

afterAll(() => wire.stop());

type Ending = (request: OriginRequest) => void;

/** A message, and then the end of the stream with these trailers. */
function ending(trailers: HeaderList, head: HeaderList = []): Ending {
  return (request) => {
    request.head(200, [GRPC_TYPE, ...head]);
    request.data(message("hi"));
    if (trailers.length === 0) request.data("", h2.END_STREAM);
    else request.connection.send(h2.frame(h2.HEADERS, h2.END_BOTH, request.streamId, block(trailers)));
  };
}

function headOnly(status: number, fields: HeaderList): Ending {
  return (request) => request.head(status, fields, h2.END_STREAM);
}

const GOOD: readonly [string, string] = ["grpc-status", "0"];
const BAD: readonly [string, string] = ["grpc-status", "13"];
const PAGE: readonly [string, string] = ["content-type", "text/html"];

const SOLD: readonly (readonly [string, Ending])[] = [
  ["OK", (request) => response(request)],
  ["OK after a head with another status", ending([GOOD], [BAD])],
  ["OK without a message", headOnly(200, [GRPC_TYPE, GOOD])],
];

const UNSOLD: readonly (readonly [string, Ending])[] = [
  ["no trailers", ending([])],
  ["no trailers after a head with a status", ending([], [GOOD])],
  ["trailers without a status", ending([["a", "b"]])],
  ["a status that is not a number", ending([["grpc-status", "OK"]])],
  ["a negative status", ending([["grpc-status", "-1"]])],
  ["an unknown status", ending([["grpc-status", "99"]])],
  ["two statuses", ending([BAD, GOOD])],
  ["a failure after a head with another status", ending([BAD], [GOOD])],
  ["a failure without a message", headOnly(200, [GRPC_TYPE, BAD])],
  ["a head without a status", headOnly(200, [GRPC_TYPE])],
  ["an empty page", headOnly(200, [PAGE])],
  ["an empty page with a length", headOnly(200, [PAGE, ["content-length", "0"]])],
  ["a page", (request) => request.response(200, "<p>", [PAGE])],
  ["no content", headOnly(204, [])],
  ["a redirect", headOnly(302, [["location", "/"]])],
  ["a reset before the head", (request) => request.reset(h2.CANCEL)],
  [
    "a reset after the head",
    (request) => {
      request.head(200, [GRPC_TYPE]);
      request.reset(h2.NO_ERROR);
    },
  ],
  [
    "a reset after a message",
    (request) => {
      request.head(200, [GRPC_TYPE]);
      request.data(message("hi"));
      request.reset(h2.NO_ERROR);
    },
  ],
  [
    "the end of the connection after a message",
    (request) => {
      request.head(200, [GRPC_TYPE]);
      request.data(message("hi"));
      request.connection.socket.end();
    },
  ],
];

/** The status of a paid call that ends so, the status of the same call with the same payment, and the calls that the server saw. */
async function outcomes(settle: "before" | "after", end: Ending): Promise<readonly unknown[]> {
  count += 1;
  const path = `/test.${settle}/Call${count}`;
  const payment: HeaderList = [["payment-signature", encodeHeader(newPayment(settle))]];
  unary(client, (streamId += 2), payment, path);
  end(await wire.request(path));
  const first = await told(client, streamId);
  for (;;) {
    unary(client, (streamId += 2), payment, path);
    const sent = told(client, streamId);
    const request = await Promise.race([wire.origin.until("the call", () => wire.origin.on(path)[1]), sent]).catch(
      () => undefined,
    );
    if (request instanceof OriginRequest) response(request);
    const { grpcStatus, head } = await sent;
    // The first delivery is recorded a moment after it.
    if (fieldOf(head, "retry-after") !== undefined && grpcStatus !== OK) await Bun.sleep(20);
    else return [first.grpcStatus === OK, grpcStatus, wire.origin.on(path).length];
  }
}

describe.each(["before", "after"] as const)("a call that is settled %s and ends with", (settle) => {
  test.each(SOLD)("%s is sold", async (_what, end) => {
    expect(await outcomes(settle, end)).toEqual([true, settle === "before" ? SPENT : OK, 1]);
  });

  test.each(UNSOLD)("%s fails, and the same payment runs it again", async (_what, end) => {
    expect(await outcomes(settle, end)).toEqual([false, OK, 2]);
  });
});
