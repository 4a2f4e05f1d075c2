/**
 * Requests protected resources from a gateway in front of real servers, by every spelling and protocol, without
 * credentials and without payment.
 */
import { Http2Client, requestFields } from "../../support/http2-client.ts";
import * as h2 from "../../support/http2-frames.ts";
import { block } from "../../support/http2-hpack.ts";
import { Http3Client } from "../../support/http3-client.ts";
import { Folder } from "../../support/program.ts";
import { RawClient } from "../../support/raw-client.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, startProtocols } from "../../policy/protocols.ts";
import { serverAt } from "../../support/gateway.ts";
import { TERMS } from "../../../src/payments/testing/payment.ts";
import { GOODS, GUARDED } from "./site.ts";
import { type Depth, spellings } from "./corpus.ts";
import { type StartedUpstream, startUpstreams } from "./upstreams.ts";

const KEY = "a key of twenty bytes";
/** Clients keep all received data, so they are replaced after this number of requests. */
const REQUESTS_PER_CLIENT = 100;

export interface Report {
  readonly missing: readonly string[];
  readonly rows: readonly UpstreamReport[];
}

export interface UpstreamReport {
  readonly upstream: string;
  /** Spellings that get the goods directly from the server, without a gateway. */
  readonly direct: number;
  readonly asked: number;
  /** Goods that a client got without credentials, as "protocol target". */
  readonly leaks: readonly string[];
  /** Successful requests on the free routes. 0 means that the gateway refuses too much, or that nothing works. */
  readonly served: number;
}

export interface PlayOptions {
  readonly depth: Depth;
  readonly guarded?: readonly string[];
  readonly upstreams?: readonly string[];
  readonly onRow?: (row: UpstreamReport) => void;
}

/**
 * One host for each upstream, with a free route with a cache, protected routes below it, and a route with a rewrite.
 */
function configuration(upstreams: readonly StartedUpstream[], state: string): Record<string, unknown> {
  const auth = { type: "api_key", keys: [{ key: KEY, name: "alice" }] };
  return {
    state_path: state,
    x402: { enabled: true, test_mode: true },
    limits: { max_header_count: 100 },
    upstreams: upstreams.map(({ port }, i) => ({ name: `u${i}`, servers: [serverAt(port)] })),
    routes: upstreams.flatMap((_, i) => {
      const route = { upstream: `u${i}`, host: hostOf(i) };
      const rewrite = { rewrite_pattern: "/pub", rewrite_replacement: "/free/" };
      return [
        { ...route, path_prefix: "/", ...rewrite, cache: { ttl_s: 60 } },
        { ...route, path_prefix: "/paid", x402: TERMS },
        { ...route, path_prefix: "/admin", auth },
        { ...route, path_prefix: "/api/paid", auth },
      ];
    }),
  };
}

function hostOf(index: number): string {
  return `u${index}.test`;
}

/** Requests one target. Returns its body as far as it arrived; empty if the request was refused without one. */
type Ask = (target: string, host: string) => Promise<string>;

/** A client of one protocol that is replaced after some requests, and after every failure. */
function renewed<C extends { destroy?: () => void; close?: () => void }>(
  open: () => Promise<C>,
  ask: (client: C, target: string, host: string) => Promise<string>,
): { ask: Ask; close: () => void } {
  let client: C | undefined;
  let asked = 0;
  const close = (): void => {
    client?.destroy?.();
    client?.close?.();
    client = undefined;
  };
  return {
    close,
    async ask(target, host) {
      if (asked++ % REQUESTS_PER_CLIENT === 0) close();
      try {
        client ??= await open();
        return await ask(client, target, host);
      } catch {
        close();
        return "";
      }
    },
  };
}

