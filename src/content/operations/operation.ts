import { type z } from "@hono/zod-openapi";
import { type ErrorCode, type FieldError, TurnpikeError } from "../../lib/errors.ts";
import { compileSchema, type Schema, TooCostly } from "../../lib/json-schema/compile-schema.ts";
import { type Json } from "../../lib/json-schema/json.ts";
import { type PageVersions } from "../changes/page-versions.ts";
import { type Jobs } from "../jobs/jobs.ts";
import { type DeferredPayment, deferredPayment, isUnproven, paymentName } from "../jobs/sale.ts";
import { type LiveBrowsers } from "../live/live-browsers.ts";
import { type SiteMapper } from "../map/site-mapper.ts";
import { type BrowserInfo, type Log } from "../browser/program/browser-opener.ts";
import { type BrowserHealth } from "../health/browser-probe.ts";
import { type PageSource } from "../page/page.ts";
import { type PageReader, type Pages } from "../page-reader/page-reader.ts";
import { type Resolver } from "../resolve/resolver.ts";
import { type Search } from "../search/search.ts";
import { inSession, type Sessions } from "../sessions/sessions.ts";
import { sessionSecret } from "./session-parameters.ts";
import { type Extractors } from "./extractors.ts";
import { type FieldRule } from "./field-rules.ts";
import { type Uploads } from "./upload.ts";

