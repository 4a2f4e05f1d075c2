/** A download whose client does not read until the test says so, over any client protocol. */
import { createHash } from "node:crypto";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { Http3Client } from "../../support/http3-client.ts";
import { type ClientProtocol } from "./ask.ts";
import { type Rig } from "./rig.ts";

const REQUEST_CANCELLED = 0x10cn;

export interface Downloaded {
  readonly bytes: number;
  readonly digest: string;
  /** The client can tell that the response is complete. */
  readonly whole: boolean;
}

export interface SlowDownload {
  /** Reads everything. */
  read(): Promise<Downloaded>;
  destroy(): void;
}

export function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

export async function openDownload(rig: Rig, protocol: ClientProtocol, path: string): Promise<SlowDownload> {
  if (protocol === "HTTP/1.1") return openHttp1(rig.port, path);
  if (protocol === "HTTP/2") return openHttp2(rig.port, path);
  return openHttp3(rig.quicPort, path);
}

async function openHttp1(port: number, path: string): Promise<SlowDownload> {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n`);
  const parts: Buffer[] = [];
  return {
    async read() {
      socket.on("data", (part: Buffer) => parts.push(part));
      socket.resume();
      await new Promise<void>((resolve) => socket.once("close", () => resolve()));
      const all = Buffer.concat(parts);
      const start = all.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(all.subarray(0, start).toString("latin1"))?.[1] ?? -1);
      const body = all.subarray(start);
      return { bytes: body.length, digest: digestOf(body), whole: body.length === length };
    },
    destroy: () => socket.destroy(),
  };
}

function openHttp2(port: number, path: string): SlowDownload {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  const stream = session.request({ ":path": path });
  stream.on("error", () => {});
  stream.pause();
  const parts: Buffer[] = [];
  return {
    async read() {
      const state = { ended: false };
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        state.ended = true;
      });
      stream.resume();
      await new Promise<void>((resolve) => stream.once("close", () => resolve()));
      session.destroy();
      const body = Buffer.concat(parts);
      return { bytes: body.length, digest: digestOf(body), whole: state.ended && stream.rstCode === 0 };
    },
    destroy: () => session.destroy(),
  };
}

async function openHttp3(port: number, path: string): Promise<SlowDownload> {
  const client = await Http3Client.connect(port);
  const reading = Promise.withResolvers<void>();
  const { stream, response } = await client.open("GET", path, {}, true, reading.promise);
  response.catch(() => {});
  return {
    async read() {
      reading.resolve();
      const found = await response.catch(() => undefined);
      client.close();
      const body = found?.body ?? Buffer.alloc(0);
      return { bytes: body.length, digest: digestOf(body), whole: found !== undefined };
    },
    destroy() {
      stream.stopSending(REQUEST_CANCELLED);
      stream.resetStream(REQUEST_CANCELLED);
    },
  };
}
