import { hexToBytes } from "@noble/hashes/utils.js";
import { parseAllowedAsset } from "../../payments/client/allowed-asset.ts";
import { formatDollars } from "../../payments/client/choice.ts";
import { heldText, Spending, spendingPath } from "../../payments/client/spending.ts";
import { createSolanaWallet, readSolanaWallet, solanaWalletPath } from "../../payments/client/solana-wallet.ts";
import { parseSolanaKey } from "../../payments/solana/parse-key.ts";
import { type SolanaAccount } from "../../payments/solana/transfer.ts";
import { importWallet, openWallet, readWallet, walletPath } from "../../payments/client/wallet.ts";
import { atBoundary } from "../common/boundary.ts";
import { flagsText, flagTable, parseFlags } from "../common/flags.ts";
import { printLine } from "../common/standard-output.ts";
import { unknownSubcommand, UsageError } from "../common/usage-error.ts";
import { parseChannels, walletChannels } from "./wallet-channels.ts";
import { balancesOf, balancesText, chainsToAsk } from "./wallet-balance.ts";

const FLAGS = flagTable({
  "network N...": "a chain, such as base or eip155:84532; default: every chain with a known RPC endpoint",
  "rpc-env NAME":
    "the environment variable with the RPC endpoint of a single --network; default TURNPIKE_RPC_<chain id>, as TURNPIKE_RPC_84532",
  "allow-asset TOKEN...": "another token: NETWORK:ADDRESS:NAME:VERSION:DECIMALS",
  json: "print JSON",
});

const USAGE = `usage: turnpike wallet [create | address | import | balance] [--json]
       turnpike wallet balance [--network N ...] [--rpc-env NAME] [--allow-asset TOKEN ...] [--json]
       turnpike wallet solana [create | import] [--json]
       turnpike wallet channels [list | refund | withdraw] [CHANNEL ...] [--json]

  (none)     show the wallet's address and file, and what it paid today; makes one on first use
  create     make a wallet, unless there is one
  address    print the address alone
  import     make a wallet from the private key on standard input (64 hexadecimal digits), unless there is one
  balance    show its balance on each chain: known tokens, and the currency for gas
  solana     show the address of its account on Solana; create makes one with a new key, and import with the key on standard
             input, in base58 or as a JSON array. Payments need $TURNPIKE_RPC_SOLANA or $TURNPIKE_RPC_SOLANA_DEVNET
  channels   show its channels; refund asks their sellers for the rest, withdraw takes it from the chain without them, in
             two steps with the channel's delay between them, and needs gas and $TURNPIKE_RPC_<chain id>

${flagsText(FLAGS)}

The wallet is in $TURNPIKE_HOME or ~/.turnpike, readable only by its owner.`;

const COMMANDS = ["", "create", "address", "import", "balance", "solana", "channels"] as const;
type Command = (typeof COMMANDS)[number];

/** Characters of a private key on standard input, including white space. Longer input is refused. */
const MAX_KEY_INPUT = 512;

function parse(args: readonly string[]) {
  const { values, positionals } = parseFlags(args, FLAGS);
  const [name = "", ...rest] = positionals;
  const command = COMMANDS.find((known) => known === name);
  if (command === undefined) throw unknownSubcommand(name, COMMANDS.slice(1));
  if (rest.length > 0 && command !== "channels" && command !== "solana")
    throw new UsageError(`Unexpected argument "${rest[0] ?? ""}"`);
  const forBalance = [values.network, values["rpc-env"], values["allow-asset"]].some((value) => value !== undefined);
  if (forBalance && command !== "balance")
    throw new UsageError("--network, --rpc-env and --allow-asset are flags of balance only");
  return { command, values, rest };
}

/** `turnpike wallet`: shows or creates the wallet, shows balances. Returns 0 done, 1 failed, 2 wrong usage. */
export function wallet(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { command, values, rest } = parse(args);
    const json = values.json === true;
    const path = walletPath();
    if (command === "balance") {
      const assets = (values["allow-asset"] ?? []).map(parseAllowedAsset);
      const chains = chainsToAsk({ networks: values.network ?? [], rpcEnv: values["rpc-env"] }, process.env);
      const { account } = openWallet(path);
      const balances = await balancesOf(chains, account.address, assets);
      await printLine(json ? JSON.stringify({ address: account.address, chains: balances }) : balancesText(balances));
      return balances.every((chain) => "gas" in chain) ? 0 : 1;
    }
    if (command === "solana") return await walletSolana(rest, path, json);
    if (command === "channels") return await walletChannels(parseChannels(rest), { wallet: path, json });
    return await show(command, path, json);
  });
}

async function show(
  command: Exclude<Command, "balance" | "channels" | "solana">,
  path: string,
  json: boolean,
): Promise<number> {
  if ((command === "create" || command === "import") && readWallet(path) !== undefined) {
    throw new Error(`Cannot ${command} a wallet: there is one already at ${path}`);
  }
  if (command === "import") importWallet(path, await readKey());
  const { account, created } = openWallet(path);
  const isNew = created || command === "import";
  if (json) await printLine(JSON.stringify({ address: account.address, file: path, created: isNew }));
  else if (command === "address") await printLine(account.address);
  else {
    const lines = [`address  ${account.address}`, `file     ${path}${isNew ? " (new)" : ""}`];
    if (!isNew) {
      const today = new Spending(spendingPath(path)).today();
      if (today.counted > 0n) lines.push(`today    ${formatDollars(today.counted)} signed${heldText(today)}`);
    }
    await printLine(lines.join("\n"));
  }
  return 0;
}

async function walletSolana([action, ...more]: readonly string[], path: string, json: boolean): Promise<number> {
  if (action !== undefined && action !== "create" && action !== "import")
    throw unknownSubcommand(action, ["create", "import"]);
  if (more.length > 0) throw new UsageError(`Unexpected argument "${more[0] ?? ""}"`);
  const file = solanaWalletPath(path);
  if (action !== undefined) createSolanaWallet(file, action === "import" ? await readSolanaKey() : undefined);
  const account = readSolanaWallet(file);
  if (account === undefined)
    throw new Error("There is no account on Solana: make one with turnpike wallet solana create");
  const { address } = account;
  await printLine(
    json ? JSON.stringify({ address, file, created: action !== undefined }) : `address  ${address}\nfile     ${file}`,
  );
  return 0;
}

async function readSolanaKey(): Promise<SolanaAccount> {
  const account = parseSolanaKey(await readInput());
  if (account === undefined)
    throw new Error("Cannot use the key: it is neither base58 of 64 bytes nor a JSON array of them");
  return account;
}

/** Reads the key from standard input, because other users can see arguments. Errors do not contain the input. */
async function readKey(): Promise<Uint8Array> {
  const digits = /^\s*(?:0x)?([0-9a-fA-F]{64})\s*$/.exec(await readInput())?.[1];
  if (digits === undefined) throw new Error("Cannot use the key: it is not 64 hexadecimal digits");
  return hexToBytes(digits);
}

async function readInput(): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of Bun.stdin.stream()) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_KEY_INPUT) break;
  }
  return text;
}
