/** Copies of requests for mirrors. */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { encodeHeader } from "../../payments/x402/header.ts";
import { signedPayment, TERMS } from "../../payments/testing/payment.ts";
import * as h2 from "../../../test/support/http2-frames.ts";
import { block } from "../../../test/support/http2-hpack.ts";
import { until } from "../../../test/support/program.ts";
import { RawClient } from "../../../test/support/raw-client.ts";
import { echo } from "../../../test/support/raw-origin.ts";
import { ask } from "../../../test/proxy/testing/ask.ts";
import {
  BodyOrigin,
  content,
  counted,
  digest,
  http2Origin,
  PIECE,
  rawOrigin,
  startMirroring,
  stopMirroring,
  upload,
} from "../../../test/proxy/testing/mirroring.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

afterEach(stopMirroring);

describe("a copy", () => {
  test.each(["HTTP/1.1", "HTTP/2", "HTTP/3"] as const)(
    "of a request by %s is what its upstream gets",
    async (protocol) => {
      const [main, mirror] = [await rawOrigin(), await rawOrigin()];
      const rig = await startMirroring(main, mirror, {
        route: {
          rewrite_pattern: "/a/",
          rewrite_replacement: "/b/",
          upstream_headers: [{ name: "X-Own", value: "own" }],
          traffic_split: [{ upstream: "main", weight: 1 }],
          traffic_split_sticky: { cookie: {} },
        },
        quic: protocol === "HTTP/3",
      });
      const fields = [
        ["x-own", "theirs"],
        ["x-request-id", "abc"],
        ["cookie", "turnpike_split=abcdef; mine=1"],
      ] as const;
      await ask(rig, protocol, { path: "/a/x?q=1", fields });
      await ask(rig, protocol, { method: "POST", path: "/a/y", fields, body: "the body" });
      await counted(rig, { requests: 2, givenUp: 0, failures: 0 });
      await mirror.until("both", () => (mirror.requests.length === 2 ? true : undefined));
      expect(mirror.requests).toEqual(main.requests);
      expect(mirror.summaries).toEqual(["GET /b/x?q=1", "POST /b/y the body"]);
      expect(mirror.bytes).not.toContain("theirs");
      expect(mirror.bytes).not.toContain("turnpike_split");
      expect(mirror.errors).toEqual([]);
    },
  );

  test.each(["HTTP/1.1", "HTTP/2"] as const)("of 10 MB by %s is the same to the last byte", async (protocol) => {
    const [main, mirror] = [new BodyOrigin(), new BodyOrigin()];
    const rig = await startMirroring(main, mirror, { route: { request_buffering: false } });
    const body = content(10_000_000);
    // Both have all that was sent so far: a mirror that lags behind far enough is left alone.
    const both = (sent: number): Promise<unknown> =>
      until("the piece is everywhere", () => (main.received >= sent && mirror.received >= sent ? true : undefined));
    // The last frame of HTTP/2 can wait for the end.
    expect(
      await upload(protocol, rig, body, (sent) => (sent === body.length ? Promise.resolve() : both(sent - PIECE))),
    ).toBe(200);
    await until("the copy", () => (mirror.digests.length === 1 ? true : undefined));
    expect(main.digests).toEqual([digest(body)]);
    expect(mirror.digests).toEqual([digest(body)]);
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
  });

  test("waits while its mirror accepts nothing, and goes on to the last byte when it does", async () => {
    const main = new BodyOrigin();
    const mirror = await http2Origin();
    mirror.onConnection = (connection) => (connection.opensWindows = false);
    const rig = await startMirroring(main, mirror, {
      route: { request_buffering: false },
      mirror: { protocol: "h2c" },
    });
    const body = content(500_000);
    expect(await upload("HTTP/1.1", rig, body, () => Promise.resolve())).toBe(200);
    const copy = await mirror.until("a full window", () =>
      mirror.requests.find((request) => request.body.length === 65_535),
    );
    // Three times, each less than the rest of the body.
    for (const window of [100_000, 100_000, 1_000_000]) {
      const before = copy.body.length;
      copy.connection.send(h2.windowUpdate(0, window), h2.windowUpdate(copy.streamId, window));
      await mirror.until("more", () =>
        copy.body.length === Math.min(before + window, body.length) ? true : undefined,
      );
    }
    await mirror.until("the end", () => (copy.ended ? true : undefined));
    expect(digest(copy.body)).toBe(digest(body));
    copy.head(200, [], h2.END_STREAM);
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
  });

  test("reaches a mirror over HTTP/2, with trailers", async () => {
    const main = await rawOrigin();
    const mirror = await http2Origin();
    const rig = await startMirroring(main, mirror, { mirror: { protocol: "h2c" } });
    const client = await RawClient.open(rig.port);
    client.send("POST /t HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send("3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Sum: 7\r\n\r\n");
    await client.finalResponse("POST");
    const copy = await mirror.until("the copy", () => mirror.requests.find(({ ended }) => ended));
    expect(copy.method).toBe("POST");
    expect(copy.body.toString()).toBe("abcdefg");
    expect(copy.trailers).toEqual([["x-sum", "7"]]);
    client.destroy();
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
  });

  test("is made once, however often the request is tried, and is not tried again itself", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    let tries = 0;
    main.response = (request, connection) => {
      tries++;
      if (tries < 3) connection.reset();
      else echo(request, connection);
    };
    mirror.response = (_, connection) => connection.reset();
    const rig = await startMirroring(main, mirror, { route: { retry: { max_retries: 4 } } });
    expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ status: 200, body: "GET /x" });
    expect(tries).toBe(3);
    await counted(rig, { requests: 1, givenUp: 0, failures: 1 });
    expect(mirror.requests).toHaveLength(1);
  });

  test("never has the payment that the request came with", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    const { price, asset, network, pay_to } = TERMS;
    const rig = await startMirroring(main, mirror, {
      route: { x402: { price, asset, network, pay_to } },
      sections: { x402: { enabled: true, test_mode: true } },
    });
    expect(await ask(rig, "HTTP/1.1", { path: "/goods" })).toMatchObject({ status: 402 });
    const payment = encodeHeader(signedPayment(Date.now() / 1000));
    const paid = await ask(rig, "HTTP/1.1", { path: "/goods", fields: [["payment-signature", payment]] });
    expect(paid).toMatchObject({ status: 200, body: "GET /goods" });
    await mirror.until("the copy", () => mirror.requests[0]);
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
    expect(mirror.bytes.toLowerCase()).not.toContain("payment-signature");
    expect(mirror.bytes).not.toContain(payment);
  });

  test("of a call of gRPC is a call of gRPC", async () => {
    const [main, mirror] = [await http2Origin(), await http2Origin()];
    for (const origin of [main, mirror]) {
      origin.onRequest = (request) => {
        request.head(200, [["content-type", "application/grpc"]]);
        request.data("\0\0\0\0\x02ok");
        const trailers = block([["grpc-status", "0"]]);
        request.connection.send(h2.frame(h2.HEADERS, h2.END_BOTH, request.streamId, trailers));
      };
    }
    const rig = await startMirroring(main, mirror, { main: { protocol: "h2c" }, mirror: { protocol: "h2c" } });
    const fields = [
      ["content-type", "application/grpc"],
      ["te", "trailers"],
    ] as const;
    const response = await ask(rig, "HTTP/2", { method: "POST", path: "/a.B/C", fields, body: "\0\0\0\0\x02hi" });
    expect(response).toMatchObject({ status: 200, body: "\0\0\0\0\x02ok", trailers: [["grpc-status", "0"]] });
    const copy = await mirror.until("the copy", () => mirror.requests.find(({ ended }) => ended));
    expect(copy.fields).toEqual(main.requests[0]?.fields ?? []);
    expect(copy.field("te")).toBe("trailers");
    expect(copy.body.toString("latin1")).toBe("\0\0\0\0\x02hi");
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
  });

  test("is not made of a request that the cache serves", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    main.response = (_, connection) => {
      connection.send("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 2\r\n\r\nok");
    };
    const rig = await startMirroring(main, mirror, { route: { cache: {} } });
    for (let i = 0; i < 3; i++) expect(await ask(rig, "HTTP/1.1", { path: "/x" })).toMatchObject({ body: "ok" });
    expect(main.summaries).toEqual(["GET /x"]);
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
    await mirror.until("the copy", () => mirror.requests[0]);
    expect(mirror.requests).toEqual(main.requests);
  });

  test("of a WebSocket handshake is not made", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    const rig = await startMirroring(main, mirror);
    const fields = [
      ["connection", "upgrade"],
      ["upgrade", "websocket"],
      ["sec-websocket-version", "13"],
      ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
    ] as const;
    expect(await ask(rig, "HTTP/1.1", { path: "/ws", fields })).toMatchObject({ status: 200 });
    await ask(rig, "HTTP/1.1", { path: "/last" });
    await mirror.until("the last", () => mirror.requests[0]);
    expect(mirror.summaries).toEqual(["GET /last"]);
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
  });
});

