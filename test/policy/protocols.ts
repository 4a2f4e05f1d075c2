/**
 * The real gateway with the same requests over every protocol: the effect of a policy must not depend on the protocol.
 */
import { connect as connectTls, type TLSSocket } from "node:tls";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { requestFields, Http2Client } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block } from "../support/http2-hpack.ts";
import { endWithTrailers, Http3Client } from "../support/http3-client.ts";
import { statusOf } from "../support/message.ts";
import { Folder, Program } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";

/** All of them over TLS; `plain` of the gateway is HTTP/1.1 without TLS. */
export const PROTOCOLS = ["HTTP/1.1", "HTTP/2", "HTTP/3"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

type Pairs = readonly (readonly [name: string, value: string])[];

export interface Request {
  /** The default is GET. */
  readonly method?: string;
  /** With its query; the default is `/x`. */
  readonly path?: string;
  readonly authority?: string;
  /** In order; a name can occur more than once. Lower case. */
  readonly headers?: Pairs | Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** After the body, which they need. */
  readonly trailers?: Pairs;
  /** The second half of the body is sent after this. */
  readonly rest?: Promise<unknown>;
}

/** A response as received, with names in lower case. */
export class Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Pairs;
  readonly body: Buffer;
  readonly trailers: Pairs;

  constructor(status: number, parts: { headers: Pairs; body: Buffer; trailers?: Pairs }) {
    this.status = status;
    this.headers = parts.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    this.body = parts.body;
    this.trailers = parts.trailers ?? [];
  }

  /** Every value of a field, in order. */
  all(name: string): string[] {
    return this.headers.filter(([field]) => field === name).map(([, value]) => value);
  }

  /** The field's values as one; undefined if it is absent. */
  header(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(", ");
  }

  get text(): string {
    return this.body.toString();
  }

  /** The body as JSON. */
  get json(): unknown {
    return JSON.parse(this.text);
  }
}

export interface ProtocolGateway {
  /** The port of the TLS listener: HTTP/1.1 and HTTP/2. */
  readonly tlsPort: number;
  readonly quicPort: number;
  /** The port of the listener without TLS: HTTP/1.1, and HTTP/2 with prior knowledge. */
  readonly plainPort: number;
  readonly program: Program;
  /** Its folder, with configuration and certificates. */
  readonly folder: Folder;
  /** Sends a request on its own connection; over HTTP/3, connections are shared. */
  request(protocol: Protocol, request?: Request): Promise<Reply>;
  /** Sends a request over HTTP/1.1 without TLS. */
  plain(request?: Request): Promise<Reply>;
  stop(): Promise<void>;
}

/**
 * Starts a gateway that listens without TLS, with TLS and with QUIC. It has one worker unless `config.server` says
 * otherwise.
 */
