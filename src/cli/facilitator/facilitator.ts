import { stamped } from "../../lib/text/stamped.ts";
import { join } from "node:path";
import { takeOnly, type TakenAsset } from "../../payments/facilitator/asset-gate.ts";
import { findAsset } from "../../payments/x402/assets.ts";
import { createSimulatedFacilitator } from "../../payments/facilitator/simulated-facilitator.ts";
import { readEmbedded, settleTimeoutOf } from "../../payments/facilitator/chain-settings.ts";
import { accountsOf } from "../../payments/evm/embedded-facilitator.ts";
import { createOwn } from "../../payments/facilitator/create-own.ts";
import { feePayerOf } from "../../payments/solana-node/solana-facilitator.ts";
import { type Facilitator } from "../../payments/x402/facilitator.ts";
import { type Gas, readGas, watchGas } from "../../payments/facilitator/gas-watch.ts";
import { isLoopback } from "../../payments/facilitator/loopback-only.ts";
import { networkTitle } from "../../payments/x402/networks.ts";
import { type Environment, readSecret } from "../../payments/facilitator/secrets.ts";
import { type ServiceOptions } from "../../payments/facilitator/facilitator-service.ts";
import { SoldResources } from "../../payments/facilitator/sold-resources.ts";
import { type FacilitatorEndpoint, serveFacilitator } from "../../payments/facilitator/serve-facilitator.ts";
import { openStore } from "../../store/open/open-store.ts";
import { atBoundary } from "../common/boundary.ts";
import {
  type FacilitatorFlags,
  parseAssets,
  parseCallers,
  parseEndpoint,
  parseOrigins,
  parseRate,
  readSettings,
  takenAssets,
  variableName,
} from "./facilitator-options.ts";
import { ResourceProbe } from "./resource-probe.ts";
import { flagsText, flagTable, readFlags } from "../common/flags.ts";
import { serviceLog } from "../common/service-log.ts";
import { StartError } from "../common/start-error.ts";
import { stateFolder } from "../common/state-folder.ts";
import { stopSignal } from "../common/stop-signal.ts";
import { sayWarning } from "../common/terminal.ts";
import { UsageError } from "../common/usage-error.ts";

/** The variable that holds the callers' token by default. */
const TOKEN_ENV = "TURNPIKE_FACILITATOR_TOKEN";
/** Milliseconds that a settlement in progress has beyond its own timeout when the service stops. */
const GRACE_MS = 2000;

const FLAGS = flagTable({
  "config FILE": "take chains, key and bounds from x402.chains and x402.embedded of a configuration",
  "listen PLACE": { default: "127.0.0.1:8402", text: "HOST:PORT, or unix:/path, only for this user (127.0.0.1:8402)" },
  "chain N=V...": "a chain, and the environment variable with its RPC endpoint: base-sepolia=BASE_SEPOLIA_RPC",
  "key-env NAME": "the environment variable with the private key that pays for gas ($TURNPIKE_FACILITATOR_KEY)",
  "solana-key-env NAME":
    "the environment variable with the private key that pays fees on Solana, for a --chain such as solana-devnet=SOLANA_RPC",
  "token-env NAME":
    "the environment variable with the token that callers must send as Authorization: Bearer ($TURNPIKE_FACILITATOR_TOKEN, if it is set); without a token only this machine can call. Beside --caller, it is the operator's token, which opens the page",
  "caller NAME=VARIABLE...": "a caller with a token of its own: shop=SHOP_TOKEN. Such tokens do not open the page",
  "rate N": "the most verifications, and the most settlements, of each caller in a second",
  discovery: "list what is sold to everyone at /discovery/resources and /discovery/search",
  "verify ORIGIN...":
    "with --test and --discovery: buy each listed resource of this origin once an hour, and list the result: http://127.0.0.1:8080",
  "asset N:ADDRESS...": "another token to accept: eip155:8453:0x...; its contract can burn the gas of a settlement",
  "any-asset": "accept every token: each caller can then make a contract burn gas",
  test: "without a chain: signatures are checked, no money moves",
  "state-dir DIR": "where --test stores its simulated transfers ($TURNPIKE_HOME, else ~/.turnpike)",
});