describe("a client that leaves", () => {
  test("after its whole request leaves the copy to be finished", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    main.response = () => {};
    mirror.response = () => {};
    const rig = await startMirroring(main, mirror);
    const client = await RawClient.open(rig.port);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc");
    await mirror.until("the copy", () => mirror.requests[0]);
    await main.until("the request", () => main.requests[0]);
    client.destroy();
    await main.until("the cancelled request", () => (main.connections[0]?.closed === true ? true : undefined));
    const [connection] = mirror.connections;
    expect(connection?.closed).toBe(false);
    connection?.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    await rig.settled();
    expect(connection?.closed).toBe(false);
    await counted(rig, { requests: 1, givenUp: 0, failures: 0 });
  });

  test("within its body takes the copy with it", async () => {
    const [main, mirror] = [await rawOrigin(), await rawOrigin()];
    const rig = await startMirroring(main, mirror, { route: { request_buffering: false } });
    const client = await RawClient.open(rig.port);
    client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 30\r\n\r\nabc");
    await mirror.until("the beginning", () => (mirror.bytes.endsWith("abc") ? true : undefined));
    client.destroy();
    await mirror.until("the end", () => (mirror.connections[0]?.closed === true ? true : undefined));
    await counted(rig, { requests: 1, givenUp: 1, failures: 0 });
  });
});

