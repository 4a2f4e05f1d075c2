import { Hono } from "hono";
import { TurnpikeError } from "../lib/errors.ts";
import { readUpTo } from "../lib/http/response-bytes.ts";
import { JsonError, readJson as parseJson } from "../lib/json-schema/read-json.ts";
import { isEncoded } from "../lib/http/is-encoded.ts";
import { isJsonType } from "../lib/http/json-type.ts";
import { isRequestId } from "../lib/http/request-id.ts";
import { SETTLEMENT_OVERRIDES } from "../payments/x402/charge.ts";
import { apiDocument } from "./api/api-document.ts";
import {
  LLMS_PATH,
  llmsText,
  MCP_CATALOG_PATH,
  mcpCatalog,
  SERVER_CARD_PATHS,
  serverCard,
} from "./docs-page/discovery.ts";
import { LANDING_HEADERS, landingPage, pointers } from "./docs-page/landing.ts";
import { type DocumentedAt, docsHeaders, docsPage } from "./docs-page/page.ts";
import { type Figures } from "./figures/figures.ts";
import { METRICS_CONTENT_TYPE, modelMetrics } from "./figures/model-figures.ts";
import { type OperationCounts } from "./figures/operation-counts.ts";
import { checkedForm, isFormCheck } from "./api/form-check.ts";
import { baseUrlOf, hostOf } from "./api/gateway-address.ts";
import { firecrawlHandler, VERSIONS } from "./firecrawl/handler.ts";
import { operatorState } from "./jobs/job-state.ts";
import { type McpHttp } from "./mcp/mcp-http.ts";
import { chargeJob } from "./operations/job-requests.ts";
import { CHARGES } from "./operations/job-shapes.ts";
import {
  type OperationResult,
  type JsonParts,
  type Lines,
  NDJSON,
  type TextFeed,
  type Services,
} from "./operations/operation.ts";
import { type Responder, type Upgrade } from "./listen.ts";
import { FREE_REQUESTS, OPERATIONS } from "./operations/operations.ts";
import { LIVE_REQUESTS } from "./live-requests.ts";
import { readAddress, READER_PATH } from "./operations/reader-address.ts";
import { PageBurnt } from "./page/page-errors.ts";
import { type AskPrices } from "./api/price-list.ts";
import { SLOW_MS } from "./text-socket.ts";
import { problemResponse } from "./api/problem-response.ts";

/** Bytes of a request body. @operator The longest useful body is a script for `evaluate`. @internal */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Documents that describe the operations, for programs and for people. */
const DOCUMENTS = ["/", "/openapi.json", "/docs"];

/** Jobs that the operator sees. */
const OPERATOR_JOBS = 200;

/** The parts of the HTTP interface that not every service has. */
export interface AppOptions {
  /** Undefined: /mcp is not served. */
  readonly mcp?: Pick<McpHttp, "fetch"> | undefined;
  readonly prices: AskPrices;
  readonly operations?: OperationCounts;
  /** Serves Firecrawl's API too. Default: false. */
  readonly firecrawl?: boolean;
  /** Serves `/llms.txt`, and the server card and catalogue of MCP. Default: true. */
  readonly discovery?: boolean;
  /** The load of the service, served at /figures and /metrics. Undefined: they are not served. */
  readonly figures?: () => Figures;
}

