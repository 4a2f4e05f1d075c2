/** The upstream connection over real sockets. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { plentyOfBuffers } from "../../lib/testing/plenty.ts";
import { TimerWheel } from "../../lib/time/timer-wheel.ts";
import { listen, type Listener } from "../wire/tcp.ts";
import { connect } from "../wire/testing/connect.ts";
import { type Wire, type WireHandler } from "../wire/wire.ts";
import { ClientConnection } from "./client-connection.ts";
import { sendGathered } from "../wire/outgoing.ts";
import { OK, Sink } from "./testing/client-peers.ts";

let sink: Sink;

beforeEach(() => {
  sink = new Sink();
});

/** Resolves when the sink receives `end` or `abort`. */
function finished(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  sink.end = (trailers) => {
    sink.ends.push(trailers);
    resolve();
  };
  sink.abort = (error) => {
    sink.errors.push(error);
    resolve();
  };
  return promise;
}

function rethrow(error: unknown): never {
  throw error;
}

describe("over real sockets", () => {
  let listener: Listener | undefined;
  afterEach(() => listener?.stop());

  /** Starts a server that calls `act` with the text of all received bytes. */
  async function against(act: (server: Wire, text: string) => void): Promise<ClientConnection> {
    listener = listen({
      address: "127.0.0.1",
      port: 0,
      reusePort: false,
      onError: rethrow,
      accept(server): WireHandler {
        let text = "";
        return {
          onData(chunk) {
            text += chunk.toString("latin1");
            act(server, text);
          },
          onDrain() {},
          onEnd: () => server.terminate(),
          onClose() {},
        };
      },
    });
    const real = new ClientConnection({
      wheel: new TimerWheel(),
      buffers: plentyOfBuffers(),
      released() {},
      closed() {},
    });
    real.attach(await connect({ address: "127.0.0.1", port: listener.port }, real, rethrow));
    return real;
  }

  test("one connection carries several requests in turn", async () => {
    const real = await against((server, text) => {
      if (!text.endsWith("\r\n\r\n")) return;
      const bytes = Buffer.from(OK("hello"));
      server.write(bytes, 0, bytes.length);
    });
    for (let i = 0; i < 3; i++) {
      const done = finished();
      real.request("GET", "GET / HTTP/1.1\r\nHost: h\r\n", 0, sink);
      sendGathered();
      await done;
    }
    expect([sink.body, sink.statuses]).toEqual(["hellohellohello", [200, 200, 200]]);
    expect(real.requests).toBe(3);
    real.destroy();
  });

  test("a body that is paused and resumed arrives complete", async () => {
    const body = Buffer.alloc(3_000_000, "abcdefgh");
    const real = await against((server, text) => {
      if (!text.endsWith("\r\n\r\n")) return;
      const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`);
      const all = Buffer.concat([head, body]);
      let at = 0;
      const more = (): void => {
        at += Math.max(server.write(all, at, Math.min(all.length - at, 65_536)), 0);
        if (at < all.length) setImmediate(more);
      };
      more();
    });
    let length = 0;
    let pauses = 0;
    const done = finished();
    sink.data = (_chunk, start, end) => {
      length += end - start;
      if (++pauses % 3 !== 0) return true;
      setImmediate(() => real.resume());
      return false;
    };
    real.request("GET", "GET / HTTP/1.1\r\nHost: h\r\n", 0, sink);
    sendGathered();
    await done;
    expect([length, sink.errors.length]).toEqual([body.length, 0]);
    real.destroy();
  });

  test("a reset in the middle of a response is an error", async () => {
    const real = await against((server, text) => {
      if (!text.endsWith("\r\n\r\n")) return;
      const bytes = Buffer.from(OK("hello").slice(0, -1));
      server.write(bytes, 0, bytes.length);
      server.terminate();
    });
    const done = finished();
    real.request("GET", "GET / HTTP/1.1\r\nHost: h\r\n", 0, sink);
    sendGathered();
    await done;
    expect([sink.errors.length, real.open]).toEqual([1, false]);
  });
});