export interface Services {
  readonly pages: Pages;
  readonly search: Search;
  readonly uploads: Pick<Uploads, "with" | "checkLength">;
  readonly files: Pick<PageReader, "readFile">;
  /** The charge for a file of the caller. Undefined: the whole price. */
  readonly fileChargeOf: (file: PageSource) => string | undefined;
  /** The charge for a page, as a percentage of the price. Undefined: the whole price. */
  readonly chargeOf: (page: PageSource) => string | undefined;
  /** Undefined: the service keeps no versions. */
  readonly versions: PageVersions | undefined;
  readonly extractors: Pick<Extractors, "find" | "keep">;
  readonly sites: Pick<SiteMapper, "links">;
  readonly jobs: Jobs;
  readonly sessions: Sessions;
  /** Undefined: no browsers are sold by the minute. */
  readonly live: LiveBrowsers | undefined;
  readonly resolver: Pick<Resolver, "resolve" | "modelFigures" | "fieldModel" | "summaryModel" | "schemaModel">;
  readonly browser: Pick<BrowserInfo, "name" | "version" | "sandboxed"> | undefined;
  readonly browserHealth: () => Promise<BrowserHealth>;
  readonly log: Log;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** The media type of JSON texts, one a line. */
export const NDJSON = "application/x-ndjson";

export interface Call {
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Whether the client accepts a response of this type, which it has to name. */
  readonly accepts: (type: string) => boolean;
  /** The payer that the gateway names (`x402.payment_fields`); otherwise empty. */
  readonly payer: string;
  /** The name of the payment; empty if none is known. A request that is sent again has the same one. */
  readonly payment: string;
  /** The payment that the gateway charges later. Undefined: the response is paid for as it is, or free. */
  readonly deferred: DeferredPayment | undefined;
  /** Only a client that has the response is known to have paid (`isUnproven`). */
  readonly unproven: boolean;
  /** Whole milliseconds since the call began. */
  readonly elapsedMs: () => number;
}

/** A successful response: a JSON value, JSON in pieces, lines that are made while they are sent, or bytes with a content type. */
export type OperationResult =
  | {
      readonly json: Readonly<Record<string, unknown>>;
      /** Default: 200. */
      readonly status?: number;
      /** Header fields of the response, in ASCII. */
      readonly headers?: Readonly<Record<string, string>>;
      /** The charge, as a percentage of the price. Undefined: the whole price. */
      readonly charge?: string | undefined;
    }
  | JsonParts
  | Lines
  | {
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** Default: 200. */
      readonly status?: number;
      readonly contentType: string;
      /** Header fields of the response, in ASCII. */
      readonly headers?: Readonly<Record<string, string>>;
      readonly charge?: string | undefined;
    };

/** Texts that are made while they are sent. The generator is ended if the client goes away, and waits while it reads slowly. */
export interface Lines {
  readonly lines: AsyncGenerator<string>;
  /** Default: JSON texts, one a line. */
  readonly contentType?: string;
  /** Sent to a client that reads too slowly, before its response is broken off. */
  readonly lastWords?: string;
}

/** Messages for a WebSocket. The generator returns true if the last one was sent, and false if the service closes. */
export interface TextFeed {
  readonly texts: AsyncGenerator<string, boolean>;
  /** The selected subprotocol. */
  readonly protocol: string | undefined;
  /** Called when the client has gone. */
  readonly close: () => void;
}

/** The parts of an HTTP request that a call uses. */
export type CallRequest = Pick<Request, "signal" | "headers">;

export interface JsonParts {
  readonly parts: readonly Uint8Array[];
  /** Called once or more when the pieces were sent, or the client has gone. */
  readonly release: () => void;
  /** True if the response is free of charge. */
  readonly isFree: boolean;
}

/** The successful response of an operation, for the API's description. */
export interface SuccessDescription {
  readonly description: string;
  /** Default: 200. */
  readonly status?: number;
  /** Default: JSON. */
  readonly contentType?: string;
  /** Further content types of the response, which the request can select. */
  readonly otherTypes?: readonly string[];
  /** The name of a file with a binary response, without extension. */
  readonly file?: string;
  /** Header fields of the response, each with its description. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The schema of a JSON response; undefined for a binary response. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
}

/** One operation of the web content API: its description as data, and the function that serves it. */
export interface Operation {
  /** Its name in metrics, documentation and on the command line. */
  readonly name: string;
  readonly method: "get" | "post";
  readonly path: string;
  /**
   * The price of a call in the shipped configuration, such as "$0.005"; undefined if it is free. A gateway's own prices
   * are in its price list.
   */
  readonly price: string | undefined;
  readonly summary: string;
  readonly description: string;
  /** The schema of the request body; undefined if the operation has no body. */
  readonly body: z.ZodType | undefined;
  /** Rules between the fields of the body, which its schema does not have. */
  readonly rules?: readonly FieldRule[];
  /** The body may also be a file, alone or in a form: `run` gets an `Upload`. */
  readonly isUpload?: true;
  readonly example: Readonly<Record<string, unknown>> | undefined;
  readonly success: SuccessDescription;
  /** The other successful response of an operation that may start a job (202). */
  readonly started?: Pick<SuccessDescription, "description" | "schema" | "example">;
  readonly failures: readonly ErrorCode[];
  /** Serves a body that is parsed but not yet checked. Fails with a TurnpikeError. */
  readonly run: (body: unknown, services: Services, request: CallRequest) => Promise<OperationResult>;
}

/** An operation whose body is checked with `body` and `rules` before `run` gets it. */
export function postOperation<S extends z.ZodType>(
  description: Omit<Operation, "run" | "method" | "body"> & { readonly body: S },
  run: (input: z.output<S>, services: Services, call: Call) => Promise<OperationResult>,
): Operation {
  const { rules = [] } = description;
  let compiled: Schema | undefined;
  return {
    ...description,
    method: "post",
    run: async (body, services, { signal, headers }) => {
      const input = checkBody(description.body, body);
      // The compiler takes memory (bench start).
      compiled ??= compileSchema({ allOf: [true, ...rules] }, { checksFormats: true });
      checkRules(compiled, body);
      const accepts = (type: string): boolean => headers.get("accept")?.includes(type) === true;
      const payer = headers.get("turnpike-payer") ?? "";
      const deferred = deferredPayment(headers);
      const paid = { payer, payment: paymentName(headers), deferred, unproven: isUnproven(headers) };
      const call = { signal, accepts, ...paid, elapsedMs: stopwatch(services.now) };
      return await withSession({ input, headers, call }, services, (used, caller) => run(input, used, caller));
    },
  };
}

/** Calls `run` with services that load pages in the session that the input names, if it names one. */
async function withSession<T>(
  { input, headers, call }: { readonly input: unknown; readonly headers: Headers; readonly call: Call },
  services: Services,
  run: (services: Services, call: Call) => Promise<T>,
): Promise<T> {
  const given = typeof input === "object" && input !== null ? (input as Readonly<Record<string, unknown>>) : {}; // any object
  const { session: id, session_secret: secret } = given;
  if (typeof id !== "string") return await run(services, call);
  const key = typeof secret === "string" ? secret : sessionSecret(headers);
  return await services.sessions.using(id, key, (state, lost) =>
    run(
      { ...services, pages: inSession(services.pages, state) },
      { ...call, signal: AbortSignal.any([call.signal, lost]) },
    ),
  );
}

/** Starts a watch: the result gives the whole milliseconds since then. `now` is in milliseconds. */
export function stopwatch(now: () => number): () => number {
  const startedAt = now();
  return () => Math.round(now() - startedAt);
}

/**
 * Errors that a response lists, and characters of a field's name in them, because a part of the caller's text is
 * returned.
 */
const MAX_FIELD_ERRORS = 20;
const MAX_PATH_LENGTH = 100;

/** The body as parsed by `schema`. Throws `invalid-parameters`, which names every invalid field. */
export function checkBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const all = result.error.issues.flatMap(fieldErrors);
  // One error for each field is enough: an empty URL is not a URL either.
  const errors = [...Map.groupBy(all, ({ path }) => path).values()]
    .flatMap(([first]) => first ?? [])
    .slice(0, MAX_FIELD_ERRORS);
  throw invalidParameters(errors.map(({ path, message }) => ({ path: path.slice(0, MAX_PATH_LENGTH), message })));
}

/** Throws `invalid-parameters` if the body, which is JSON, does not keep the rules between its fields. */
function checkRules(rules: Schema, body: unknown): void {
  let errors: readonly FieldError[];
  try {
    errors = rules.problemsOf(body as Json); // It was parsed.
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error;
    errors = [{ path: "", message: `takes too long to check: ${error.message}` }];
  }
  if (errors.length === 0) return;
  throw invalidParameters(
    errors.map(({ path, message }) => ({ path: path.slice(1, MAX_PATH_LENGTH).replaceAll("/", "."), message })),
  );
}

/** The error of a request with invalid fields. Its detail names the first of them. */
export function invalidParameters(errors: readonly FieldError[]): TurnpikeError {
  const [first] = errors;
  const where = first === undefined || first.path === "" ? "the body" : `'${first.path}'`;
  return new TurnpikeError("invalid-parameters", `Cannot accept the request: ${where} ${first?.message ?? ""}`, errors);
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
  if (issue.input === undefined && (issue.code === "invalid_type" || issue.code === "invalid_value"))
    return "is required";
  if (issue.code === "invalid_type") return `must be of type ${issue.expected}`;
  if (issue.code === "invalid_key") return issue.issues[0] === undefined ? issue.message : describe(issue.issues[0]);
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
