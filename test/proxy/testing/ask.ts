/** One request over any client protocol, and its result. */
import * as h2 from "../../support/http2-frames.ts";
import { fieldOf, type Frame, Http2Client, requestFields } from "../../support/http2-client.ts";
import { block, type HeaderList } from "../../support/http2-hpack.ts";
import { Http3Client } from "../../support/http3-client.ts";
import { RawClient } from "../../support/raw-client.ts";
import { statusOf } from "../../support/message.ts";
import { type Rig } from "./rig.ts";

export type ClientProtocol = "HTTP/1.1" | "HTTP/2" | "HTTP/3";

export interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly fields?: HeaderList;
  readonly patienceMs?: number;
}

export interface Outcome {
  /** 0: the connection or stream ended without a final head. */
  readonly status: number;
  readonly body: string;
  /** The client can tell that the response is complete. */
  readonly whole: boolean;
  readonly trailers: HeaderList;
}

const PATIENCE_MS = 8000;
const FRAME_BYTES = 16_384;

/** Sends the request on its own connection. */
export async function ask(rig: Rig, protocol: ClientProtocol, asked: Asked): Promise<Outcome> {
  if (protocol === "HTTP/1.1") return await askHttp1(rig.port, asked);
  if (protocol === "HTTP/2") return await askHttp2(rig.port, asked);
  return await askHttp3(rig.quicPort, asked);
}

async function askHttp1(port: number, asked: Asked): Promise<Outcome> {
  const { method = "GET", path, body, fields = [], patienceMs = PATIENCE_MS } = asked;
  const client = await RawClient.open(port);
  try {
    const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const length = body === undefined ? "" : `Content-Length: ${body.length}\r\n`;
    client.send(`${method} ${path} HTTP/1.1\r\nHost: a.test\r\n${lines}${length}\r\n${body ?? ""}`);
    for (;;) {
      const message = await client.response(method, patienceMs);
      if (statusOf(message) < 200) continue;
      return { status: statusOf(message), body: message.body, whole: true, trailers: message.trailers };
    }
  } catch (error) {
    if (client.state === "open") throw error;
    // If the head has arrived only in part, there is no head.
    const rest = client.rest();
    const end = rest.indexOf("\r\n\r\n");
    const status = end === -1 ? 0 : Number(rest.split(" ", 2)[1]);
    return { status, body: end === -1 ? "" : rest.slice(end + 4), whole: false, trailers: [] };
  } finally {
    client.destroy();
  }
}

async function askHttp2(port: number, asked: Asked): Promise<Outcome> {
  const { method = "GET", path, body, fields = [], patienceMs = PATIENCE_MS } = asked;
  const client = await Http2Client.ready(port);
  client.opensWindows = true;
  try {
    const flags = h2.END_HEADERS | (body === undefined ? h2.END_STREAM : 0);
    client.send(h2.frame(h2.HEADERS, flags, 1, block(requestFields(path, method, fields))));
    if (body !== undefined) sendBody(client, body);
    const last = await client.sees("an end", endsStream, patienceMs);
    const whole = last.type === h2.DATA || last.type === h2.HEADERS;
    if (whole) return { ...strip(await client.response(1)), whole };
    const heads = client.frames.filter(({ type, streamId }) => type === h2.HEADERS && streamId === 1);
    const statuses = heads.map((head) => Number(fieldOf(head.fields, ":status")));
    const data = client.frames.filter(({ type, streamId }) => type === h2.DATA && streamId === 1);
    const status = statuses.find((code) => code >= 200) ?? 0;
    return { status, body: Buffer.concat(data.map(({ payload }) => payload)).toString("latin1"), whole, trailers: [] };
  } finally {
    client.destroy();
  }
}

/** At most the initial windows. */
function sendBody(client: Http2Client, body: string): void {
  let at = 0;
  do {
    const end = Math.min(at + FRAME_BYTES, body.length);
    client.send(h2.data(1, body.slice(at, end), end === body.length ? h2.END_STREAM : 0));
    at = end;
  } while (at < body.length);
}

/** Stream 1 has ended. */
function endsStream({ type, streamId, flags }: Frame): boolean {
  if (type === h2.GOAWAY) return true;
  if (streamId !== 1) return false;
  return type === h2.RST_STREAM || ((type === h2.DATA || type === h2.HEADERS) && (flags & h2.END_STREAM) !== 0);
}

function strip(response: { status: number; body: Buffer; trailers: HeaderList }): Omit<Outcome, "whole"> {
  return { status: response.status, body: response.body.toString("latin1"), trailers: response.trailers };
}

async function askHttp3(port: number, asked: Asked): Promise<Outcome> {
  const { method = "GET", path, body, fields = [] } = asked;
  const client = await Http3Client.connect(port);
  try {
    const { stream, headers, response } = await client.open(
      method,
      path,
      Object.fromEntries(fields),
      body === undefined,
    );
    response.catch(() => {});
    if (body !== undefined) stream.setBody(Buffer.from(body, "latin1"));
    const head = await headers.catch(() => undefined);
    const whole = await response.catch(() => undefined);
    return {
      status: Number(head?.[":status"] ?? 0),
      body: whole?.body.toString("latin1") ?? "",
      whole: whole !== undefined,
      trailers: [],
    };
  } finally {
    client.close();
  }
}
