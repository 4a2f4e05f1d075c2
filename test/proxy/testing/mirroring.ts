/** A route with a mirror, servers that record their requests, and clients that send long bodies. */
import { expect } from "bun:test";
import { createHash } from "node:crypto";
import { connect as connectHttp2 } from "node:http2";
import { createServer, type Socket } from "node:net";
import { listenOnLoopback } from "../../../src/lib/testing/listen.ts";
import { until } from "../../support/program.ts";
import { RawClient } from "../../support/raw-client.ts";
import { RawOrigin } from "../../support/raw-origin.ts";
import { Http2Origin } from "./http2-origin.ts";
import { Rig } from "./rig.ts";

const rigs: Rig[] = [];
const stops: (() => unknown)[] = [];

/** Stops everything that was started, and checks what remains; for `afterEach`. */
export async function stopMirroring(): Promise<void> {
  for (const rig of rigs.splice(0)) {
    await rig.settled();
    expect(rig.logged).toEqual([]);
    await until("nothing waits in memory", async () => ((await bufferBytes(rig)) === 0 ? true : undefined));
    await rig.stop();
  }
  await Promise.all(stops.splice(0).map((stop) => stop()));
}

export async function rawOrigin(): Promise<RawOrigin> {
  const origin = await RawOrigin.start();
  stops.push(() => origin.stop());
  return origin;
}

export async function http2Origin(): Promise<Http2Origin> {
  const origin = await Http2Origin.start();
  stops.push(() => origin.stop());
  return origin;
}

/** Bytes that wait for slow peers, of all requests. */
export async function bufferBytes(rig: Rig): Promise<number> {
  return Number(/^turnpike_buffer_bytes{pool="stream"} (\d+)$/m.exec(await rig.page())?.[1]);
}

export interface Place {
  readonly port: number;
}

export interface MirroringOptions {
  readonly route?: object;
  /** Keys of the route's upstream. */
  readonly main?: object;
  /** Keys of the mirror's upstream. */
  readonly mirror?: object;
  /** More upstreams. */
  readonly others?: readonly object[];
  readonly sections?: object;
  readonly quic?: boolean;
}

/** A gateway whose only route forwards to `main`, and copies to `mirror`. */
export async function startMirroring(main: Place, mirror: Place, options: MirroringOptions = {}): Promise<Rig> {
  const mirrored = options.route !== undefined && "mirrors" in options.route ? {} : { mirror: "mirror" };
  const rig = await Rig.start({
    upstreams: [
      { name: "main", servers: [{ address: "127.0.0.1", port: main.port, max_fails: 1000 }], ...options.main },
      { name: "mirror", servers: [{ address: "127.0.0.1", port: mirror.port }], ...options.mirror },
      ...(options.others ?? []),
    ],
    routes: [{ path_prefix: "/", upstream: "main", ...mirrored, ...options.route }],
    quic: options.quic ?? false,
    ...options.sections,
  });
  rigs.push(rig);
  return rig;
}

export interface Copies {
  readonly requests: number;
  readonly givenUp: number;
  readonly failures: number;
}

export async function copies(rig: Rig): Promise<Copies> {
  const page = await rig.page();
  const of = (name: string): number =>
    Number(new RegExp(`^turnpike_mirror_${name}_total (\\d+)$`, "m").exec(page)?.[1]);
  return { requests: of("requests"), givenUp: of("given_up"), failures: of("failures") };
}

/** Waits until this number of copies has ended in each way. */
export async function counted(rig: Rig, expected: Copies): Promise<void> {
  let last: Copies | undefined;
  await until(`${JSON.stringify(expected)} copies`, async () => {
    last = await copies(rig);
    return JSON.stringify(last) === JSON.stringify(expected) ? true : undefined;
  }).catch(() => expect(last).toEqual(expected));
}

/** An origin that reads bodies of any length, and reports their length and content so far. */
export class BodyOrigin {
  received = 0;
  readonly digests: string[] = [];
  readonly port: number;

  constructor(responseBytes = 0) {
    const response = new Uint8Array(responseBytes).fill(0x61);
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const hash = createHash("sha256");
        for await (const chunk of request.body ?? []) {
          this.received += chunk.length;
          hash.update(chunk);
        }
        this.digests.push(hash.digest("hex"));
        return new Response(response);
      },
    });
    stops.push(() => server.stop(true));
    this.port = server.port ?? 0;
  }
}

/** `size` bytes without repetition. */
export function content(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at < size; at += 4) bytes.writeUInt32LE(Math.imul(at, 0x9e3779b9) >>> 0, at);
  return bytes;
}

export function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export const PIECE = 262_144;

/** Sends a body in pieces, each after `mayGoOn`, and returns the status. */
export async function upload(
  protocol: "HTTP/1.1" | "HTTP/2",
  rig: Rig,
  body: Buffer,
  mayGoOn: (sent: number) => Promise<unknown>,
): Promise<number> {
  if (protocol === "HTTP/1.1") {
    const client = await RawClient.open(rig.port);
    client.send(`POST /up HTTP/1.1\r\nHost: a.test\r\nContent-Length: ${body.length}\r\n\r\n`);
    for (let at = 0; at < body.length; at += PIECE) {
      client.socket.write(body.subarray(at, at + PIECE));
      await mayGoOn(Math.min(at + PIECE, body.length));
    }
    const { startLine } = await client.finalResponse("POST");
    client.destroy();
    return Number(startLine.split(" ")[1]);
  }
  const session = connectHttp2(`http://127.0.0.1:${rig.port}`);
  const stream = session.request({ ":method": "POST", ":path": "/up" });
  const responded = new Promise<number>((resolve, reject) => {
    stream.on("response", (fields) => resolve(Number(fields[":status"])));
    stream.on("error", reject);
  });
  for (let at = 0; at < body.length; at += PIECE) {
    stream.write(body.subarray(at, at + PIECE));
    await mayGoOn(Math.min(at + PIECE, body.length));
  }
  stream.end();
  const status = await responded;
  for await (const _ of stream) {
    // Reads the response to its end.
  }
  session.close();
  return status;
}

/** A server of raw sockets; `cut` closes all of them. */
export async function socketServer(act: (socket: Socket) => void): Promise<Place & { cut: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    act(socket);
  });
  const port = await listenOnLoopback(server);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  stops.push(cut);
  return { port, cut };
}