export async function startProtocols(
  config: { readonly server?: object; readonly [key: string]: unknown },
  environment: Readonly<Record<string, string>> = {},
): Promise<ProtocolGateway> {
  const folder = new Folder();
  const tls = { cert_path: folder.write("cert.pem", LOCALHOST.cert), key_path: folder.write("key.pem", LOCALHOST.key) };
  const loopback = { address: "127.0.0.1", port: 0 };
  const listeners = [loopback, { ...loopback, use_tls: true, quic_enabled: true }];
  const file = folder.write("turnpike.json", {
    access_log: { enabled: false },
    ...config,
    tls: { ...tls, ...(config["tls"] as object | undefined) }, // A test's own configuration.
    server: { workers: 1, listeners, ...config.server },
  });
  const program = new Program(["--config", file], { env: environment });
  let clients: Clients | undefined;
  const stop = async (): Promise<void> => {
    await clients?.close();
    await program.stop();
    folder.remove();
  };
  try {
    const portOf = async (pattern: RegExp): Promise<number> => Number((await program.sees(pattern))[1]);
    const [plainPort, tlsPort, quicPort] = await Promise.all([
      portOf(/listening on http:\/\/\S*?:(\d+)/),
      portOf(/listening on https:\/\/\S*?:(\d+)(?! by HTTP\/3)\b/),
      portOf(/listening on https:\/\/\S*?:(\d+) by HTTP\/3/),
    ]);
    clients = new Clients(tlsPort, quicPort);
    const { request } = clients;
    return {
      tlsPort,
      quicPort,
      plainPort,
      program,
      folder,
      request,
      plain: async (asked = {}) => overHttp1(await RawClient.open(plainPort), asked),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Clients of two ports of 127.0.0.1: one for TLS, one for QUIC. */
export class Clients {
  readonly tlsPort: number;
  readonly quicPort: number;
  #http3: Promise<Http3Client> | undefined;

  constructor(tlsPort: number, quicPort: number) {
    this.tlsPort = tlsPort;
    this.quicPort = quicPort;
  }

  /** Sends a request on its own connection; over HTTP/3, connections are shared. */
  readonly request = async (protocol: Protocol, request: Request = {}): Promise<Reply> => {
    if (protocol === "HTTP/1.1") return overHttp1(new RawClient(await secure(this.tlsPort, "http/1.1")), request);
    if (protocol === "HTTP/2") return overHttp2(new Http2Client(await secure(this.tlsPort, "h2")), request);
    this.#http3 ??= Http3Client.connect(this.quicPort);
    return overHttp3(await this.#http3, request);
  };

  /** Requests a path without waiting for a response. The returned function makes the client leave. */
  async open(protocol: Protocol, path: string, headers: Pairs = []): Promise<() => void> {
    if (protocol === "HTTP/3") {
      this.#http3 ??= Http3Client.connect(this.quicPort);
      const { stream, response } = await (await this.#http3).open("GET", path, Object.fromEntries(headers));
      response.catch(() => {});
      return () => {
        stream.stopSending(REQUEST_CANCELLED);
        stream.resetStream(REQUEST_CANCELLED);
      };
    }
    const socket = await secure(this.tlsPort, protocol === "HTTP/2" ? "h2" : "http/1.1");
    if (protocol === "HTTP/2") {
      const fields = requestFields(path, "GET", headers).map(
        ([name, value]) => [name, name === ":scheme" ? "https" : value] as const,
      );
      new Http2Client(socket).send(h2.PREFACE, h2.settings(), h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(fields)));
    } else {
      const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      new RawClient(socket).send(`GET ${path} HTTP/1.1\r\nHost: ${AUTHORITY}\r\n${lines}\r\n`);
    }
    return () => void socket.destroy();
  }

  async close(): Promise<void> {
    await this.#http3?.then((client) => client.close()).catch(() => {});
  }
}

/** RFC 9114 §8.1, H3_REQUEST_CANCELLED. */
const REQUEST_CANCELLED = 0x10cn;

function secure(port: number, alpn: string): Promise<TLSSocket> {
  const socket = connectTls({
    port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: TEST_CA.cert,
    ALPNProtocols: [alpn],
  });
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", () => resolve(socket));
    socket.once("error", reject);
  });
}

function pairsOf({ headers = [] }: Request): Pairs {
  // An object has no order that matters; `isArray` does not narrow a readonly list.
  return Array.isArray(headers) ? (headers as Pairs) : Object.entries(headers as Record<string, string>);
}

function bytesOf({ body = "" }: Request): Buffer {
  return typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}

const AUTHORITY = "localhost";

function linesOf(fields: Pairs): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
}

async function overHttp1(client: RawClient, request: Request): Promise<Reply> {
  const { method = "GET", path = "/x", authority = AUTHORITY } = request;
  const body = bytesOf(request);
  const fields = [["host", authority] as const, ...pairsOf(request)];
  const { trailers } = request;
  if (trailers !== undefined) fields.push(["transfer-encoding", "chunked"]);
  else if (request.body !== undefined) fields.push(["content-length", String(body.length)]);
  const text = body.toString("latin1");
  const sent =
    trailers === undefined ? text : `${body.length.toString(16)}\r\n${text}\r\n0\r\n${linesOf(trailers)}\r\n`;
  try {
    const half = request.rest === undefined ? 0 : sent.length >> 1;
    client.send(`${method} ${path} HTTP/1.1\r\n${linesOf(fields)}\r\n${sent.slice(0, half)}`);
    await request.rest;
    client.send(sent.slice(half));
    const message = await client.finalResponse(method);
    return new Reply(statusOf(message), {
      headers: message.fields,
      body: Buffer.from(message.body, "latin1"),
      trailers: message.trailers,
    });
  } finally {
    client.destroy();
  }
}

async function overHttp2(client: Http2Client, request: Request): Promise<Reply> {
  const { method = "GET", path = "/x", authority = AUTHORITY } = request;
  const fields = requestFields(path, method, pairsOf(request)).map(([name, value]) => {
    if (name === ":authority") return [name, authority] as const;
    return [name, name === ":scheme" ? "https" : value] as const;
  });
  client.opensWindows = true;
  try {
    const flags = request.body === undefined ? h2.END_BOTH : h2.END_HEADERS;
    client.send(h2.PREFACE, h2.settings(), h2.frame(h2.HEADERS, flags, 1, block(fields)));
    if (request.body !== undefined) {
      const body = bytesOf(request);
      const half = request.rest === undefined ? 0 : body.length >> 1;
      if (half > 0) client.send(h2.data(1, body.subarray(0, half), 0));
      await request.rest;
      sendBody(client, body.subarray(half), request.trailers);
    }
    const response = await client.response(1);
    return new Reply(response.status, {
      headers: withoutPseudo(response.fields),
      body: response.body,
      trailers: response.trailers,
    });
  } finally {
    client.destroy();
  }
}

/** The frame size that every peer accepts; bodies of tests stay below the first window (RFC 9113 §6.9.2). */
const FRAME_BYTES = 16_384;

function sendBody(client: Http2Client, body: Buffer, trailers: Pairs | undefined): void {
  for (let at = 0; at + FRAME_BYTES < body.length; at += FRAME_BYTES) {
    client.send(h2.data(1, body.subarray(at, at + FRAME_BYTES)));
  }
  const rest = body.length === 0 ? 0 : ((body.length - 1) % FRAME_BYTES) + 1;
  client.send(h2.data(1, body.subarray(body.length - rest), trailers === undefined ? h2.END_STREAM : 0));
  if (trailers !== undefined) client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(trailers)));
}