const USAGE = `usage: turnpike facilitator [--config FILE] [--listen PLACE] [--chain NETWORK=VARIABLE ...] [--key-env NAME]
                            [--solana-key-env NAME] [--token-env NAME] [--caller NAME=VARIABLE ...] [--rate N] [--discovery]
                            [--asset NETWORK:ADDRESS ... | --any-asset]
       turnpike facilitator --test [--listen PLACE] [--state-dir DIR] [--discovery [--verify ORIGIN ...]]

Verifies and settles payments with a key of its own: POST /verify, POST /settle, GET /supported, GET /health.
Its page at / shows the gas of its keys, and its settlements and errors.
It accepts the known tokens of its chains (USDC), the tokens of the routes in the configuration, and those of --asset.

${flagsText(FLAGS)}`;

interface Offered {
  readonly facilitator: Facilitator;
  readonly lines: readonly (readonly [name: string, text: string])[];
  readonly warnings: readonly string[];
  readonly signers: Readonly<Record<string, readonly string[]>>;
  readonly isSimulated: boolean;
  readonly graceMs: number;
  readonly gas: () => readonly Gas[];
  close(): Promise<void>;
}

/** `turnpike facilitator`: serves the embedded facilitator until a signal stops it. Returns the exit code. */
export function facilitator(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const values = readFlags(args, FLAGS);
    const isTest = values.test === true;
    const endpoint = parseEndpoint(values.listen);
    const { caller: named = [], rate, discovery, "token-env": tokenEnv } = values;
    const callers = parseCallers(named, process.env);
    // The default variable is the token of all callers, so it does not open the page beside callers with names.
    const token = callers.length > 0 && tokenEnv === undefined ? undefined : tokenOf(tokenEnv, process.env);
    if (callers.some((caller) => caller.token === token))
      throw new UsageError("a --caller has the token of --token-env");
    const perSecond = parseRate(rate);
    const access: Access = {
      callers,
      token,
      rate: perSecond === undefined ? undefined : { perSecond, now: () => performance.now() },
      resources: discovery === true ? new SoldResources(Date.now) : undefined,
    };
    if (isTest) requireOwnMachine(endpoint);
    const origins = parseOrigins(values.verify ?? []);
    if (origins.size > 0 && !(isTest && discovery === true))
      throw new UsageError("--verify works only with --test and --discovery");
    const { chain: chains = [], config, "key-env": key, "solana-key-env": solanaKey } = values;
    const { asset: assets = [], "any-asset": isAny = false } = values;
    const ofChains = [config, key, solanaKey, ...chains, ...assets];
    if (isTest && (isAny || ofChains.some((value) => value !== undefined))) {
      throw new UsageError("--test excludes --config, --key-env, --solana-key-env, --chain, --asset and --any-asset");
    }
    if (isAny && assets.length > 0) throw new UsageError("--any-asset accepts every token, so --asset has no effect");
    if (!isTest && chains.length === 0 && config === undefined) {
      throw new UsageError("Name a chain with --chain, or a configuration that has one with --config");
    }
    const keyEnv = key === undefined ? undefined : variableName("--key-env", key);
    const solanaKeyEnv = solanaKey === undefined ? undefined : variableName("--solana-key-env", solanaKey);
    const offered = isTest
      ? await openTest(stateFolder(values["state-dir"]))
      : await openChains({ config, chains, keyEnv, solanaKeyEnv }, isAny ? "any" : parseAssets(assets), endpoint);
    return await serve(offered, endpoint, { ...access, origins });
  });
}

function tokenOf(name: string | undefined, environment: Environment): string | undefined {
  if (name !== undefined) return readSecret(environment, variableName("--token-env", name), "--token-env");
  return environment[TOKEN_ENV] || undefined;
}

/** In test mode every payment is valid, so any client of a gateway with this facilitator would pay nothing. */
function requireOwnMachine(endpoint: FacilitatorEndpoint): void {
  if ("unix" in endpoint || isLoopback(endpoint.hostname)) return;
  throw new StartError(`Cannot listen on ${endpoint.hostname} with --test: other machines can reach it`);
}

async function openTest(folder: string): Promise<Offered> {
  const store = openStore(join(folder, "facilitator-test.db"));
  await store.ready();
  return {
    facilitator: createSimulatedFacilitator(store.simulatedTransfers, Date.now),
    lines: [["mode", "test mode: signatures are checked, no money moves"]],
    warnings: [],
    signers: {},
    isSimulated: true,
    gas: () => [],
    graceMs: GRACE_MS,
    close: () => store.close(),
  };
}

