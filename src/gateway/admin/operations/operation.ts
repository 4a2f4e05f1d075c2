import { type z } from "@hono/zod-openapi";
import { type ErrorCode } from "../../../lib/errors.ts";
import { type Guard, type Caller } from "../http/guard.ts";
import { type Connection } from "../http/connection.ts";
import { type AdminParts } from "../parts.ts";

/** A parameter of the query; `flag`: it may stand without a value. */
export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly flag?: true;
}

export interface BodyRule {
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** For the description: what is sent is checked as part of a whole configuration, or by the operation. */
  readonly schema: z.ZodType;
  readonly description: string;
}

/** What an operation answers if all goes well. */
export interface Success {
  readonly status: 200 | 201;
  readonly description: string;
  /** Of a JSON response. */
  readonly schema?: z.ZodType;
  /** Other media types that the response may have. */
  readonly types?: readonly string[];
  /** Fields of the head, and what each says. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that was let in. */
export interface Call {
  readonly request: Request;
  readonly connection: Connection;
  /** Undefined where anyone may call. */
  readonly caller: Caller | undefined;
  readonly guard: Guard;
  /** Of the path, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Undefined where the operation takes none. */
  readonly body: unknown;
}

/** One operation of the admin interface: its description as data, and the function that serves it. */
export interface Operation {
  readonly name: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** As in `/v1/routes/{prefix}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The least key that it takes. */
  readonly access: "anyone" | "read" | "full";
  /** Parts of the path, and what each is. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: readonly QueryParameter[];
  readonly body?: BodyRule;
  /** It takes If-Match and If-None-Match, and its response has an ETag. */
  readonly conditional?: true;
  readonly success: Success;
  /** What it can end in beside what every operation can. */
  readonly failures: readonly ErrorCode[];
  /** Rejects with a TurnpikeError. */
  run(call: Call, parts: AdminParts): Promise<Response> | Response;
}

/** Who called an operation that is not for everyone. */
export function callerOf({ caller }: Call): Caller {
  if (caller === undefined) throw new Error("Cannot tell who calls: the operation lets everyone in");
  return caller;
}

/** True where a flag of the query stands without a value, or with one that means yes. */
export function hasFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && !["0", "false", "no"].includes(value.toLowerCase());
}
