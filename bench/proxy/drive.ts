/** Loads one proxy. */
import { join } from "node:path";
import { type Children } from "../support/children.ts";
import { runH2load } from "../support/h2load.ts";
import { errorOf, type Load, runWrk } from "../support/wrk.ts";
import { bodyAt, GRPC_MESSAGE } from "./bodies.ts";
import { type Client } from "./cases.ts";

const GRPC_FIELDS = ["-H", "content-type: application/grpc", "-H", "te: trailers"];

/** The program that a client needs, with its Debian package; undefined if it is part of the bench. */
export function toolOf({ kind }: Client): readonly [program: string, debianPackage: string] | undefined {
  if (kind === "websocket") return undefined;
  return kind === "wrk" ? ["wrk", "wrk"] : ["h2load", "nghttp2-client"];
}

/** Loads a port for `seconds`. Fails with an Error if a response was wrong. */
export async function drive(children: Children, client: Client, port: number, seconds: number): Promise<Load> {
  const load = await run(children, client, port, seconds);
  const error = errorOf(load);
  if (error !== undefined) throw new Error(error);
  return load;
}

async function run(children: Children, client: Client, port: number, seconds: number): Promise<Load> {
  if (client.kind === "websocket") return await runWebSocket(children, client, port, seconds);
  if (client.kind === "wrk") {
    const { path, connections } = client;
    const more = client.isNew === true ? ["-H", "Connection: close"] : [];
    const isMixed = client.isSame !== true;
    return await runWrk(children, `http://127.0.0.1:${port}${path}`, { connections, seconds, isMixed, more });
  }
  return await runMultiplexed(children, client, port, seconds);
}

/** h2load counts a failed call as succeeded, and compares no lengths. The sum of all bodies shows both. */
async function runMultiplexed(
  children: Children,
  client: Client & { kind: "h2load" | "grpc" },
  port: number,
  seconds: number,
): Promise<Load> {
  const { path, connections, streams } = client;
  const isCall = client.kind === "grpc";
  const message = join(children.folder, "message");
  if (isCall) await Bun.write(message, GRPC_MESSAGE);
  const { bodyBytes, ...load } = await runH2load(children, `${isCall ? "http" : "https"}://127.0.0.1:${port}${path}`, {
    connections,
    streams,
    seconds,
    isMixed: !isCall,
    more: isCall ? ["-d", message, ...GRPC_FIELDS] : [],
  });
  const bytes = isCall ? GRPC_MESSAGE.length : bodyAt(path).length;
  // Requests in flight at the end are counted with or without their bodies.
  const missing = Math.abs(bodyBytes - load.requests * bytes);
  if (!(missing <= connections * streams * bytes)) {
    throw new Error(`${load.requests} responses had ${bodyBytes} bytes, not ${bytes} each`);
  }
  return load;
}

async function runWebSocket(
  children: Children,
  client: Client & { kind: "websocket" },
  port: number,
  seconds: number,
): Promise<Load> {
  const program = join(import.meta.dir, "websocket-load.ts");
  const args = [port, client.connections, client.bytes, seconds].map(String);
  const child = children.spawn({ name: "WebSocket load", argv: [process.execPath, program, ...args] });
  if ((await child.done) !== 0) throw new Error(child.output().trim());
  // The output of `websocket-load.ts` after a success.
  return JSON.parse(child.output()) as Load;
}