function overHttp1(port: number): { ask: Ask; close: () => void } {
  return renewed(
    () => RawClient.open(port),
    async (client, target, host) => {
      client.send(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      return (await client.finalResponse()).body;
    },
  );
}

function overHttp2(port: number): { ask: Ask; close: () => void } {
  const streams = new WeakMap<Http2Client, number>();
  return renewed(
    async () => {
      const client = await Http2Client.ready(port);
      client.opensWindows = true;
      return client;
    },
    async (client, target, host) => {
      const stream = (streams.get(client) ?? -1) + 2;
      streams.set(client, stream);
      const fields = requestFields(target).map(
        ([name, value]) => [name, name === ":authority" ? host : value] as const,
      );
      client.send(h2.frame(h2.HEADERS, h2.END_BOTH, stream, block(fields)));
      const end = await client.sees(
        "the response's end",
        ({ type, flags, streamId }) =>
          type === h2.GOAWAY ||
          (streamId === stream && (type === h2.RST_STREAM || ((flags & h2.END_STREAM) !== 0 && type <= h2.HEADERS))),
      );
      if (end.type === h2.GOAWAY) throw new Error("Cannot ask again: the server has ended the connection");
      return end.type === h2.RST_STREAM ? "" : (await client.response(stream)).body.toString("latin1");
    },
  );
}

function overHttp3(port: number): { ask: Ask; close: () => void } {
  return renewed(
    () => Http3Client.connect(port),
    async (client, target, host) => {
      const response = await client.request("GET", target, undefined, { ":authority": host });
      return response.body.toString("latin1");
    },
  );
}

function clientsOf(gateway: ProtocolGateway): Record<Protocol, { ask: Ask; close: () => void }> {
  return {
    "HTTP/1.1": overHttp1(gateway.plainPort),
    "HTTP/2": overHttp2(gateway.plainPort),
    "HTTP/3": overHttp3(gateway.quicPort),
  };
}

/** Targets with their own host, and with a prefix before the path; only HTTP/1.1 has them. */
function absoluteForms(path: string, host: string): string[] {
  return [
    `http://${host}${path}`,
    `HTTP://${host.toUpperCase()}.${path}`,
    `https://${host}:443${path}`,
    `http://${host}/${path}`,
    `http://${host}/;${path}`,
    `http://${host};${path}`,
    `http://${host}?${path}`,
    `http://${host}#@${path}`,
    `http://x@${host}${path}`,
    `http:${path}`,
    `//${host}${path}`,
    `*${path}`,
    path.slice(1),
  ];
}

async function playOne(
  { gateway, upstream, index }: { gateway: ProtocolGateway; upstream: StartedUpstream; index: number },
  { depth, guarded = GUARDED }: PlayOptions,
): Promise<UpstreamReport> {
  const host = hostOf(index);
  const targets = guarded.flatMap((path) => {
    const all = spellings(path, depth);
    const rewritten = path === guarded[0] ? all.map((target) => `/pub${target}`) : [];
    return [...all, ...(depth === 0 ? [] : rewritten), `/pub..${path}`, `/pub./..${path}`];
  });
  const direct = overHttp1(upstream.port);
  let passes = 0;
  for (const target of targets) if ((await direct.ask(target, host)).includes(GOODS)) passes++;
  direct.close();
  const clients = clientsOf(gateway);
  const leaks: string[] = [];
  let asked = 0;
  let served = 0;
  const plays = PROTOCOLS.map(async (protocol) => {
    const absolute = protocol === "HTTP/1.1" ? guarded.flatMap((path) => absoluteForms(path, host)) : [];
    for (const target of [...targets, ...absolute]) {
      const body = await clients[protocol].ask(target, host);
      asked++;
      if (body.includes(GOODS)) leaks.push(`${protocol} ${target}`);
    }
    for (const target of ["/free/x.txt", "/pub/x.txt"])
      if ((await clients[protocol].ask(target, host)) !== "") served++;
    clients[protocol].close();
  });
  await Promise.all(plays);
  return { upstream: upstream.name, direct: passes, asked, leaks, served };
}

/** Starts the servers and the gateway, and sends the corpus to each. */
export async function play(options: PlayOptions): Promise<Report> {
  const folder = new Folder();
  const { started, missing, stop } = await startUpstreams(folder, options.upstreams);
  try {
    const gateway = await startProtocols(configuration(started, folder.path));
    try {
      const plays = started.map(async (upstream, index) => {
        const row = await playOne({ gateway, upstream, index }, options);
        options.onRow?.(row);
        return row;
      });
      return { missing, rows: await Promise.all(plays) };
    } finally {
      await gateway.stop();
    }
  } finally {
    await stop();
    folder.remove();
  }
}
