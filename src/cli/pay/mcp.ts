import { atBoundary } from "../common/boundary.ts";
import { flagsText, flagTable, readFlags, wrapped } from "../common/flags.ts";
import { say } from "../common/terminal.ts";
import { DEFAULT_GATEWAY, gatewayUrl } from "./call-arguments.ts";
import { type McpRequest } from "./mcp-stdio.ts";
import { OPERATIONS } from "./operations.ts";
import { createPayer, payerFlags, payerSettings } from "./payer.ts";

/** The default limits of an agent. They are low, because no person checks each call. */
const DEFAULT_MAX_PRICE = "0.10 USDC";
const DEFAULT_MAX_TOTAL = "5 USDC";
const TOOLS = [
  ...Object.keys(OPERATIONS).filter((name) => OPERATIONS[name]?.method === "POST"),
  "job_status",
  "job_results",
  "job_cancel",
];

const FLAGS = {
  ...flagTable({
    "gateway URL": `the gateway with the tools (default $TURNPIKE_GATEWAY, else ${DEFAULT_GATEWAY})`,
  }),
  ...payerFlags({ maxPrice: DEFAULT_MAX_PRICE, maxTotal: DEFAULT_MAX_TOTAL }),
  ...flagTable({ "no-pay": 'give the price to the agent, which pays by _meta["x402/payment"]' }),
};

const USAGE = `usage: turnpike mcp [--gateway URL] [--max-price X] [--max-total X] [--max-deposit X] [--allow-asset TOKEN ...]
                    [--prefer METHOD ...] [--ca FILE]
       turnpike mcp [--gateway URL] [--ca FILE] --no-pay

${wrapped(
  `An MCP server on standard input and output, for agents on this machine. Its tools are ${TOOLS.join(", ")}. It pays for calls from the wallet in $TURNPIKE_HOME or ~/.turnpike, and prints each payment to standard error.`,
).join("\n")}

${flagsText(FLAGS)}

turnpike start serves the same tools at /mcp over HTTP.`;

/** `turnpike mcp`: serves until standard input ends or a signal stops it. Returns the exit code: 0 done, 2 wrong usage. */
export function mcp(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const request = parse(args);
    // It has the schemas of all operations: 0.3 s of CPU time, where the rest of a start takes 0.05 s.
    const { serveMcp } = await import("./mcp-stdio.ts");
    await serveMcp(request);
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
