/** What rules across keys read (a draft) and where they report findings; issue.ts has the problems of single values. */
import { type z } from "zod";
import { type Config, configSchema, type RouteConfig, type UpstreamConfig } from "./config.ts";
import { type Finding, listAt, valueAt } from "./finding.ts";
import { route } from "./schema/routes.ts";
import { upstream } from "./schema/upstreams.ts";

type Section =
  | "server"
  | "timeouts"
  | "buffer_pool"
  | "tls"
  | "http2"
  | "quic"
  | "admin"
  | "x402"
  | "postgres"
  | "cors";

/**
 * What stands of a configuration: a section or item that has problems of its own is undefined. Rules across keys run
 * on this, so that one mistake does not hide the others.
 */
export type Draft = { readonly [K in Section]: Config[K] | undefined } & {
  readonly upstreams: readonly (UpstreamConfig | undefined)[];
  readonly routes: readonly (RouteConfig | undefined)[];
  /** The file's own value, without unknown keys. */
  readonly raw: unknown;
};

/** Takes what rules find. */
export interface Report {
  problem(path: string, message: string): void;
  warning(path: string, message: string): void;
}

function part<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | undefined {
  const result = schema.safeParse(value);
  return result.success ? result.data : undefined;
}

/** Reads every section and item by itself. */
export function draftOf(raw: unknown): Draft {
  const { shape } = configSchema;
  return {
    server: part(shape.server, valueAt(raw, ["server"])),
    timeouts: part(shape.timeouts, valueAt(raw, ["timeouts"])),
    buffer_pool: part(shape.buffer_pool, valueAt(raw, ["buffer_pool"])),
    tls: part(shape.tls, valueAt(raw, ["tls"])),
    http2: part(shape.http2, valueAt(raw, ["http2"])),
    quic: part(shape.quic, valueAt(raw, ["quic"])),
    admin: part(shape.admin, valueAt(raw, ["admin"])),
    x402: part(shape.x402, valueAt(raw, ["x402"])),
    cors: part(shape.cors, valueAt(raw, ["cors"])),
    postgres: part(shape.postgres, valueAt(raw, ["postgres"])),
    upstreams: listAt(raw, ["upstreams"]).map((item) => part(upstream, item)),
    routes: listAt(raw, ["routes"]).map((item) => part(route, item)),
    raw,
  };
}

/** A report that gathers findings. */
export function gather(problems: Finding[], warnings: Finding[]): Report {
  return {
    problem: (path, message) => void problems.push({ path, message }),
    warning: (path, message) => void warnings.push({ path, message }),
  };
}
