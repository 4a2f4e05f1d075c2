import { describeFailure } from "../common/paid-response.ts";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { callLimit, createMcpServer } from "../../content/mcp/mcp-server.ts";
import { JOB_TOOLS } from "../../content/mcp/job-tools.ts";
import { type Gateway } from "../../content/mcp/tool-call.ts";
import { tools } from "../../content/mcp/tools.ts";
import { pricesOf } from "../../content/api/price-list.ts";
import { describeReceipt, payAndFetch, PaymentOutcomeUnknown, type PayOptions } from "../../payments/client/client.ts";
import { atBoundary } from "../common/boundary.ts";
import { DEFAULT_GATEWAY, gatewayUrl } from "./call-arguments.ts";
import { flagsText, type FlagTable, readFlags, wrapped } from "../common/flags.ts";
import { createPayer, payerFlags, type PayerSettings, payerSettings } from "./payer.ts";
import { say, sayError, sayNote } from "../common/terminal.ts";

/** The default limits of an agent. They are low, because no person checks each call. */
const DEFAULT_MAX_PRICE = "0.10 USDC";
const DEFAULT_MAX_TOTAL = "5 USDC";
/** Bytes of one message on standard input; a longer one ends the connection. @operator */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

const FLAGS = {
  gateway: {
    type: "string",
    value: "URL",
    text: `the gateway with the tools (default $TURNPIKE_GATEWAY, else ${DEFAULT_GATEWAY})`,
  },
  ...payerFlags({ maxPrice: DEFAULT_MAX_PRICE, maxTotal: DEFAULT_MAX_TOTAL }),
  "no-pay": { type: "boolean", text: 'give the price to the agent, which pays by _meta["x402/payment"]' },
} as const satisfies FlagTable;

const USAGE = `usage: turnpike mcp [--gateway URL] [--max-price X] [--max-total X] [--max-deposit X] [--allow-asset TOKEN ...]
                    [--prefer METHOD ...] [--ca FILE]
       turnpike mcp [--gateway URL] [--ca FILE] --no-pay

${wrapped(
  `An MCP server on standard input and output, for agents on this machine. Its tools are ${[...tools().keys(), ...JOB_TOOLS.map(({ name }) => name)].join(", ")}. It pays for calls from the wallet in $TURNPIKE_HOME or ~/.turnpike, and prints each payment to standard error.`,
).join("\n")}

${flagsText(FLAGS)}

turnpike start serves the same tools at /mcp over HTTP.`;

interface McpRequest {
  readonly gateway: string;
  /** Undefined: the agent pays. */
  readonly payer: PayOptions | undefined;
  readonly send: PayerSettings["send"];
}

/** `turnpike mcp`: serves until standard input ends or a signal stops it. Returns the exit code: 0 done, 2 wrong usage. */
export function mcp(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    await run(parse(args));
    return 0;
  });
}

function parse(args: readonly string[]): McpRequest {
  const values = readFlags(args, FLAGS);
  const settings = payerSettings(values, { maxPrice: DEFAULT_MAX_PRICE, maxTotal: DEFAULT_MAX_TOTAL });
  return {
    gateway: gatewayUrl(values.gateway).href.replace(/\/+$/, ""),
    payer: values["no-pay"] === true ? undefined : createPayer(settings, say),
    send: settings.send,
  };
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

/** Only protocol messages go to standard output. */
async function run(request: McpRequest): Promise<void> {
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