async function overHttp3(client: Http3Client, request: Request): Promise<Reply> {
  const { method = "GET", path = "/x", authority = AUTHORITY } = request;
  const fields: Record<string, string | string[]> = { ":authority": authority };
  for (const [name, value] of pairsOf(request)) {
    const before = fields[name];
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  const body = request.body === undefined ? undefined : bytesOf(request);
  const { stream, response: pending } = await client.open(method, path, fields, body === undefined);
  const { trailers, rest } = request;
  if (body !== undefined && rest !== undefined) {
    stream.writer.writeSync(body.subarray(0, body.length >> 1));
    await rest;
    stream.writer.writeSync(body.subarray(body.length >> 1));
    stream.writer.endSync();
  } else if (body !== undefined && trailers !== undefined) {
    await endWithTrailers(stream, body, Object.fromEntries(trailers));
  } else if (body !== undefined) stream.setBody(body);
  const response = await pending;
  return new Reply(Number(response.headers[":status"]), {
    headers: withoutPseudo(flat(response.headers)),
    body: response.body,
    trailers: flat(response.trailers ?? {}),
  });
}

function flat(headers: Readonly<Record<string, string | string[]>>): Pairs {
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().map((value) => [name, value] as const));
}

function withoutPseudo(fields: Pairs): Pairs {
  return fields.filter(([name]) => !name.startsWith(":"));
}
