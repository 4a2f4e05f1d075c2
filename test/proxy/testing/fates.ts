/** Origins whose behaviour for each try is in the request's path, and the possible results of such a request. */
import * as h2 from "../../support/http2-frames.ts";
import { type Message, valuesOf } from "../../support/message.ts";
import { type OriginConnection, RawOrigin } from "../../support/raw-origin.ts";
import { Http2Origin, type Http2OriginConnection, type OriginRequest } from "./http2-origin.ts";

/** The fate of one try. */
export const FATES = [
  "well",
  "well",
  "well",
  "unframed",
  "unavailable",
  "lost",
  "ended",
  "garbled",
  "refused",
  "leaving",
  "cut",
  "early",
  "stalled",
] as const;
export type Fate = (typeof FATES)[number];

export interface Plan {
  readonly id: string;
  readonly size: number;
  readonly fates: readonly Fate[];
}

/** `/id/size/fate.fate`: tries after the last fate succeed. */
export function pathOf({ id, size, fates }: Plan): string {
  return `/${id}/${size}/${fates.join(".")}`;
}

export function planOf(path: string): Plan {
  const [, id = "", size = "0", fates = ""] = path.split("/");
  // `pathOf` wrote it.
  return { id, size: Number(size), fates: fates.split(".") as Fate[] };
}

/** Bytes that show their request and their offset. */
export function contentOf(id: string, size: number): string {
  const piece = `${id}:`;
  let content = "";
  for (let i = 0; content.length < size; i++) content += piece + String(i);
  return content.slice(0, size);
}

/** The body of a request's response, and of the request itself. */
export const responseOf = ({ id, size }: Plan): string => contentOf(`answer-${id}`, size);
export const bodyOf = ({ id }: Plan, size: number): string => contentOf(`body-${id}`, size);

export interface FatefulOrigin {
  readonly port: number;
  /** Begun requests, by id. */
  readonly begun: Map<string, number>;
  /** The number of them that the gateway knows to be unprocessed. */
  readonly refused: Map<string, number>;
  /** Complete bodies, by id. */
  readonly bodies: Map<string, string>;
  readonly faults: readonly string[];
  forget(): void;
  stop(): Promise<void>;
}

/** Adds one, and returns the number before. */
function count(begun: Map<string, number>, id: string): number {
  const before = begun.get(id) ?? 0;
  begun.set(id, before + 1);
  return before;
}

export async function startHttp1Origin(): Promise<FatefulOrigin> {
  const origin = await RawOrigin.start();
  const [begun, bodies] = [new Map<string, number>(), new Map<string, string>()];
  /** The offset up to which each connection's requests were counted. A request counts when its body is complete. */
  const seen = new WeakMap<OriginConnection, number>();
  const responded = new WeakSet<OriginConnection>();
  origin.onBytes = (connection) => {
    const from = connection.parsed;
    const end = connection.received.indexOf("\r\n\r\n", from);
    if (end === -1 || seen.get(connection) === from) return;
    seen.set(connection, from);
    const plan = planOf(connection.received.slice(from, end).split(" ")[1] ?? "");
    const fate = plan.fates[count(begun, plan.id)] ?? "well";
    if (fate !== "early") return;
    responded.add(connection);
    connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${plan.size}\r\n\r\n${responseOf(plan)}`);
  };
  origin.response = (request: Message, connection) => {
    const plan = planOf(request.startLine.split(" ")[1] ?? "");
    if (valuesOf(request, "content-length").length > 0) bodies.set(plan.id, request.body);
    if (responded.delete(connection)) return;
    respondHttp1(connection, plan, plan.fates[(begun.get(plan.id) ?? 1) - 1] ?? "well");
  };
  return {
    port: origin.port,
    begun,
    refused: new Map(),
    bodies,
    faults: origin.errors,
    forget() {
      begun.clear();
      bodies.clear();
      origin.requests.length = 0;
      origin.connections.splice(0, Infinity, ...origin.connections.filter(({ closed }) => !closed));
    },
    stop: () => origin.stop(),
  };
}

function respondHttp1(connection: OriginConnection, plan: Plan, fate: Fate): void {
  const content = responseOf(plan);
  const half = content.slice(0, plan.size / 2);
  switch (fate) {
    case "unavailable":
      connection.send("HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno");
      return;
    case "lost":
    case "refused":
      connection.reset();
      return;
    case "ended":
    case "leaving":
      connection.end();
      return;
    case "garbled":
      connection.send("\x00\x01 garbage\r\n\r\n");
      return;
    case "cut":
      connection.end(`HTTP/1.1 200 OK\r\nContent-Length: ${plan.size + 1}\r\n\r\n${half}`);
      return;
    case "stalled":
      connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${plan.size + 1}\r\n\r\n${half}`);
      return;
    case "unframed":
      connection.end(`HTTP/1.1 200 OK\r\n\r\n${content}`);
      return;
    case "early":
    case "well":
      connection.send(`HTTP/1.1 200 OK\r\nContent-Length: ${plan.size}\r\n\r\n${content}`);
  }
}

