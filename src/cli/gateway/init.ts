import { existsSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline/promises";
import { diagnosticText } from "../../gateway/config/diagnostic.ts";
import { replaceFile } from "../../gateway/admin/running-config/replace-file.ts";
import { formatOf } from "../../gateway/config/formats/format-of.ts";
import { loadValue } from "../../gateway/config/load.ts";
import { challengeSteps } from "../../gateway/process/check/check-challenges.ts";
import { atOnce } from "../../lib/slices.ts";
import { codeOf } from "../../lib/caught.ts";
import { type Address, isAddress } from "../../payments/x402/address.ts";
import { hasBadChecksum } from "../../payments/x402/address-hash.ts";
import { lostPayee } from "../../payments/x402/lost-payee.ts";
import { type EvmNetwork, networkTitle, parseEvmNetwork } from "../../payments/x402/networks.ts";
import { atBoundary } from "../common/boundary.ts";
import { flagsText, flagTable, parseFlags } from "../common/flags.ts";
import { type InitChoices, initText, initYaml } from "./init-text.ts";
import { StartError } from "../common/start-error.ts";
import { UsageError } from "../common/usage-error.ts";
import { commandName } from "../../lib/files/one-file.ts";
import { portOf } from "../../lib/http/url-host.ts";
import { MAX_PORT } from "../../lib/net/port.ts";
import { isLoopback } from "../../payments/facilitator/loopback-only.ts";
import { shellQuoted } from "../../lib/text/shell-quoted.ts";

const FLAGS = flagTable({
  "upstream URL": "sell your own API at this address; without it, sell web content by turnpike start",
  "port N": "listen on this port (8080)",
  "price P": "the price of a request, such as $0.01; 0: free, for an API only ($0.005)",
  "pay-to ADDRESS":
    "the account that gets the money (on a test network: the burn address 0x…dEaD, from which no one can spend)",
  "network NAME": "the chain: base-sepolia, base, or another as eip155:N (base-sepolia)",
  "path PATH...": "sell this path of the API and the paths below it, and serve all others free (/)",
  "body-schema FILE": "a JSON Schema: the API's requests with other bodies are refused before their payment",
  force: "overwrite an existing file",
});

const USAGE = `usage: turnpike init [FILE] [--upstream URL] [--port N] [--price P] [--pay-to ADDRESS] [--network NAME]
                     [--path PATH ...] [--body-schema FILE] [--force]

Writes a configuration with comments: turnpike.jsonc, or FILE (.jsonc, .yaml, .yml, or .json without comments). On a terminal it
asks for the values that no flag sets; elsewhere the values in brackets are used.

${flagsText(FLAGS)}`;

const DEFAULT_FILE = "turnpike.jsonc";
const BURN_ADDRESS = "0x000000000000000000000000000000000000dEaD";
/** Attempts that a user has for each question. After the last one the command fails. */
const MAX_TRIES = 5;

interface Question<T> {
  readonly flag: "upstream" | "port" | "price" | "pay-to" | "network" | "path";
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
const portBeside = (upstream: URL | undefined): Question<number> => ({
  flag: "port",
  text: "Port to listen on",
  otherwise: "8080",
  read(text) {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
    if (port < 1 || port > MAX_PORT) throw new UsageError(`--port "${text}" is not a port number`);
    if (upstream !== undefined && isLoopback(upstream.hostname) && portOf(upstream) === port)
      throw new UsageError(`--port ${port} is the port of your API on this machine`);
    return port;
  },
});
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

/** A network with money has no default, since the burn address would lose it. */
function payToOn(network: EvmNetwork): Question<Address> {
  return {
    flag: "pay-to",
    text: "Account that receives the payments",
    otherwise: lostPayee(BURN_ADDRESS, network) === undefined ? BURN_ADDRESS : "",
    read(text) {
      if (text === "") throw new UsageError(`--pay-to is missing: name your own account on ${networkTitle(network)}`);
      if (!isAddress(text)) throw new UsageError(`--pay-to "${text}" is not an address: 0x and 40 hexadecimal digits`);
      if (hasBadChecksum(text))
        throw new UsageError(`--pay-to "${text}" has a mistyped digit: its letter case is not its checksum (EIP-55)`);
      const lost = lostPayee(text, network);
      if (lost !== undefined) throw new UsageError(`--pay-to "${text}" on ${networkTitle(network)}: ${lost}`);
      return text;
    },
  };
}
const PATHS: Question<readonly string[]> = {
  flag: "path",
  text: "Paths to sell, with the paths below them; others are free",
  otherwise: "/",
  read(text) {
    const paths = [...new Set(text.split(/\s+/))];
    const other = paths.find((path) => !path.startsWith("/"));
    if (other !== undefined) throw new UsageError(`--path "${other}" does not begin with "/"`);
    return paths;
  },
};
const NETWORK: Question<EvmNetwork> = {
  flag: "network",
  text: "Chain",
  otherwise: "base-sepolia",
  read(text) {
    const network = parseEvmNetwork(text);
    if (network === undefined)
      throw new UsageError(`--network "${text}" is not an EVM chain, such as base or eip155:8453`);
    return network;
  },
};

/** `turnpike init`: writes a commented configuration. Returns the exit code. */
export function init(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { values, positionals } = parseFlags(args, FLAGS);
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

interface Values extends Readonly<Partial<Record<Exclude<Question<unknown>["flag"], "path">, string>>> {
  readonly path?: readonly string[];
  readonly "body-schema"?: string;
}

async function choicesOf(values: Values): Promise<InitChoices> {
  const asker = process.stdin.isTTY ? createInterface({ input: process.stdin, output: process.stderr }) : undefined;
  const given = { ...values, path: values.path?.join(" ") };
  const ask = async <T>(question: Question<T>): Promise<T> => await choose(question, given[question.flag], asker);
  try {
    const upstream = await ask(UPSTREAM);
    if (upstream === undefined && (values.path !== undefined || values["body-schema"] !== undefined))
      throw new UsageError("--path and --body-schema are for an API only; name it by --upstream");
    const port = await ask(portBeside(upstream));
    const price = await ask(PRICE);
    if (price === undefined && upstream === undefined)
      throw new UsageError("--price 0 is for an API only; web content has a price");
    if (price === undefined && values.path !== undefined) throw new UsageError("--path needs a price");
    const bodySchema = await schemaIn(values["body-schema"]);
    const common = { upstream, port, price, bodySchema };
    if (price === undefined) return { ...common, paths: ["/"], payTo: BURN_ADDRESS, network: "" };
    const paths = upstream === undefined ? ["/"] : await ask(PATHS);
    const network = await ask(NETWORK);
    return { ...common, paths, network, payTo: await ask(payToOn(network)) };
  } finally {
    asker?.close();
  }
}

/** The JSON value in a file. Whether it is a schema, the check of the whole configuration says. Throws StartError. */
async function schemaIn(file: string | undefined): Promise<unknown> {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is not JSON" : (codeOf(error) ?? "unknown");
    throw new StartError(`Cannot read --body-schema "${file}": ${reason}`, { cause: error });
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
  const { JSONC_FORMAT } = await import("../../gateway/config/formats/jsonc.ts");
  const text = initText(choices);
  const parsed = JSONC_FORMAT.parse(text);
  const value = parsed.ok ? parsed.value : undefined;
  const { config, problems } = loadValue(value);
  const [problem] = config === undefined ? problems : atOnce(challengeSteps(config));
  if (problem !== undefined) throw new StartError(`Cannot write "${file}": ${diagnosticText(problem)}`);
  const { name } = await formatOf(file);
  if (name === "jsonc") return text;
  return name === "yaml" ? initYaml(text) : `${JSON.stringify(value, undefined, 2)}\n`;
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    // On a full disk an old file stays, and no part of a new one.
    if (force && existsSync(file)) await replaceFile(file, Buffer.from(text), () => true);
    else await writeNew(file, text);
  } catch (error) {
    const code = codeOf(error) ?? "unknown";
    const reason = code === "ENOENT" ? `there is no folder "${dirname(file)}"` : code;
    throw new StartError(`Cannot write "${file}": ${reason}`, { cause: error });
  }
}

async function writeNew(file: string, text: string): Promise<void> {
  await using handle = await open(file, "wx");
  await handle.writeFile(text).catch(async (error: unknown) => {
    await rm(file, { force: true });
    throw error;
  });
}
