import { Hono } from "hono";
import { PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../lib/errors.ts";
import { isRequestId } from "../lib/request-id.ts";
import { apiDocument } from "./api-document.ts";
import { DOCS_HEADERS, docsPage } from "./docs-page/page.ts";
import { type McpHttp } from "./mcp/mcp-http.ts";
import { type Answer, type Services } from "./operations/operation.ts";
import { OPERATIONS } from "./operations/operations.ts";

/** A request body may have this many bytes; the longest that makes sense is a script for `evaluate`. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** What describes the operations, for programs and for people. */
const DOCUMENTS = ["/openapi.json", "/docs"];

const RETRY_AFTER_SECONDS = "2";
const HOST = /^[\w.-]{1,253}(?::\d{1,5})?$|^\[[\da-fA-F:.]+\](?::\d{1,5})?$/;

/** The content service's HTTP interface: a function from a request to its answer, which never throws. */
export function createApp(services: Services, mcp?: Pick<McpHttp, "fetch">): (request: Request) => Promise<Response> {
  const app = new Hono();
  if (mcp !== undefined) app.all("/mcp", async (context) => await mcp.fetch(context.req.raw));
  for (const operation of OPERATIONS) {
    app.on(operation.method.toUpperCase(), operation.path, async (context) => {
      const request = context.req.raw;
      const body = operation.body === undefined ? undefined : await readJson(request);
      return respond(await operation.run(body, services, request.signal));
    });
  }
  app.get("/openapi.json", (context) => context.json(apiDocument(baseUrlOf(context.req.raw))));
  app.get("/docs", (context) => {
    return context.body(docsPage(apiDocument(baseUrlOf(context.req.raw))), 200, DOCS_HEADERS);
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
    if (error instanceof TurnpikeError) return problemResponse(error, requestId);
    services.log("error", `Cannot serve a request: ${error.message}`, { request_id: requestId, stack: error.stack });
    return problemResponse(new TurnpikeError("internal", "Cannot serve the request: see the log"), requestId);
  });
  return async (request) => await app.fetch(request);
}

function respond(answer: Answer): Response {
  if ("json" in answer) return Response.json(answer.json);
  return new Response(answer.bytes, { headers: { ...answer.headers, "content-type": answer.contentType } });
}

function problemResponse(
  error: TurnpikeError,
  requestId: string | undefined,
  extra?: Record<string, string>,
): Response {
  const headers: Record<string, string> = { "content-type": PROBLEM_CONTENT_TYPE, ...extra };
  if (error.status === 503) headers["retry-after"] = RETRY_AFTER_SECONDS;
  return new Response(JSON.stringify(toProblem(error, requestId)), { status: error.status, headers });
}

/** The id that the gateway, or whoever stands before us, gave the request. */
function requestIdOf(request: Request): string | undefined {
  const id = request.headers.get("x-request-id");
  return id !== null && isRequestId(id) ? id : undefined;
}

async function readJson(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new TurnpikeError("unsupported-media-type", "Cannot read the body: its Content-Type is not application/json");
  }
  const bytes = await readBytes(request);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new TurnpikeError("bad-request", "Cannot read the body: it is not JSON in UTF-8");
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      throw new TurnpikeError("body-too-large", `Cannot read the body: it has more than ${MAX_BODY_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function baseUrlOf(request: Request): string {
  const host = request.headers.get("x-forwarded-host") ?? request.headers.get("host") ?? "";
  const scheme = request.headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return HOST.test(host) ? `${scheme}://${host}` : "/";
}