export async function startHttp2Origin(): Promise<FatefulOrigin> {
  const origin = await Http2Origin.start();
  const [begun, refused, bodies] = [new Map<string, number>(), new Map<string, number>(), new Map<string, string>()];
  /** The last stream id of connections that have sent GOAWAY. */
  const last = new WeakMap<Http2OriginConnection, number>();
  const fates = new WeakMap<OriginRequest, Fate>();
  origin.settings = [[h2.MAX_CONCURRENT_STREAMS, 5]];
  origin.onHead = (request) => {
    const { connection, streamId } = request;
    const plan = planOf(request.path);
    const tries = count(begun, plan.id);
    if (streamId > (last.get(connection) ?? streamId)) {
      count(refused, plan.id);
      return;
    }
    const fate = plan.fates[tries] ?? "well";
    fates.set(request, fate);
    if (fate === "refused") count(refused, plan.id);
    if (fate === "leaving" && !last.has(connection)) {
      last.set(connection, streamId);
      connection.goaway(streamId);
    }
    if (fate === "early") respondHttp2(request, plan, fate);
  };
  origin.onRequest = (request) => {
    const plan = planOf(request.path);
    const fate = fates.get(request);
    if (fate === undefined) return;
    if (request.method === "POST") bodies.set(plan.id, request.body.toString("latin1"));
    if (fate !== "early") respondHttp2(request, plan, fate);
  };
  return {
    port: origin.port,
    begun,
    refused,
    bodies,
    faults: origin.faults,
    forget() {
      begun.clear();
      refused.clear();
      bodies.clear();
      origin.requests.length = 0;
      origin.connections.splice(0, Infinity, ...origin.connections.filter(({ closed }) => !closed));
    },
    stop: () => origin.stop(),
  };
}

const INTERNAL_ERROR = 0x2;

function respondHttp2(request: OriginRequest, plan: Plan, fate: Fate): void {
  const content = responseOf(plan);
  const length = [["content-length", String(plan.size)]] as const;
  switch (fate) {
    case "unavailable":
      request.response(503, "no");
      return;
    case "lost":
      request.connection.reset();
      return;
    case "ended":
    case "garbled":
      request.reset(INTERNAL_ERROR);
      return;
    case "refused":
      request.reset(h2.REFUSED_STREAM);
      return;
    case "cut":
      request.head(200, length);
      request.reset(INTERNAL_ERROR);
      return;
    case "stalled":
      request.head(200, length);
      return;
    case "unframed":
      request.head(200);
      request.data(content, h2.END_STREAM);
      return;
    case "leaving":
    case "early":
    case "well":
  }
  if (plan.size === 0) request.head(200, length, h2.END_STREAM);
  else {
    request.head(200, length);
    for (let at = 0; at < plan.size; at += 16_384) {
      request.data(content.slice(at, at + 16_384), at + 16_384 >= plan.size ? h2.END_STREAM : h2.NO_FLAGS);
    }
  }
}
