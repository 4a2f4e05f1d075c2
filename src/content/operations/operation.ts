import { type z } from "@hono/zod-openapi";
import { type ErrorCode, type FieldError, TurnpikeError } from "../../lib/errors.ts";
import { type BrowserInfo, type Log } from "../browser/pool.ts";
import { type BrowserHealth } from "../health/browser-probe.ts";
import { type PageReader } from "../page-reader/page-reader.ts";
import { type Resolver } from "../resolve/resolver.ts";
import { type Search } from "../search/search.ts";

/** What operations work with. */
export interface Services {
  readonly pages: PageReader;
  readonly search: Search;
  readonly resolver: Pick<Resolver, "resolve">;
  readonly browser: Pick<BrowserInfo, "name" | "version" | "sandboxed"> | undefined;
  readonly browserHealth: () => Promise<BrowserHealth>;
  readonly log: Log;
}

/** A response that is a success: a JSON value, JSON in pieces, or bytes of some type. */
export type Answer =
  | { readonly json: Readonly<Record<string, unknown>> }
  | JsonParts
  | {
      readonly bytes: Uint8Array<ArrayBuffer>;
      readonly contentType: string;
      /** What is told beside the bytes, in ASCII. */
      readonly headers?: Readonly<Record<string, string>>;
    };

/** A long JSON response. */
export interface JsonParts {
  readonly parts: readonly Uint8Array[];
  /** Called once or more when the pieces are sent, or nobody wants them. */
  readonly release: () => void;
  /** Whether nothing is to be paid for it. */
  readonly isFree: boolean;
}

/** What an operation gives when all goes well, for its description. */
export interface SuccessDescription {
  readonly description: string;
  readonly contentType: string;
  /** The other types that a binary answer may have, as the request asks. */
  readonly otherTypes?: readonly string[];
  /** Fields of the response's head, and what each says. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The schema of a JSON response; undefined for binary ones. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
}

/** One operation of the web content API: its description as data, and the one function that serves it. */
export interface Operation {
  /** Its name in metrics, documents and on the command line. */
  readonly name: string;
  readonly method: "get" | "post";
  readonly path: string;
  /** What the shipped configuration asks for a call, as "$0.005"; undefined where it is free. What a gateway asks is in its price list. */
  readonly price: string | undefined;
  readonly summary: string;
  readonly description: string;
  /** The request body's schema; undefined where there is no body. */
  readonly body: z.ZodType | undefined;
  readonly example: Readonly<Record<string, unknown>> | undefined;
  readonly success: SuccessDescription;
  readonly failures: readonly ErrorCode[];
  /** Serves a parsed, not yet checked body. Fails with a TurnpikeError. */
  run(body: unknown, services: Services, signal: AbortSignal): Promise<Answer>;
}

/** An operation whose body is checked by `body` before `run` sees it. */
export function postOperation<S extends z.ZodType>(
  description: Omit<Operation, "run" | "method" | "body"> & { readonly body: S },
  run: (input: z.output<S>, services: Services, signal: AbortSignal) => Promise<Answer>,
): Operation {
  return {
    ...description,
    method: "post",
    run: async (body, services, signal) => await run(checkBody(description.body, body), services, signal),
  };
}

/** Errors that a response lists, and characters of a field's name in them: a caller's words come back in part. */
const MAX_FIELD_ERRORS = 20;
const MAX_PATH_LENGTH = 100;

/** The body as `schema` reads it. Fails with `invalid-parameters`, which names every field that is wrong. */
export function checkBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const all = result.error.issues.flatMap(fieldErrors);
  // One thing that is wrong with a field is enough to say: an empty URL is no URL either.
  const errors = [...Map.groupBy(all, ({ path }) => path).values()]
    .flatMap(([first]) => first ?? [])
    .slice(0, MAX_FIELD_ERRORS);
  throw invalidParameters(errors.map(({ path, message }) => ({ path: path.slice(0, MAX_PATH_LENGTH), message })));
}

/** The error of a request whose fields are not as they must be; its detail names the first of them. */
export function invalidParameters(errors: readonly FieldError[]): TurnpikeError {
  const [first] = errors;
  const where = first === undefined || first.path === "" ? "the body" : `'${first.path}'`;
  return new TurnpikeError("invalid-parameters", `Cannot take the request: ${where} ${first?.message ?? ""}`, errors);
}

function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: path === "" ? key : `${path}.${key}`,
      message: "is not a field of this operation",
    }));
  }
  return [{ path, message: describe(issue) }];
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_type") {
    return issue.input === undefined ? "is required" : `must be of type ${issue.expected}`;
  }
  if (issue.code === "too_small" && issue.minimum === 1 && ["string", "array"].includes(issue.origin)) {
    return "must not be empty";
  }
  if (issue.code === "too_big") return `must be at most ${issue.maximum}${unitOf(issue.origin)}`;
  if (issue.code === "too_small") return `must be at least ${issue.minimum}${unitOf(issue.origin)}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  return issue.message;
}

function unitOf(origin: string): string {
  if (origin === "string") return " characters";
  return origin === "array" ? " items" : "";
}
