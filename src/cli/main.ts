import manifest from "../../package.json" with { type: "json" };
import { nearestWord } from "../lib/text/nearest-word.ts";
import { type AdminCommand } from "./admin/admin-command.ts";
import { reportFailure } from "./common/boundary.ts";
import { flagsText, flagTable } from "./common/flags.ts";
import { GATEWAY_FLAGS } from "./gateway/gateway-flags.ts";
import { hangup, rotation, takeOver } from "./gateway/held-signals.ts";
import { chooseColor, COLOR_CHOICES } from "./common/terminal.ts";
import { printLine } from "./common/standard-output.ts";
import { UsageError } from "./common/usage-error.ts";

/** The flags that `main` takes before a command reads its own. */
const COMMON_FLAGS = flagTable({
  "color WHEN": "colour messages, and turnpike top: auto (on a terminal, unless NO_COLOR is set), always, never",
  "v, version": "print the version",
});

const USAGE = `usage: turnpike COMMAND [ARGUMENT ...]
       turnpike [FLAG ...]

  start          run gateway and content service together, ready to sell
  call           pay for an operation and print its response
  jobs           follow, resume and cancel the crawls and batches that it started
  pay            pay for any URL and print its response
  wallet         manage the wallet that pays, and show its balance
  mcp            serve the operations as tools for agents, over standard input and output
  receipt        check signed offers and receipts of sellers
  ledger         show the payments that were made to this gateway
  facilitator    verify and settle payments, for gateways elsewhere
  init           write a configuration with comments
  check          check a configuration file
  upgrade-check  check whether this version can replace a running gateway
  filter         check a WebAssembly filter, and run a request through it
  content        run the content service alone
  index          manage the pages that /search finds without a network
  (none)         run the gateway alone

For a running gateway, through its admin interface:

  status         show its state, and whether its configuration differs from the file
  top            show a live view: requests, latency, routes, servers, money, events
  routes         list, add, change and remove routes
  upstreams      list, add, change and remove upstreams; drain servers
  config         show, compare, check and replace the configuration
  reload         read the configuration file again
  persist        write the running configuration to its file
  usage          show the usage by consumer, route and upstream
  events         show what has happened
  requests       show requests as they end
  keys           list, issue and revoke API keys of routes
  refund         send the money of a payment back, or record that it was given back
  channels       list, claim and close payment channels
  credit         list, issue and revoke prepaid balances
  tenants        list the warm tenants, and remove one

turnpike COMMAND --help prints the usage of a command. Every command accepts:

${flagsText(COMMON_FLAGS)}

The gateway alone accepts:

${flagsText(GATEWAY_FLAGS)}`;

type Command = (args: string[]) => Promise<number>;

async function administer(name: string, args: readonly string[], command: AdminCommand): Promise<number> {
  const { runAdminCommand } = await import("./admin/admin-command.ts");
  return await runAdminCommand(name, command, args);
}

/** Each command loads only its modules: the content service starts without the gateway, a call without either. */
const COMMANDS: Readonly<Record<string, Command>> = {
  start: async (args) => (await import("./gateway/start.ts")).start(args),
  call: async (args) => (await import("./pay/call.ts")).call(args),
  jobs: async (args) => (await import("./pay/jobs/jobs.ts")).jobs(args),
  pay: async (args) => (await import("./pay/pay.ts")).pay(args),
  wallet: async (args) => (await import("./pay/wallet.ts")).wallet(args),
  mcp: async (args) => (await import("./pay/mcp.ts")).mcp(args),
  receipt: async (args) => (await import("./receipt/receipt.ts")).receipt(args),
  ledger: async (args) => (await import("./ledger/ledger.ts")).ledger(args),
  facilitator: async (args) => (await import("./facilitator/facilitator.ts")).facilitator(args),
  "upgrade-check": async (args) => (await import("./gateway/upgrade-check.ts")).upgradeCheck(args),
  init: async (args) => (await import("./gateway/init.ts")).init(args),
  check: async (args) => (await import("./gateway/check.ts")).check(args),
  filter: async (args) => (await import("./gateway/filter.ts")).filter(args),
  // Not for people: the first process of a cell.
  "browser-cell": ([order = ""]) =>
    import("../content/browser/cell/inside.ts").then(({ runInside }) => runInside(order)),
  content: async (args) => (await import("./content/content.ts")).content(args),
  index: async (args) => (await import("./content/index-command.ts")).index(args),
  status: async (args) => await administer("status", args, (await import("./admin/status.ts")).STATUS),
  top: async (args) => await administer("top", args, (await import("./admin/top/top.ts")).TOP),
  routes: async (args) => await administer("routes", args, (await import("./admin/routes.ts")).ROUTES),
  upstreams: async (args) => await administer("upstreams", args, (await import("./admin/upstreams.ts")).UPSTREAMS),
  config: async (args) => await administer("config", args, (await import("./admin/config.ts")).CONFIG),
  reload: async (args) => await administer("reload", args, (await import("./admin/reload.ts")).RELOAD),
  persist: async (args) => await administer("persist", args, (await import("./admin/persist.ts")).PERSIST),
  usage: async (args) => await administer("usage", args, (await import("./admin/usage.ts")).USAGE_COMMAND),
  events: async (args) => await administer("events", args, (await import("./admin/events.ts")).EVENTS),
  requests: async (args) => await administer("requests", args, (await import("./admin/requests.ts")).REQUESTS),
  keys: async (args) => await administer("keys", args, (await import("./admin/keys.ts")).KEYS),
  refund: async (args) => await administer("refund", args, (await import("./admin/refund.ts")).REFUND),
  channels: async (args) => await administer("channels", args, (await import("./admin/channels.ts")).CHANNELS),
  credit: async (args) => await administer("credit", args, (await import("./admin/credit.ts")).CREDIT),
  tenants: async (args) => await administer("tenants", args, (await import("./admin/tenants.ts")).TENANTS),
};

async function main(given: readonly string[]): Promise<number> {
  const args = takeColor(given);
  const [name = "", ...rest] = args;
  // Before any module is loaded: SIGHUP, SIGUSR1 or SIGUSR2 may arrive while the gateway starts.
  if (name === "start" || name === "" || name.startsWith("-")) {
    hangup.hold();
    rotation.hold();
    takeOver.hold();
  }
  if (name === "help" || name === "--help" || name === "-h") {
    await printLine(USAGE);
    return 0;
  }
  if (name === "--version" || name === "-v") {
    await printLine(`turnpike ${manifest.version}`);
    return 0;
  }
  if (name === "" || name.startsWith("-")) return await (await import("./gateway/gateway.ts")).runGateway(args);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) return await command(rest);
  const nearest = nearestWord(name, Object.keys(COMMANDS));
  throw new UsageError(`No command "${name}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`);
}

/** Applies `--color WHEN` and returns the other arguments. Arguments after `--` stay unchanged. Throws UsageError. */
function takeColor(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const rest: string[] = [];
  for (let i = 0; i < end; i++) {
    const arg = args[i] ?? "";
    if (arg !== "--color" && !arg.startsWith("--color=")) {
      rest.push(arg);
      continue;
    }
    if (arg === "--color") i++;
    const when = arg === "--color" ? (args.slice(0, end)[i] ?? "") : arg.slice("--color=".length);
    const choice = COLOR_CHOICES.find((known) => known === when);
    if (choice === undefined) throw new UsageError(`--color "${when}" is not one of ${COLOR_CHOICES.join(", ")}`);
    chooseColor(choice);
  }
  return [...rest, ...args.slice(end)];
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = reportFailure("turnpike", error);
}
process.exit();