/** Creates the content service's HTTP interface: a function from a request to its response, which never throws. */
export function createApp(
  services: Services,
  { mcp, prices, operations, figures, firecrawl = false, discovery = true }: AppOptions,
): Responder {
  const app = new Hono<{ Bindings: { upgrade: Upgrade | undefined } }>();
  if (mcp !== undefined) app.all("/mcp", async (context) => await mcp.fetch(context.req.raw));
  const documentFor = async (request: Request): Promise<DocumentedAt> => {
    const list = await prices(hostOf(request));
    return { document: apiDocument(baseUrlOf(request), list), list };
  };
  const serve = async (
    name: string,
    request: Request,
    run: (used: Services) => Promise<OperationResult>,
  ): Promise<Response> => {
    if (isFormCheck(request)) return await checkedForm(run, services);
    operations?.called(name);
    try {
      return respond(await run(services), request.signal);
    } catch (error) {
      operations?.failed(name, error instanceof TurnpikeError ? error.code : "internal");
      throw error;
    }
  };
  for (const { name, method, path, body, isUpload, run } of OPERATIONS) {
    const serveOne = async (raw: Request, used: Services): Promise<OperationResult> =>
      isUpload === true
        ? await used.uploads.with(raw, async (upload) => await run(upload, used, raw))
        : await run(body === undefined ? undefined : await readJson(raw), used, raw);
    app.on(method.toUpperCase(), path, async ({ req: { raw } }) => serve(name, raw, (used) => serveOne(raw, used)));
  }
  for (const path of [READER_PATH, `${READER_PATH}/*`]) {
    app.get(path, async ({ req: { raw } }) => serve("read", raw, (used) => readAddress(raw, used)));
  }
  for (const { method, path, run } of FREE_REQUESTS) {
    app.on(method.toUpperCase(), path.replace("{id}", ":id"), async (context) => {
      const { headers, signal, url } = context.req.raw;
      const id = context.req.param("id") ?? "";
      const result = await run({ id, headers, query: new URL(url).searchParams, signal }, services);
      return "socket" in result ? switched(result.socket, context.env.upgrade) : respond(result, signal);
    });
  }
  for (const [path, answer] of LIVE_REQUESTS)
    app.get(path, ({ env, req: { raw } }) => answer(services, raw, env.upgrade));
  if (discovery) {
    app.get(LLMS_PATH, async ({ req: { raw } }) => llmsText(await documentFor(raw), mcp !== undefined));
    if (mcp !== undefined) {
      for (const path of SERVER_CARD_PATHS) app.get(path, ({ req: { raw } }) => serverCard(baseUrlOf(raw)));
      app.get(MCP_CATALOG_PATH, ({ req: { raw } }) => mcpCatalog(baseUrlOf(raw)));
    }
  }
  app.post(`${CHARGES}/:id/:key`, async (context) => {
    const { id, key } = context.req.param();
    return context.json(await chargeJob({ id, key, word: await readJson(context.req.raw) }, services.jobs));
  });
  if (firecrawl) {
    const handle = firecrawlHandler(services, { readJson, respond, switched, operations, prices });
    for (const version of VERSIONS)
      app.all(`/${version}/*`, async ({ env, req: { raw } }) => await handle(raw, env.upgrade));
  }
  if (figures !== undefined) {
    // The figures are for the operator, who requests them without a gateway. A gateway always adds X-Forwarded-Proto.
    app.get("/figures", (context, next) =>
      context.req.header("x-forwarded-proto") === undefined ? context.json(figures()) : next(),
    );
    app.get("/jobs", async (context, next) =>
      context.req.header("x-forwarded-proto") === undefined
        ? context.json({
            jobs: (await services.jobs.newest(OPERATOR_JOBS)).map((job) => operatorState(job, services.jobs.isFull)),
          })
        : await next(),
    );
    app.delete("/jobs/:id", async (context, next) => {
      if (context.req.header("x-forwarded-proto") !== undefined) return await next();
      if (!(await services.jobs.stop(context.req.param("id"))))
        throw new TurnpikeError("not-found", "No such job runs");
      return context.json({ ok: true });
    });
    app.get("/metrics", (context, next) => {
      if (context.req.header("x-forwarded-proto") !== undefined) return next();
      const { model } = figures();
      const text = model === undefined ? "" : modelMetrics(model);
      return context.text(text, 200, { "content-type": METRICS_CONTENT_TYPE });
    });
  }
  app.get("/openapi.json", async (context) => context.json((await documentFor(context.req.raw)).document));
  app.get("/", async (context) => {
    const page = await documentFor(context.req.raw);
    const wantsPage = context.req.header("accept")?.includes("text/html") === true;
    if (!wantsPage) return context.json(pointers(page), 200, { vary: "Accept" });
    return context.body(landingPage(page), 200, LANDING_HEADERS);
  });
  app.get("/docs", async (context) => {
    const page = await documentFor(context.req.raw);
    return context.body(docsPage(page), 200, docsHeaders(page));
  });
  app.notFound((context) => {
    const { path } = context.req;
    const document = DOCUMENTS.includes(path) ? "GET" : undefined;
    const allowed = document ?? OPERATIONS.find((operation) => operation.path === path)?.method.toUpperCase();
    if (allowed === undefined) throw new TurnpikeError("not-found", "There is no such operation; see /docs");
    const allow = allowed === "GET" ? "GET, HEAD" : allowed;
    const error = new TurnpikeError("method-not-allowed", `This operation is called with ${allowed}`);
    return problemResponse(error, requestIdOf(context.req.raw), { allow });
  });
  app.onError((error, context) => {
    const requestId = requestIdOf(context.req.raw);
    if (error instanceof PageBurnt) return problemResponse(error, requestId, CHARGED);
    if (error instanceof TurnpikeError) return problemResponse(error, requestId);
    services.log("error", `Cannot serve a request: ${error.message}`, { request_id: requestId, stack: error.stack });
    return problemResponse(new TurnpikeError("internal", "Cannot serve the request: see the log"), requestId);
  });
  return async (request, upgrade) => await app.fetch(request, { upgrade });
}

