import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline/promises";
import { diagnosticText } from "../gateway/config/diagnostic.ts";
import { formatOf } from "../gateway/config/formats/format-of.ts";
import { loadValue } from "../gateway/config/load.ts";
import { challengeDiagnostics } from "../gateway/process/check-challenges.ts";
import { codeOf } from "../lib/caught.ts";
import { isAddress } from "../payments/x402/address.ts";
import { hasBadChecksum } from "../payments/x402/address-hash.ts";
import { parseNetwork } from "../payments/x402/networks.ts";
import { atBoundary } from "./boundary.ts";
import { flagsText, type FlagTable, HELP, parseFlags } from "./flags.ts";
import { type InitChoices, initText, initYaml } from "./init-text.ts";
import { StartError } from "./start-error.ts";
import { UsageError } from "./usage-error.ts";
import { commandName } from "../lib/one-file.ts";
import { MAX_PORT } from "../lib/port.ts";
import { shellQuoted } from "../lib/shell-quoted.ts";

const FLAGS = {
  upstream: {
    type: "string",
    value: "URL",
    text: "sell your own API at this address; without it, sell web content by turnpike start",
  },
  port: { type: "string", value: "N", text: "listen on this port (8080)" },
  price: {
    type: "string",
    value: "P",
    text: "the price of a request, such as $0.01; 0: free, for an API only ($0.005)",
  },
  "pay-to": {
    type: "string",
    value: "ADDRESS",
    text: "the account that gets the money (the burn address 0x…dEaD, from which no one can spend)",
  },
  network: {
    type: "string",
    value: "NAME",
    text: "the chain: base-sepolia, base, or another as eip155:N (base-sepolia)",
  },
  force: { type: "boolean", text: "overwrite an existing file" },
  help: HELP,
} as const satisfies FlagTable;

const USAGE = `usage: turnpike init [FILE] [--upstream URL] [--port N] [--price P] [--pay-to ADDRESS] [--network NAME] [--force]

Writes a configuration with comments: turnpike.jsonc, or FILE (.jsonc, .yaml, .yml, or .json without comments). On a terminal it
asks for the values that no flag sets; elsewhere the values in brackets are used.

${flagsText(FLAGS)}`;

const DEFAULT_FILE = "turnpike.jsonc";
const BURN_ADDRESS = "0x000000000000000000000000000000000000dEaD";
/** Attempts that a user has for each question. After the last one the command fails. */
const MAX_TRIES = 5;

interface Question<T> {
  readonly flag: "upstream" | "port" | "price" | "pay-to" | "network";
  readonly text: string;
  readonly otherwise: string;
  /** Throws UsageError. */
  readonly read: (text: string) => T;
}

const UPSTREAM: Question<URL | undefined> = {
  flag: "upstream",
  text: "URL of your own API; empty: sell web content",
  otherwise: "",
  read(text) {
    if (text === "") return undefined;
    if (text.includes("@")) throw new UsageError("--upstream must not contain a user name or password");
    const url = /^https?:\/\/[^/\\?#@]+\/?$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.port === "0") {
      throw new UsageError(`--upstream "${text}" is not the address of a server, such as http://127.0.0.1:9000`);
    }
    return url;
  },
};
const PORT: Question<number> = {
  flag: "port",
  text: "Port to listen on",
  otherwise: "8080",
  read(text) {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > MAX_PORT) throw new UsageError(`--port "${text}" is not a port number`);
    return port;
  },
};
const PRICE: Question<string | undefined> = {
  flag: "price",
  text: "Price of a request; 0: free",
  otherwise: "$0.005",
  read(text) {
    if (!/^\$?\d{1,9}(?:\.\d{1,6})?$/.test(text))
      throw new UsageError(`--price "${text}" is not a price such as $0.01`);
    const amount = text.replace("$", "");
    return Number(amount) === 0 ? undefined : `$${amount}`;
  },
};
const PAY_TO: Question<string> = {
  flag: "pay-to",
  text: "Account that receives the payments",
  otherwise: BURN_ADDRESS,
  read(text) {
    if (!isAddress(text)) throw new UsageError(`--pay-to "${text}" is not an address: 0x and 40 hexadecimal digits`);
    if (hasBadChecksum(text))
      throw new UsageError(`--pay-to "${text}" has a mistyped digit: its letter case is not its checksum (EIP-55)`);
    return text;
  },
};
const NETWORK: Question<string> = {
  flag: "network",
  text: "Chain",
  otherwise: "base-sepolia",
  read(text) {
    const network = parseNetwork(text);
    if (network === undefined)
      throw new UsageError(`--network "${text}" is not an EVM chain, such as base or eip155:8453`);
    return network;
  },
};