test("the copies of a request for several mirrors end with a client that leaves within its body", async () => {
  const [main, first, second] = [await rawOrigin(), await rawOrigin(), await rawOrigin()];
  const other = { name: "second", servers: [{ address: "127.0.0.1", port: second.port }] };
  const rig = await startMirroring(main, first, {
    route: { request_buffering: false, mirrors: [{ upstream: "mirror" }, { upstream: "second" }] },
    others: [other],
  });
  const client = await RawClient.open(rig.port);
  client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 30\r\n\r\nabc");
  for (const mirror of [first, second]) {
    await mirror.until("the beginning", () => (mirror.bytes.endsWith("abc") ? true : undefined));
  }
  client.destroy();
  for (const mirror of [first, second]) {
    await mirror.until("the end", () => (mirror.connections[0]?.closed === true ? true : undefined));
  }
  await counted(rig, { requests: 2, givenUp: 2, failures: 0 });
});

test("a request whose upstream responses before its end has no copy that waits for the rest", async () => {
  const [main, mirror] = [await rawOrigin(), await rawOrigin()];
  main.onBytes = (connection) => connection.send("HTTP/1.1 413 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  const rig = await startMirroring(main, mirror, { route: { request_buffering: false } });
  const client = await RawClient.open(rig.port);
  client.send("POST /x HTTP/1.1\r\nHost: a.test\r\nContent-Length: 300000\r\n\r\nabc");
  expect((await client.finalResponse("POST")).startLine).toStartWith("HTTP/1.1 413");
  await counted(rig, { requests: 1, givenUp: 1, failures: 0 });
  client.destroy();
});
