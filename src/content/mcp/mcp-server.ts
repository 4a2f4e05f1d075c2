import { Server, type ServerContext } from "@modelcontextprotocol/server";
import { VERSION } from "../../lib/version.ts";
import { callTool, type Gateway } from "./tool-call.ts";
import { failure } from "./tool-result.ts";
import { costText, isFree, tools } from "./tools.ts";

/** Tool calls under way at one time, over all connections. */
const MAX_CALLS = 64;
/** Milliseconds between two signs of life of a call whose client asked for them. */
const PROGRESS_MS = 5000;

const INFO = { name: "turnpike", title: "Turnpike web content", version: VERSION };
const INSTRUCTIONS =
  "Web search, pages as Markdown, text, data, PDF and pictures, and QR codes. Each call costs what its tool says. A call that " +
  "is not paid for ends in an x402 challenge; failed calls cost nothing, unless the operator charges for pages that use up " +
  "their own time: such a failure has a receipt.";

/** Begins a call, and returns how to end it; undefined where there is no room for one more. */
export type Admit = () => (() => void) | undefined;

/** Lets MAX_CALLS be under way at one time, over all servers that share it. */
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

/** An MCP server over the content operations: it passes calls to the gateway and holds no money and no content. */
export function createMcpServer(gateway: (context: ServerContext) => Gateway, admit: Admit): Server {
  const server = new Server(INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  server.setRequestHandler("tools/list", async (_, context) => {
    const list = await gateway(context).prices();
    return {
      tools: [...tools().values()].map((tool) => ({
        name: tool.operation.name,
        title: tool.operation.summary,
        description: `${tool.description} ${costText(tool, list)}`,
        inputSchema: tool.inputSchema,
        // Clients may call a read-only tool without asking their user; one that spends, whoever pays, is not read-only.
        annotations: { readOnlyHint: isFree(tool.operation, list), openWorldHint: tool.operation.name !== "qr" },
      })),
    };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const end = admit();
    if (end === undefined) return failure("Too many calls are under way; nothing was charged. Try again.");
    const endProgress = reportProgress(context);
    try {
      const { name, arguments: given } = params;
      const { signal, _meta: meta } = context.mcpReq;
      return await callTool({ name, arguments: given, meta, signal: untilGone(signal, context) }, gateway(context));
    } finally {
      endProgress();
      end();
    }
  });
  return server;
}

/** A client that is gone has no use for a response: what is not settled by then is not paid. */
function untilGone(signal: AbortSignal, { http }: ServerContext): AbortSignal {
  const gone = http?.req?.signal;
  return gone === undefined ? signal : AbortSignal.any([signal, gone]);
}

/** Tells the client from time to time, where it asked, that its call goes on; returns how to stop. */
function reportProgress({ mcpReq }: ServerContext): () => void {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let progress = 0;
  const tell = (): void => {
    const params = { progressToken, progress };
    progress += 1;
    // Who does not hear of it does not need it.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
  tell();
  const timer = setInterval(tell, PROGRESS_MS);
  return () => clearInterval(timer);
}