/** `turnpike init`: writes a commented configuration. Returns the exit code. */
export function init(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
    if (values.help === true) return "help";
    const [file = DEFAULT_FILE, ...more] = positionals;
    if (more.length > 0) throw new UsageError("Name one file");
    if (!/\.(?:jsonc?|ya?ml)$/i.test(file))
      throw new UsageError(`FILE "${file}" must end in .jsonc, .yaml, .yml or .json`);
    if (values.force !== true && existsSync(file))
      throw new StartError(`Cannot write "${file}": it exists already; --force overwrites it`);
    const choices = await choicesOf(values);
    await write(file, await textFor(file, choices), values.force === true);
    const turnpike = commandName();
    const start = `${turnpike}${choices.upstream === undefined ? " start" : ""} --config ${shellQuoted(file)}`;
    console.log(`wrote ${file}\ncheck it with: ${turnpike} check ${shellQuoted(file)}\nstart with:    ${start}`);
    return 0;
  });
}

type Values = Readonly<Partial<Record<Question<unknown>["flag"], string>>>;

async function choicesOf(values: Values): Promise<InitChoices> {
  const asker = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  const ask = async <T>(question: Question<T>): Promise<T> => await choose(question, values[question.flag], asker);
  try {
    const upstream = await ask(UPSTREAM);
    const port = await ask(PORT);
    const price = await ask(PRICE);
    if (price === undefined && upstream === undefined)
      throw new UsageError("--price 0 is for an API only; web content has a price");
    if (price === undefined) return { upstream, port, price, payTo: BURN_ADDRESS, network: "" };
    return { upstream, port, price, payTo: await ask(PAY_TO), network: await ask(NETWORK) };
  } finally {
    asker?.close();
  }
}

/** The flag's value. Without the flag, asks the user, and asks again after invalid input. */
async function choose<T>(
  { text, otherwise, read }: Question<T>,
  given: string | undefined,
  asker: { question(text: string): Promise<string> } | undefined,
): Promise<T> {
  if (given !== undefined || asker === undefined) return read(given ?? otherwise);
  for (let i = 1; ; i++) {
    const typed = (await asker.question(`${text} [${otherwise}]: `)).trim();
    try {
      return read(typed === "" ? otherwise : typed);
    } catch (error) {
      if (!(error instanceof UsageError) || i === MAX_TRIES) throw error;
      process.stderr.write(`${error.message.replace(/^--\S+ /, "")}\n`);
    }
  }
}

/** The text of the file in the format of its name. Throws StartError if a gateway would not start with it. */
async function textFor(file: string, choices: InitChoices): Promise<string> {
  const { JSONC_FORMAT } = await import("../gateway/config/formats/jsonc.ts");
  const text = initText(choices);
  const parsed = JSONC_FORMAT.parse(text);
  const value = parsed.ok ? parsed.value : undefined;
  const { config, problems } = loadValue(value);
  const [problem] = config === undefined ? problems : challengeDiagnostics(config);
  if (problem !== undefined) throw new StartError(`Cannot write "${file}": ${diagnosticText(problem)}`);
  const { name } = await formatOf(file);
  if (name === "jsonc") return text;
  return name === "yaml" ? initYaml(text) : `${JSON.stringify(value, undefined, 2)}\n`;
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? "w" : "wx" });
  } catch (error) {
    const code = codeOf(error) ?? "unknown";
    const reason = code === "ENOENT" ? `there is no folder "${dirname(file)}"` : code;
    throw new StartError(`Cannot write "${file}": ${reason}`, { cause: error });
  }
}