/** Tells the gateway that it must not charge for this success. */
const FREE = { [SETTLEMENT_OVERRIDES]: '{"amount":"0"}' };

/** Tells the gateway to charge for this failure as for a success. */
const CHARGED = { [SETTLEMENT_OVERRIDES]: '{"amount":"100%"}' };

/** Switches to WebSocket. The response has no effect then. */
function switched(feed: TextFeed, upgrade: ((feed: TextFeed) => boolean) | undefined): Response {
  if (upgrade?.(feed) === true) return new Response();
  feed.close();
  throw new TurnpikeError("bad-request", "Cannot switch to WebSocket: the handshake is not valid");
}

function respond(response: OperationResult, signal: AbortSignal): Response {
  if ("parts" in response) {
    const headers = { ...(response.isFree ? FREE : {}), "content-type": "application/json" };
    return new Response(streamOf(response, signal), { headers });
  }
  if ("lines" in response) {
    const headers = { "content-type": response.contentType ?? NDJSON, "cache-control": "no-store" };
    return new Response(streamOfLines(response, signal), { headers });
  }
  const { charge } = response;
  const charged = charge === undefined ? {} : { [SETTLEMENT_OVERRIDES]: JSON.stringify({ amount: charge }) };
  if ("json" in response) {
    return Response.json(response.json, {
      status: response.status ?? 200,
      headers: { ...response.headers, ...charged },
    });
  }
  const { bytes, headers, contentType, status = 200 } = response;
  return new Response(bytes.length === 0 ? null : bytes, {
    status,
    headers: { ...headers, ...charged, "content-type": contentType },
  });
}

/** Makes the lines as the client reads them. */
function streamOfLines({ lines, lastWords = "" }: Lines, signal: AbortSignal): ReadableStream {
  const encoder = new TextEncoder();
  let slow: ReturnType<typeof setTimeout> | undefined;
  // If the stream is never read, it is never cancelled either.
  signal.addEventListener("abort", () => void lines.return(undefined), { once: true });
  return new ReadableStream({
    async pull(controller) {
      clearTimeout(slow);
      const { done, value } = await lines.next();
      if (done === true) return controller.close();
      controller.enqueue(encoder.encode(value));
      slow = setTimeout(() => {
        void lines.return(undefined);
        controller.enqueue(encoder.encode(lastWords));
        controller.close();
      }, SLOW_MS);
    },
    async cancel() {
      clearTimeout(slow);
      await lines.return(undefined);
    },
  });
}

function streamOf({ parts, release }: JsonParts, signal: AbortSignal): ReadableStream {
  let at = 0;
  // If the stream is never read, it is never cancelled either.
  signal.addEventListener("abort", release, { once: true });
  if (signal.aborted) release();
  return new ReadableStream({
    pull(controller) {
      const part = parts[at];
      at += 1;
      if (part !== undefined) {
        controller.enqueue(part);
        return;
      }
      release();
      controller.close();
    },
    cancel: release,
  });
}

/** The request id that the gateway or another proxy set; undefined if there is no valid one. */
function requestIdOf(request: Request): string | undefined {
  const id = request.headers.get("x-request-id");
  return id !== null && isRequestId(id) ? id : undefined;
}

/** Parses the body as strictly as a gateway that checks bodies. */
async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!isJsonType(type)) {
    throw new TurnpikeError("bad-request", "Cannot read the body: its Content-Type is not application/json in UTF-8");
  }
  if (isEncoded(request.headers)) {
    throw new TurnpikeError("bad-request", "Cannot read the body: it must not have a Content-Encoding");
  }
  const bytes = await readBytes(request);
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new TurnpikeError("bad-request", `Cannot read the body: it is not JSON in UTF-8: ${error.message}`);
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const bytes = await readUpTo(request, MAX_BODY_BYTES);
  if (bytes !== undefined) return bytes;
  throw new TurnpikeError("body-too-large", `Cannot read the body: it has more than ${MAX_BODY_BYTES} bytes`);
}
