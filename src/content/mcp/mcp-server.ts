import { type CallToolResult, ProtocolError, Server, type ServerContext } from "@modelcontextprotocol/server";
import { VERSION } from "../../lib/process/version.ts";
import { isServed, type PriceList } from "../api/price-list.ts";
import { type Operation } from "../operations/operation.ts";
import { isObject } from "../../lib/is-object.ts";
import { PAYMENT_FAILED_CODE, PAYMENT_REQUIRED_CODE, REQUIRED_KEY } from "../../payments/mpp/mcp.ts";
import { callTool, type Gateway, hasCredential } from "./tool-call.ts";
import { failure } from "./tool-result.ts";
import { JOB_TOOLS, listedJobTool } from "./job-tools.ts";
import { costText, isFree, type Tool, tools } from "./tools.ts";

/** Tool calls in progress at one time, over all connections. */
const MAX_CALLS = 64;
/** Milliseconds between two progress messages of a call whose client asked for them. */
const PROGRESS_MS = 5000;

/** JSON-RPC's code of invalid parameters. */
const INVALID_PARAMS = -32_602;

const INFO = { name: "turnpike", title: "Turnpike web content", version: VERSION };
const INSTRUCTIONS =
  "Web search, pages as Markdown, text, data, PDF and pictures, and QR codes. Each call costs what its tool says. A call that " +
  "is not paid for ends in an x402 challenge; failed calls cost nothing, unless the operator charges for pages that use up " +
  "their own time: such a failure has a receipt. crawl, and batch with async, start a job and return at once: read it with " +
  "job_status and job_results. Tools are listed in a short form: the resource turnpike://tools/NAME has all bounds and defaults of one.";

/** The beginning of the URI of a tool's whole description. */
const TOOL_URI = "turnpike://tools/";

/** Begins a call and returns the function that ends it; undefined if too many calls are in progress. */
export type Admit = () => (() => void) | undefined;

/** Allows MAX_CALLS at one time, over all servers that share it. */
export function callLimit(): Admit {
  let calls = 0;
  return () => {
    if (calls >= MAX_CALLS) return undefined;
    calls += 1;
    return () => {
      calls -= 1;
    };
  };
}

/** An MCP server for the content operations. It passes calls to the gateway, and holds no money and no content. */
export function createMcpServer(gateway: (context: ServerContext) => Gateway, admit: Admit): Server {
  const server = new Server(INFO, { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler("tools/list", async (_, context) => {
    const list = await gateway(context).prices();
    const form = URL.parse(context.http?.req?.url ?? "")?.searchParams.get("tools") === "whole" ? "whole" : "brief";
    const jobs = isServed("/crawl", list) || isServed("/batch", list) ? JOB_TOOLS.map(listedJobTool) : [];
    return { tools: [...served(list).map((tool) => listedTool(tool, list, form)), ...jobs] };
  });
  server.setRequestHandler("resources/list", async (_, context) => {
    const list = await gateway(context).prices();
    return {
      resources: served(list).map(({ operation: { name, summary } }) => ({
        uri: TOOL_URI + name,
        name,
        title: summary,
        mimeType: "application/json",
      })),
    };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const list = await gateway(context).prices();
    const tool = served(list).find(({ operation }) => uri === TOOL_URI + operation.name);
    if (tool === undefined) throw new ProtocolError(INVALID_PARAMS, "There is no such resource");
    return {
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify(listedTool(tool, list, "whole")) }],
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const end = admit();
    if (end === undefined) return failure("Too many calls are under way; nothing was charged. Try again.");
    const endProgress = reportProgress(context);
    try {
      const { name, arguments: given } = params;
      const { signal, _meta: meta } = context.mcpReq;
      const call = { name, arguments: given, meta, signal: untilGone(signal, context) };
      const result = await callTool(call, gateway(context));
      if (hasCredential(meta)) throwUnpaid(result, PAYMENT_FAILED_CODE);
      else if (server.getClientCapabilities()?.experimental?.["payment"]) throwUnpaid(result, PAYMENT_REQUIRED_CODE);
      return result;
    } finally {
      endProgress();
      end();
    }
  });
  return server;
}

/**
 * Throws the error of the `Payment` scheme if a result asks for a payment. Only clients of the scheme get it: in MCP itself the
 * code has another meaning.
 */
function throwUnpaid({ _meta: meta }: CallToolResult, code: number): void {
  const data = meta?.[REQUIRED_KEY];
  if (!isObject(data)) return;
  if (code === PAYMENT_REQUIRED_CODE) throw new ProtocolError(code, "Payment Required", data);
  const { problem, ...rest } = data;
  const { type, detail } = isObject(problem) ? problem : {};
  const reason = typeof type === "string" ? type.slice(type.lastIndexOf("/") + 1) : undefined;
  throw new ProtocolError(code, "Payment Verification Failed", { ...rest, problem, failure: { reason, detail } });
}

/** The tools of operations that the gateway serves. */
function served(list: PriceList | undefined): readonly Tool[] {
  return [...tools().values()].filter(({ operation }) => isServed(operation.path, list));
}

function listedTool(tool: Tool, list: PriceList | undefined, form: "whole" | "brief") {
  const { operation, outputSchema } = tool;
  const { description, inputSchema } = tool[form];
  return {
    name: operation.name,
    title: operation.summary,
    description: `${description} ${costText(tool, list)}`,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...rulesOf(operation, list),
    // Clients may call a read-only tool without asking their user. A tool that spends anyone's money is not read-only.
    annotations: { readOnlyHint: isFree(operation, list), openWorldHint: operation.name !== "qr" },
  };
}

/** The price rules of an operation as data, beside their words in the description. */
function rulesOf({ path }: Operation, list: PriceList | undefined): { readonly _meta?: Record<string, unknown> } {
  const rules = list?.rules[path];
  return rules === undefined ? {} : { _meta: { "turnpike/prices": rules } };
}

/**
 * Aborts when the client has gone, because it cannot receive the response. A payment that is not settled by then is not
 * made.
 */
function untilGone(signal: AbortSignal, { http }: ServerContext): AbortSignal {
  const gone = http?.req?.signal;
  return gone === undefined ? signal : AbortSignal.any([signal, gone]);
}

/** Sends the client progress messages, if it asked for them, and returns the function that stops them. */
function reportProgress({ mcpReq }: ServerContext): () => void {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const tell = (): void => {
    const params = { progressToken, progress };
    progress += 1;
    // A client that cannot receive the message does not need it.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  tell();
  const timer = setInterval(tell, PROGRESS_MS);
  return () => clearInterval(timer);
}
