import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { pricesOf } from "../../content/api/price-list.ts";
import { callLimit, createMcpServer } from "../../content/mcp/mcp-server.ts";
import { type Gateway } from "../../content/mcp/tool-call.ts";
import { describeReceipt, payAndFetch, PaymentOutcomeUnknown, type PayOptions } from "../../payments/client/client.ts";
import { describeFailure } from "../common/paid-response.ts";
import { sayError, sayNote } from "../common/terminal.ts";
import { type PayerSettings } from "./payer.ts";

/** Bytes of one message on standard input; a longer one ends the connection. @operator */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

export interface McpRequest {
  readonly gateway: string;
  /** Undefined: the agent pays. */
  readonly payer: PayOptions | undefined;
  readonly send: PayerSettings["send"];
}

function gatewayOf({ gateway, payer, send }: McpRequest): Gateway {
  const ask = pricesOf(gateway, send);
  const plain = { url: gateway, send, prices: () => ask("") };
  if (payer === undefined) return plain;
  return {
    ...plain,
    pay: async (url, init) => {
      const paid = await payAndFetch(url, init, payer);
      const { response, choice: requirements, receipt, isOpen } = paid;
      // Without this error an agent may try again, and pay twice.
      if (isOpen) throw new PaymentOutcomeUnknown(await describeFailure(paid), {});
      if (requirements !== undefined && receipt?.success === true)
        sayNote(`paid ${describeReceipt(requirements, receipt)}`);
      return response;
    },
  };
}

/** Calls `afterClose` also when it closes itself, for example after a message that is too long. `onclose` is the server's. */
class EndingTransport extends StdioServerTransport {
  afterClose: (() => void) | undefined;

  override async close(): Promise<void> {
    await super.close();
    this.afterClose?.();
  }
}

/** Serves until standard input ends or a signal stops it. Only protocol messages go to standard output. */
export async function serveMcp(request: McpRequest): Promise<void> {
  const gateway = gatewayOf(request);
  const admit = callLimit();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  for (const event of ["end", "close", "error"]) process.stdin.once(event, () => end());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => end());
  const transport = new EndingTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  transport.afterClose = end;
  const handle = serveStdio(() => createMcpServer(() => gateway, admit), {
    transport,
    // The tools do not change while the server runs.
    maxSubscriptions: 0,
    onerror: (error) => sayError(`turnpike mcp: ${error.message.slice(0, 200)}`),
  });
  await ended;
  await handle.close();
}
