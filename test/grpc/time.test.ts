/** Timeouts and retries of calls. */
/* oxlint-disable eslint/no-await-in-loop -- what is tested comes one after the other */
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import * as h2 from "../support/http2-frames.ts";
import { type Http2Client } from "../support/http2-client.ts";
import { until } from "../support/program.ts";
import { response, begin, end, GRPC_TYPE, message, told, unary, WireRig } from "./testing/wire.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

let wire: WireRig | undefined;

afterEach(async () => {
  await wire?.rig.settled();
  expect([wire?.rig.logged ?? [], wire?.origin.faults ?? []]).toEqual([[], []]);
  await wire?.stop();
  wire = undefined;
});

async function serve(
  options: Parameters<typeof WireRig.start>[0] = {},
): Promise<{ wire: WireRig; client: Http2Client }> {
  wire = await WireRig.start(options);
  return { wire, client: await wire.client() };
}

describe("a deadline", () => {
  test("ends a call without a response: DEADLINE_EXCEEDED, and CANCEL to the server", async () => {
    const { wire: rig, client } = await serve();
    unary(client, 1, [["grpc-timeout", "300m"]]);
    const request = await rig.request();
    const outcome = await told(client, 1);
    expect([outcome.status, outcome.grpcStatus, outcome.trailersOnly]).toEqual(["200", "4", true]);
    expect(outcome.message).toBe("the call's deadline has passed");
    expect(await rig.origin.until("the reset", () => request.resetCode)).toBe(h2.CANCEL);
  });

  test("ends a stream that has begun, with trailers", async () => {
    const { wire: rig, client } = await serve();
    begin(client, 1, [["grpc-timeout", "400000u"]]);
    const request = await rig.request();
    request.head(200, [GRPC_TYPE]);
    request.data(message("one"));
    const outcome = await told(client, 1);
    expect([outcome.status, outcome.grpcStatus, outcome.trailersOnly]).toEqual(["200", "4", false]);
    expect(outcome.body).toBe(message("one").toString("latin1"));
    expect(await rig.origin.until("the reset", () => request.resetCode)).toBe(h2.CANCEL);
  });

  test("limits the wait for a connection too", async () => {
    const { wire: rig, client } = await serve({ pool: { max_connections: 1 } });
    rig.origin.settings = [[h2.MAX_CONCURRENT_STREAMS, 1]];
    unary(client, 1, [], "/test.Echo/First");
    const first = await rig.request("/test.Echo/First");
    unary(client, 3, [["grpc-timeout", "50m"]]);
    expect((await told(client, 3)).grpcStatus).toBe("4");
    response(first);
    await told(client, 1);
    expect(rig.origin.requests.length).toBe(1);
  });

  test("that has already passed ends the call at once, in any unit", async () => {
    const { client } = await serve();
    for (const [index, timeout] of ["0S", "1n", "1u"].entries()) {
      unary(client, index * 2 + 1, [["grpc-timeout", timeout]]);
      expect([timeout, (await told(client, index * 2 + 1)).grpcStatus]).toEqual([timeout, "4"]);
    }
  });

  test("that is invalid is forwarded, and limits nothing", async () => {
    const { wire: rig, client } = await serve();
    const timeouts = ["", "5", "m", "-1m", "1.5S", "123456789n", "1x"];
    for (const [index, timeout] of timeouts.entries()) {
      const path = `/test.Echo/${index}`;
      unary(client, index * 2 + 1, [["grpc-timeout", timeout]], path);
      const request = await rig.request(path);
      expect(request.field("grpc-timeout")).toBe(timeout);
      response(request);
      expect((await told(client, index * 2 + 1)).grpcStatus).toBe("0");
    }
  });

  test("that the client chose takes no server out of rotation", async () => {
    const { wire: rig, client } = await serve();
    for (let id = 1; id < 21; id += 2) unary(client, id, [["grpc-timeout", "20m"]]);
    for (let id = 1; id < 21; id += 2) expect((await told(client, id)).grpcStatus).toBe("4");
    unary(client, 21, [], "/test.Echo/After");
    response(await rig.request("/test.Echo/After"));
    expect((await told(client, 21)).grpcStatus).toBe("0");
    expect((await rig.rig.counts("origin")).failures).toBe(0);
  });
});

describe("a call without a deadline", () => {
  test("is not ended by body_ms or total_timeout_ms while messages move", async () => {
    const { wire: rig, client } = await serve({
      route: { total_timeout_ms: 300, read_timeout_ms: 10_000 },
      more: { timeouts: { body_ms: 300 } },
    });
    begin(client, 1);
    const request = await rig.request();
    const since = performance.now();
    let messages = 0;
    // Both times together, doubled.
    await until("time goes by", async () => {
      client.send(h2.data(1, message(`${messages++}`)));
      await rig.origin.until("the message", () => (request.body.includes(`${messages - 1}`) ? true : undefined));
      return performance.now() - since > 650 ? true : undefined;
    });
    request.head(200, [GRPC_TYPE]);
    client.send(h2.data(1, "", h2.END_STREAM));
    await rig.origin.until("the end", () => (request.ended ? true : undefined));
    const at = performance.now();
    await until("time goes by", () => (performance.now() - at > 650 ? true : undefined));
    end(request);
    expect((await told(client, 1)).grpcStatus).toBe("0");
  });

  test("is ended by total_timeout_ms if its response does not begin", async () => {
    const { wire: rig, client } = await serve({ route: { total_timeout_ms: 300, read_timeout_ms: 10_000 } });
    unary(client, 1);
    const request = await rig.request();
    expect((await told(client, 1)).grpcStatus).toBe("4");
    expect(await rig.origin.until("the reset", () => request.resetCode)).toBe(h2.CANCEL);
  });

  test("is ended by read_timeout_ms if no message moves, and a slow client does not count against the server", async () => {
    const { wire: rig, client } = await serve({ route: { read_timeout_ms: 300 } });
    begin(client, 1);
    const request = await rig.request();
    request.head(200, [GRPC_TYPE]);
    const outcome = await told(client, 1);
    expect([outcome.grpcStatus, outcome.trailersOnly]).toEqual(["4", false]);
    expect(await rig.origin.until("the reset", () => request.resetCode)).toBe(h2.CANCEL);
    expect((await rig.rig.counts("origin")).failures).toBe(0);
  });
});

