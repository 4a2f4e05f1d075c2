/**
 * Clients that leave: their requests to an HTTP/2 upstream are cancelled in each phase, and its connection stays open.
 */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import * as h2 from "../support/http2-frames.ts";
import { get, Http2Client, post } from "../support/http2-client.ts";
import { Http3Client } from "../support/http3-client.ts";
import { RawClient } from "../support/raw-client.ts";
import { ask } from "./testing/ask.ts";
import { Http2Origin, type OriginRequest } from "./testing/http2-origin.ts";
import { Rig } from "./testing/rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

let origin: Http2Origin;
let rig: Rig;
let onRequest: (request: OriginRequest) => void;

beforeEach(async () => {
  origin = await Http2Origin.start();
  onRequest = origin.onRequest;
  origin.onRequest = () => {};
});

afterEach(async () => {
  await rig.settled();
  expect(rig.logged).toEqual([]);
  expect(origin.faults).toEqual([]);
  await rig.stop();
  await origin.stop();
});

async function serve(quic = false): Promise<void> {
  rig = await Rig.start({
    quic,
    upstreams: [{ name: "origin", protocol: "h2c", servers: [{ address: "127.0.0.1", port: origin.port }] }],
    routes: [{ path_prefix: "/", upstream: "origin", request_buffering: false }],
  });
}

/** Resolves when the origin has the request. */
async function reached(): Promise<void> {
  await origin.until("the request", () => (origin.requests.length === 1 ? true : undefined));
}

/** The origin's request, after the gateway has reset it with CANCEL. */
async function cancelled(): Promise<void> {
  await origin.until("CANCEL", () => (origin.requests[0]?.resetCode === h2.CANCEL ? true : undefined));
  await rig.settled();
  origin.onRequest = onRequest;
  expect(await ask(rig, "HTTP/1.1", { path: "/after" })).toMatchObject({ status: 200 });
  expect(await rig.counts("origin")).toMatchObject({ connections: 1, open: 1, failures: 0 });
}

describe("the request is cancelled, and the connection stays", () => {
  test("HTTP/1.1, before the head", async () => {
    await serve();
    const client = await RawClient.open(rig.port);
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await reached();
    client.destroy();
    await cancelled();
  });

  test("HTTP/1.1, within the response's body", async () => {
    await serve();
    origin.onRequest = (request) => {
      request.head(200, [["content-length", "100"]]);
      request.data("some");
    };
    const client = await RawClient.open(rig.port);
    client.send("GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n");
    await client.sees("some");
    client.destroy();
    await cancelled();
  });

  test("HTTP/1.1, within the request's body", async () => {
    await serve();
    const client = await RawClient.open(rig.port);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 100\r\n\r\nsome");
    await origin.until("the body's begin", () => (origin.requests[0]?.body.toString() === "some" ? true : undefined));
    client.destroy();
    await cancelled();
    expect(origin.requests[0]?.ended).toBe(false);
  });

  test.each(["http", "https"])("HTTP/1.1 (%s), with a further request behind it", async (scheme) => {
    await serve(true);
    const client = await (scheme === "https" ? RawClient.open(rig.tlsPort, "http/1.1") : RawClient.open(rig.port));
    const head = "GET /x HTTP/1.1\r\nHost: a.test\r\n\r\n";
    client.send(head + head);
    await reached();
    client.destroy();
    await cancelled();
  });

  test("HTTP/3, before the head", async () => {
    await serve(true);
    const client = await Http3Client.connect(rig.quicPort);
    const { stream, response } = await client.open("GET", "/x");
    response.catch(() => {});
    await reached();
    // H3_REQUEST_CANCELLED
    stream.stopSending(0x10cn);
    await cancelled();
    client.close();
  });

  test.each(["before the head", "within the request's body"])("HTTP/2 by RST_STREAM, %s", async (phase) => {
    await serve();
    const client = await Http2Client.ready(rig.port);
    if (phase === "before the head") client.send(get(1, "/x"));
    else client.send(post(1, "/x"), h2.data(1, "some"));
    await reached();
    client.send(h2.reset(1));
    await cancelled();
    client.destroy();
  });
});
