import { type z } from "@hono/zod-openapi";
import { type ErrorCode } from "../../../lib/errors.ts";
import { type Guard, type Caller } from "../http/guard.ts";
import { type Connection } from "../http/connection.ts";
import { type AdminParts } from "./parts.ts";

/** The media types, the size in bytes and the shape of an operation's request body. */
export interface BodyRule {
  readonly types: readonly string[];
  readonly maxBytes: number;
  /** For the description only. The body is checked as part of a whole configuration, or by the operation. */
  readonly schema: z.ZodType;
  readonly description: string;
  /** The operation gets the bytes, and reads them beside traffic. */
  readonly isUnread?: true;
}

export interface Success {
  /** 200 by default. */
  readonly status?: 201;
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Other media types of the response. */
  readonly types?: readonly string[];
  /** Response fields besides the ETag of a conditional operation, and the meaning of each. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Call {
  readonly request: Request;
  readonly connection: Connection;
  /** Undefined if the operation needs no key. */
  readonly caller: Caller | undefined;
  readonly guard: Guard;
  /** Path parameters, decoded. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Undefined if the operation accepts no body. */
  readonly body: unknown;
}

/** One operation of the admin interface: its description as data, and the function that serves it. */
export interface Operation {
  readonly name: string;
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** For example `/v1/routes/{prefix}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The access that it needs at least. */
  readonly access: "anyone" | "read" | "full";
  /** Parameters of the path and of the query, and the meaning of each. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: BodyRule;
  /** It accepts If-Match and If-None-Match, and its response has an ETag. */
  readonly conditional?: true;
  readonly success: Success;
  /** Errors that it can end with, besides those of every operation. */
  readonly failures?: readonly ErrorCode[];
  /** Rejects with a TurnpikeError. */
  run(call: Call, parts: AdminParts): Promise<Response> | Response;
}

type Method = Operation["method"];

/** An operation of a table. Without `access`, a GET needs access to read, and another method full access. */
export type PlacedOperation = Omit<Operation, "method" | "path" | "access"> & Partial<Pick<Operation, "access">>;

/** The operations of a table by method and path, such as `GET /v1/routes/{prefix}`. */
export function operationTable(
  table: Readonly<Record<`${Uppercase<Method>} /v1/${string}`, PlacedOperation>>,
): readonly Operation[] {
  return Object.entries(table).map(([place, operation]) => {
    const [method = "", path = ""] = place.split(" ");
    const access = method === "GET" ? "read" : "full";
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys begin with a method
    return { access, ...operation, method: method.toLowerCase() as Method, path };
  });
}

/** The caller of an operation that needs a key. */
export function callerOf({ caller }: Call): Caller {
  if (caller === undefined) throw new Error("Cannot name the caller: the operation requires no key");
  return caller;
}

/** True if the query has this flag without a value, or with a value that means yes. */
export function hasFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && !["0", "false", "no"].includes(value.toLowerCase());
}