describe("a call that the server has not processed", () => {
  test("is sent again unchanged if its stream was refused", async () => {
    const { wire: rig, client } = await serve();
    begin(client, 1);
    client.send(h2.data(1, message("one")), h2.data(1, message("two"), h2.END_STREAM));
    const first = await rig.request();
    await rig.origin.until("the end", () => (first.ended ? true : undefined));
    first.reset(h2.REFUSED_STREAM);
    const again = await rig.request("/test.Echo/Call", 1);
    await rig.origin.until("the end", () => (again.ended ? true : undefined));
    expect(again.body.equals(first.body)).toBe(true);
    expect(again.fields).toEqual(first.fields);
    response(again);
    expect((await told(client, 1)).grpcStatus).toBe("0");
    expect((await rig.rig.counts("origin")).failures).toBe(0);
  });

  test("continues on another connection, if a GOAWAY excludes it", async () => {
    const { wire: rig, client } = await serve();
    begin(client, 1);
    client.send(h2.data(1, message("one")));
    const first = await rig.request();
    await rig.origin.until("the message", () => (first.body.includes("one") ? true : undefined));
    first.connection.goaway(0);
    const again = await rig.request("/test.Echo/Call", 1);
    expect(again.connection).not.toBe(first.connection);
    await rig.origin.until("the message", () => (again.body.includes("one") ? true : undefined));
    client.send(h2.data(1, message("two"), h2.END_STREAM));
    await rig.origin.until("the end", () => (again.ended ? true : undefined));
    expect(again.body).toEqual(Buffer.concat([message("one"), message("two")]));
    response(again);
    expect((await told(client, 1)).grpcStatus).toBe("0");
  });

  test("fails if its messages are too long to be kept, or after three tries", async () => {
    const { wire: rig, client } = await serve();
    begin(client, 1, [], "/test.Echo/Long");
    for (let i = 0; i < 5; i++) client.send(h2.data(1, Buffer.alloc(16_000)));
    const long = await rig.request("/test.Echo/Long");
    await rig.origin.until("all of it", () => (long.body.length === 80_000 ? true : undefined));
    long.reset(h2.REFUSED_STREAM);
    expect((await told(client, 1)).grpcStatus).toBe("14");
    unary(client, 3);
    for (let i = 0; i < 3; i++) (await rig.request("/test.Echo/Call", i)).reset(h2.REFUSED_STREAM);
    expect((await told(client, 3)).grpcStatus).toBe("14");
    expect(rig.origin.on("/test.Echo/Call").length).toBe(3);
  });

  test("is not sent again once its response has begun, or once the server has processed it", async () => {
    const { wire: rig, client } = await serve();
    unary(client, 1, [], "/test.Echo/Begun");
    const begun = await rig.request("/test.Echo/Begun");
    begun.head(200, [GRPC_TYPE]);
    begun.reset(h2.REFUSED_STREAM);
    expect((await told(client, 1)).grpcStatus).toBe("14");
    unary(client, 3, [], "/test.Echo/Taken");
    const taken = await rig.request("/test.Echo/Taken");
    taken.connection.goaway(taken.streamId);
    taken.connection.reset();
    expect((await told(client, 3)).grpcStatus).toBe("14");
    expect(rig.origin.requests.length).toBe(2);
  });
});

test("a connection without incoming data gets a PING, independently of the clients' timeouts", async () => {
  const { wire: rig, client } = await serve();
  unary(client, 1);
  response(await rig.request());
  await told(client, 1);
  const [connection] = rig.origin.connections;
  if (connection === undefined) throw new Error("The origin has no connection");
  connection.opensWindows = false;
  const before = connection.pings;
  unary(client, 3, [["grpc-timeout", "200m"]], "/test.Echo/Silent");
  await told(client, 3);
  await rig.origin.until("a PING", () => (connection.pings > before ? true : undefined));
});

test("a server that never sends SETTINGS gets one call at a time, and is dropped if that call gets no response", async () => {
  const { wire: rig, client } = await serve({ route: { read_timeout_ms: 300, connect_timeout_ms: 3000 } });
  rig.origin.settings = undefined;
  rig.origin.onConnection = (connection) => {
    connection.opensWindows = false;
  };
  unary(client, 1);
  await rig.request();
  expect((await told(client, 1)).grpcStatus).toBe("4");
  const [dead] = rig.origin.connections;
  await rig.origin.until("the connection's end", () => (dead?.goawayCode === undefined ? undefined : true));
  rig.origin.settings = [];
  unary(client, 3, [], "/test.Echo/Next");
  response(await rig.request("/test.Echo/Next"));
  expect((await told(client, 3)).grpcStatus).toBe("0");
});
