import { LOCAL_RESPONSE } from "../front/cases.ts";
import { type SetupName } from "./setups.ts";

/** The load of a case. */
export type Client =
  | {
      readonly kind: "wrk";
      readonly path: string;
      readonly connections: number;
      /** Each request has its own connection. */
      readonly isNew?: true;
      /** All requests are the same. Otherwise they differ in query, user agent and cookie, as those of many clients do. */
      readonly isSame?: true;
    }
  /** HTTP/2. With gRPC, each request is a unary call whose response is its own message. */
  | {
      readonly kind: "h2load" | "grpc";
      readonly path: string;
      readonly connections: number;
      /** Concurrent requests on each connection. */
      readonly streams: number;
    }
  /** Messages of this number of bytes, one in flight on each connection. */
  | { readonly kind: "websocket"; readonly connections: number; readonly bytes: number };

/** One load of the proxies of a set-up. */
export interface Case {
  readonly name: string;
  readonly about: string;
  readonly setup: SetupName;
  readonly client: Client;
  /** The unit that is counted if it is not requests. */
  readonly unit?: string;
}

const ONE = { kind: "wrk", path: "/small", connections: 1 } as const;
const WRK = { kind: "wrk", path: "/small", connections: 64 } as const;
const MULTIPLEXED = { connections: 16, streams: 16 } as const;
const MESSAGES = { kind: "websocket", connections: 64 } as const;

/** Cases of one set-up are adjacent. The first one is what a proxied request costs. A cache is only hit by a request that repeats. */
export const CASES: readonly Case[] = [
  { name: "mixed64", about: "small JSON, 64 connections", setup: "plain", client: WRK },
  { name: "mixed1", about: "small JSON, 1 connection", setup: "plain", client: ONE },
  {
    name: "same64",
    about: "small JSON, 64 connections, the same request again and again",
    setup: "plain",
    client: { ...WRK, isSame: true },
  },
  { name: "mixed512", about: "small JSON, 512 connections", setup: "plain", client: { ...WRK, connections: 512 } },
  { name: "64k", about: "64 KiB, 64 connections", setup: "plain", client: { ...WRK, path: "/64k" } },
  { name: "1m", about: "1 MiB, 64 connections", setup: "plain", client: { ...WRK, path: "/1m" } },
  {
    name: "connects",
    about: "small JSON, a new connection for each request, 64 at a time",
    setup: "plain",
    client: { ...WRK, isNew: true },
  },
  {
    name: "own",
    about: "a response of the proxy's own, 64 connections",
    setup: "plain",
    client: { ...WRK, path: LOCAL_RESPONSE },
  },
  {
    name: "h2-to-h1",
    about: "small JSON, HTTP/2 over TLS to HTTP/1.1, 16 connections of 16 streams",
    setup: "h2-to-h1",
    client: { kind: "h2load", path: "/small", ...MULTIPLEXED },
  },
  {
    name: "tls-upstream",
    about: "small JSON, 64 connections, to an upstream over TLS, verified",
    setup: "tls-upstream",
    client: WRK,
  },
  {
    name: "cache-hit",
    about: "cached JSON of 1 KiB, 64 connections",
    setup: "cache",
    client: { ...WRK, path: "/cached-1k", isSame: true },
  },
  {
    name: "cache-hit-64k",
    about: "cached 64 KiB, 64 connections",
    setup: "cache",
    client: { ...WRK, path: "/cached-64k", isSame: true },
  },
  {
    name: "ws-echo",
    about: "WebSocket echo of 125 bytes, 64 connections",
    setup: "websocket",
    client: { ...MESSAGES, bytes: 125 },
    unit: "msg",
  },
  {
    name: "ws-echo-16k",
    about: "WebSocket echo of 16 KiB, 64 connections",
    setup: "websocket",
    client: { ...MESSAGES, bytes: 16 * 1024 },
    unit: "msg",
  },
  {
    name: "grpc-unary",
    about: "gRPC calls of 64 bytes, HTTP/2 without TLS, 16 connections of 16 streams",
    setup: "grpc",
    client: { kind: "grpc", path: "/bench.Echo/Unary", ...MULTIPLEXED },
    unit: "call",
  },
];
