import { type Context, Hono } from "hono";
import { type HostCheck } from "../../lib/http/allowed-hosts.ts";
import { messageOf } from "../../lib/caught.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { isRequestId, nextRequestId } from "../../lib/http/request-id.ts";
import { type ConsoleFile, consoleResponse } from "./console/console-files.ts";
import { type Call, type Operation } from "./operations/operation.ts";
import { type AdminParts } from "./operations/parts.ts";
import { checkType, readJson } from "./http/body.ts";
import { type Incoming } from "./http/exchange.ts";
import { type Guard, TooManyTries } from "./http/guard.ts";
import { checkHost } from "./http/own-host.ts";
import { problemResponse } from "./http/problem.ts";

interface Env {
  readonly Bindings: Incoming & { readonly requestId: string };
}

/** The operations and the files that the admin interface serves, and their services. */
export interface AppDeps {
  readonly parts: AdminParts;
  readonly guard: Guard;
  readonly operations: readonly Operation[];
  readonly files: ReadonlyMap<string, ConsoleFile>;
  /** True for a host under which clients may reach the interface. */
  readonly isOwnHost: HostCheck;
  readonly onError: (error: unknown) => void;
}

/** Fields of every response. The console's files have their own Cache-Control. */
const SAFE: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};
/** Characters of a request target. */
const MAX_TARGET = 4096;

/** The admin interface: a function from a request to its response. It never rejects. */
export function createApp(deps: AppDeps): (incoming: Incoming) => Promise<Response> {
  const app = new Hono<Env>();
  for (const [path, file] of deps.files) app.get(path, (context) => consoleResponse(file, context.req.raw));
  for (const operation of deps.operations) {
    const handle: Handle = (context) => serve(operation, context, deps);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method.toUpperCase(), path, operation.body?.isUnread === true ? fewAtOnce(handle) : handle);
  }
  const methods = allowedMethods(deps);
  app.notFound((context) => refuse(context, deps, methods));
  app.onError((error, { env }) => errorResponse(error, env.requestId, deps));
  return async (incoming) => {
    const { request } = incoming;
    const given = request.headers.get("x-request-id") ?? "";
    const requestId = isRequestId(given) ? given : nextRequestId();
    const response = await serverResponse(incoming, requestId);
    for (const [name, value] of Object.entries(SAFE)) response.headers.set(name, value);
    if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
    response.headers.set("x-request-id", requestId);
    return response;
  };

  async function serverResponse(incoming: Incoming, requestId: string): Promise<Response> {
    try {
      checkHost(incoming.authorities, incoming.connection, deps.isOwnHost);
      checkTarget(incoming.request);
      return await app.fetch(incoming.request, { ...incoming, requestId });
    } catch (error) {
      return errorResponse(error, requestId, deps);
    }
  }
}

/** Throws if the path cannot be decoded: the gateway must not guess a route's name. */
function checkTarget({ url }: Request): void {
  if (url.length > MAX_TARGET)
    throw new TurnpikeError(
      "uri-too-long",
      `Cannot read the request: its target has more than ${MAX_TARGET} characters`,
    );
  try {
    decodeURIComponent(new URL(url).pathname);
  } catch {
    throw new TurnpikeError("bad-path", "Cannot read the path: it has an invalid percent escape, or is not UTF-8");
  }
}

type Handle = (context: Context<Env>) => Promise<Response>;

/** Requests of one operation with a whole configuration that are handled at one time. Another one gets 503. @operator */
const MAX_LARGE_REQUESTS = 4;

function fewAtOnce(handle: Handle): Handle {
  let running = 0;
  return async (context) => {
    if (running >= MAX_LARGE_REQUESTS) {
      throw new TurnpikeError(
        "overloaded",
        "Cannot read the configuration now: too many others are being read; try again",
      );
    }
    running++;
    try {
      return await handle(context);
    } finally {
      running--;
    }
  };
}

async function serve(operation: Operation, context: Context<Env>, deps: AppDeps): Promise<Response> {
  const { request, connection, readBody } = context.env;
  const { guard, parts } = deps;
  const { access, body: rule } = operation;
  const query = new URL(request.url).searchParams;
  const changes = operation.method !== "get" || query.has("reset");
  const caller = access === "anyone" ? undefined : guard.admit(request.headers, connection, changes);
  if (access === "full" && caller?.access !== "full") throw readOnly();
  for (const name of Object.keys(operation.query ?? {})) {
    if (query.getAll(name).length > 1)
      throw new TurnpikeError("bad-request", `Cannot read the query: it has ${name} twice`);
  }
  if (rule !== undefined) checkType(request.headers, rule.types);
  const bytes = rule && (await readBody(rule.maxBytes));
  const body = bytes === undefined || rule?.isUnread === true ? bytes : readJson(bytes);
  const parameters = context.req.param();
  const call: Call = { request, connection, caller, guard, parameters, query, body };
  return await operation.run(call, parts);
}

function readOnly(): TurnpikeError {
  return new TurnpikeError("forbidden", "Cannot make changes with the read-only key");
}

/** The methods of each path pattern. */
function allowedMethods({ operations, files }: AppDeps): readonly (readonly [RegExp, ReadonlySet<string>])[] {
  const byPath = new Map<string, Set<string>>();
  const add = (path: string, method: string): void => {
    const methods = byPath.getOrInsertComputed(path, () => new Set(["OPTIONS"])).add(method);
    if (method === "GET") methods.add("HEAD");
  };
  for (const path of files.keys()) add(path, "GET");
  for (const { path, method } of operations) add(path, method.toUpperCase());
  return [...byPath].map(([path, methods]) => [
    new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`),
    methods,
  ]);
}

/** Refuses a request for no operation. Below /v1, only clients with a valid key learn which paths exist. */
function refuse(
  { env }: Context<Env>,
  { guard }: AppDeps,
  methods: readonly (readonly [RegExp, ReadonlySet<string>])[],
): Response {
  const { request, connection, requestId } = env;
  const { pathname } = new URL(request.url);
  const allowed = methods.find(([pattern]) => pattern.test(pathname))?.[1];
  const allow = allowed === undefined ? undefined : [...allowed].toSorted().join(", ");
  if (request.method === "OPTIONS" && allow !== undefined)
    return new Response(null, { status: 204, headers: { allow } });
  if (/^\/v1(?:\/|$)/.test(pathname)) guard.admit(request.headers, connection, false);
  if (allow === undefined) throw unknownPath();
  const error = new TurnpikeError("method-not-allowed", `Cannot use ${request.method} at this path`);
  return problemResponse(error, requestId, { allow });
}

function unknownPath(): TurnpikeError {
  return new TurnpikeError("not-found", "Cannot find this path; /v1/openapi.json lists all paths");
}

function errorResponse(error: unknown, requestId: string, { onError }: AppDeps): Response {
  if (error instanceof TooManyTries) {
    return problemResponse(error, requestId, { "retry-after": String(error.retryAfterSeconds) });
  }
  if (error instanceof TurnpikeError) return problemResponse(error, requestId);
  onError(new Error(`Cannot serve an admin request: ${messageOf(error)}`, { cause: error }));
  return problemResponse(new TurnpikeError("internal", "Cannot serve the request: see the log"), requestId);
}
