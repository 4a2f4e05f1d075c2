import { FLAGS_TEXT } from "./gateway-flags.ts";
import { hangup, rotation } from "./held-signals.ts";
import { StartError } from "./start-error.ts";

const USAGE = `usage: turnpike COMMAND [ARGUMENT ...]
       turnpike [FLAG ...]

  start       gateway and content service together, ready to sell
  call        pay for an operation and print its answer
  wallet      the wallet that pays, and what it has
  mcp         the operations as tools for agents, over standard input and output
  ledger      the payments that were taken
  facilitator verify and settle payments, for gateways elsewhere
  check       look through a configuration file
  content     the content service alone
  index       the pages that /search finds without a network
  (none)      the gateway alone

turnpike COMMAND --help says more. The gateway alone takes:

${FLAGS_TEXT}`;

type Command = (args: string[]) => Promise<number>;

/** Each loads what it needs and no more: the content service starts without the gateway, a call without either. */
const COMMANDS: Readonly<Record<string, Command>> = {
  start: async (args) => (await import("./start.ts")).start(args),
  call: async (args) => (await import("./call.ts")).call(args),
  wallet: async (args) => (await import("./wallet.ts")).wallet(args),
  mcp: async (args) => (await import("./mcp.ts")).mcp(args),
  ledger: async (args) => (await import("./ledger.ts")).ledger(args),
  facilitator: async (args) => (await import("./facilitator.ts")).facilitator(args),
  check: async (args) => (await import("./check.ts")).check(args),
  content: async (args) => (await import("./content.ts")).content(args),
  index: async (args) => (await import("./index-command.ts")).index(args),
};

async function main(args: string[]): Promise<number> {
  const [name = "", ...rest] = args;
  // Before anything is loaded: those that serve may be told to read their file again, or to open their logs, while they start.
  if (name === "start" || name === "" || name.startsWith("-")) {
    hangup.hold();
    rotation.hold();
  }
  if (name === "help" || name === "--help" || name === "-h") {
    console.log(USAGE);
    return 0;
  }
  if (name === "" || name.startsWith("-")) return await (await import("./gateway.ts")).runGateway(args);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    console.error(`turnpike: no command "${name}"\n\n${USAGE}`);
    return 2;
  }
  return await command(rest);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
process.exit();