async function openChains(
  flags: FacilitatorFlags,
  named: readonly TakenAsset[] | "any",
  endpoint: FacilitatorEndpoint,
): Promise<Offered> {
  const config = await readSettings(flags);
  const options = readEmbedded(config.x402, process.env);
  if (options === undefined) throw new StartError("Cannot start: x402.embedded is off");
  const { solana } = options;
  const clusters = solana?.clusters.map(({ network }) => network) ?? [];
  const networks = [...options.chains.map(({ network }) => network), ...clusters];
  const assets = named === "any" ? undefined : takenAssets(config, networks, named);
  const own = createOwn(options);
  const feePayers = solana === undefined ? [] : [feePayerOf(solana).address];
  const accounts = accountsOf(options);
  const look = (): Promise<readonly Gas[]> => readGas(options.chains, accounts);
  let gas = await look();
  const stopWatching = watchGas(
    look,
    (line) => sayWarning(stamped(line)),
    (all) => (gas = all),
  );
  return {
    facilitator: assets === undefined ? own : takeOnly(own, networks, assets),
    lines: [
      ...[...accounts, ...feePayers].map((address) => ["address", address] as const),
      ...gas.map((of) => ["chain", gasText(of, accounts.length > 1)] as const),
      ...clusters.map((network) => ["chain", networkTitle(network)] as const),
      ...takenTexts(assets).map((text) => ["takes", text] as const),
    ],
    warnings: openWarnings(assets, endpoint),
    signers: Object.fromEntries([
      ...options.chains.map(({ network }) => [network, accounts]),
      ...clusters.map((network) => [network, feePayers]),
    ]),
    isSimulated: false,
    gas: () => gas,
    graceMs: settleTimeoutOf(config.x402.chains) + GRACE_MS,
    async close() {
      stopWatching();
      await own.close();
    },
  };
}

function takenTexts(assets: readonly TakenAsset[] | undefined): readonly string[] {
  if (assets === undefined) return ["every token"];
  if (assets.length === 0) return ["no token is accepted: name one with --asset"];
  return assets.map(({ network, address }) => {
    const symbol = findAsset(network, address)?.symbol;
    return `${symbol === undefined ? "" : `${symbol}, `}${address} on ${networkTitle(network)}`;
  });
}

function openWarnings(assets: readonly TakenAsset[] | undefined, endpoint: FacilitatorEndpoint): readonly string[] {
  if (assets !== undefined || "unix" in endpoint || isLoopback(endpoint.hostname)) return [];
  return [
    "--any-asset: callers with the token can settle payments in any contract's tokens, at the cost of this key's gas",
  ];
}

function gasText(gas: Gas, isShared: boolean): string {
  const what = "cause" in gas ? gas.cause : `${gas.balance} for gas`;
  return `${networkTitle(gas.network)}, ${what}${isShared ? ` of ${gas.account}` : ""}`;
}

/** The callers with their rate, and the list that everyone may read. */
type Access = Pick<ServiceOptions, "callers" | "token" | "rate" | "resources">;

/** The origins whose resources are bought to verify them. */
interface Served extends Access {
  readonly origins: ReadonlySet<string>;
}

function accessText({ callers = [], token }: Access): string {
  if (callers.length > 0) {
    return [...callers.map(({ name }) => name), ...(token === undefined ? [] : ["the operator"])].join(", ");
  }
  return token === undefined ? "this machine alone" : "callers with the token";
}

async function serve(offered: Offered, endpoint: FacilitatorEndpoint, { origins, ...access }: Served): Promise<number> {
  const { facilitator: own, signers, isSimulated, graceMs, gas } = offered;
  const { resources } = access;
  const probe = resources && new ResourceProbe({ resources, origins, now: Date.now });
  try {
    const server = await serveFacilitator(own, endpoint, { ...access, signers, isSimulated, gas, log: serviceLog() });
    // Installed before the banner shows the address: a signal may follow at once.
    const stopped = stopSignal();
    const lines = [["listening", server.url], ["callers", accessText(access)], ...offered.lines];
    console.log(lines.map(([name = "", text = ""]) => `${name.padEnd(10)}${text}`).join("\n"));
    for (const warning of offered.warnings) sayWarning(`warning: ${warning}`);
    if (origins.size > 0) probe?.start();
    await stopped;
    await server.close(graceMs);
    return 0;
  } finally {
    probe?.close();
    await offered.close();
  }
}
