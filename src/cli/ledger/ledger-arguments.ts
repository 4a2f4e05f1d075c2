import { isAccount, searchPrefix } from "../../payments/x402/account.ts";
import { canonicalAddress, isAddress } from "../../payments/x402/address.ts";
import { type LedgerFilter } from "../../store/ledger-view.ts";
import { PAYMENT_STATES, type PaymentState } from "../../store/ledger.ts";
import { flagsText, type FlagTable, flagTable, parseFlags } from "../common/flags.ts";
import { parseTime } from "../common/units.ts";
import { unknownSubcommand, UsageError } from "../common/usage-error.ts";

const FILTER_FLAGS = flagTable({
  "state S":
    "reserved, verified, deferred, settling, settled, released, failed, unknown;\nopen: settling or unknown; owed: settled, and the response not delivered",
  "route R": "only payments of the route with this path prefix",
  "payer A": "only payments that this address signed; its beginning is enough",
  "since D":
    "only payments received at D or later: today, 2026-11-21, 2026-11-21T08:30:00Z, or 15m, 2h, 1d or 1w ago; days are in UTC",
  "until D": "only payments received before D",
  "limit N": "maximum number of payments, the newest first (50)",
});

const LOCATION_FLAGS = flagTable({
  "config FILE": "the ledger of this configuration: its database, or its file",
  "state-dir DIR": "the ledger in this state folder of turnpike start (default $TURNPIKE_HOME, else ~/.turnpike)",
  "store FILE": "this ledger file",
});

/** The first lines of the usage text explain the flags without a `text`. */
const FLAGS = {
  ...FILTER_FLAGS,
  ...flagTable({
    "by KEY": { text: undefined },
    csv: { text: undefined },
    jsonl: { text: undefined },
    "rates FILE": { text: undefined },
    "gas ACCOUNT": { text: undefined },
    "vat PERCENT": { text: undefined },
    json: { text: undefined },
  }),
  ...LOCATION_FLAGS,
} as const satisfies FlagTable;

export const LEDGER_USAGE = `usage: turnpike ledger list [FILTERS] [--limit N] [--json]
       turnpike ledger show NONCE|TRANSACTION [--json]
       turnpike ledger export --csv|--jsonl [--rates FILE [--vat PERCENT]] [--gas ACCOUNT --config FILE] [FILTERS]
       turnpike ledger totals --by route|payer|day [FILTERS] [--json]
       turnpike ledger backup FILE

Shows the payments in a ledger. It only reads: a gateway can run at the same time.

  list       print the newest payments
  show       print one payment, by its nonce or transaction hash, or the beginning of one
  export     print all payments, newest first, and then refunds with negative amounts;
             with --rates also the value of settled ones in a currency, by lines such as
             2026-11-27,USDC,EUR,0.92; with --vat also the VAT that the prices include;
             with --gas also the gas that ACCOUNT paid, in wei, from the chains of the configuration
  totals     print the sums of the settled payments; of routes and payers the largest first
  backup     write a copy of a ledger in SQLite to a new file (docs/ledger.md tells how to restore it)

filters:
${flagsText(FILTER_FLAGS)}

which ledger:
${flagsText(LOCATION_FLAGS)}`;

const STATES: Readonly<Record<string, readonly PaymentState[]>> = {
  ...Object.fromEntries(PAYMENT_STATES.map((state) => [state, [state]])),
  open: ["settling", "unknown"],
  owed: [],
};

const KEYS = ["route", "payer", "day"] as const;
/** Payments that a list without --limit has. */
export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;
/** Characters in the prefix of a nonce or transaction hash. A shorter prefix would match payments by chance. */
const MIN_PREFIX = 4;
/** The beginning of an address, of a chain with EVM or of Solana. */
const EVM_PREFIX = /^0x[0-9a-f]{4,40}$/i;
const SOLANA_PREFIX = /^[1-9A-HJ-NP-Za-km-z]{4,44}$/;

/** The location of the ledger. Without either, the ledger of `turnpike start`. */
export interface LedgerLocation {
  readonly config?: string | undefined;
  readonly stateDir?: string | undefined;
  readonly store?: string | undefined;
}

export type LedgerQuery =
  | { readonly kind: "list"; readonly filter: LedgerFilter; readonly limit: number | undefined }
  | { readonly kind: "show"; readonly prefix: string }
  | {
      readonly kind: "export";
      readonly filter: LedgerFilter;
      readonly format: "csv" | "jsonl";
      readonly rates: string | undefined;
      readonly vat: string;
      readonly gas: string | undefined;
    }
  | { readonly kind: "backup"; readonly file: string }
  | { readonly kind: "totals"; readonly filter: LedgerFilter; readonly by: (typeof KEYS)[number] };

/** A valid command line of `turnpike ledger`. */
export interface LedgerRequest {
  readonly query: LedgerQuery;
  readonly location: LedgerLocation;
  readonly json: boolean;
}

type Values = ReturnType<typeof parseFlags<typeof FLAGS>>["values"];

/** Reads the command line. Throws as `parseFlags`, and UsageError for an invalid value. */
export function parseLedger(args: readonly string[], now = Date.now()): LedgerRequest {
  const { values, positionals } = parseFlags(args, FLAGS);
  const query = queryOf(values, positionals, now);
  const { config, store, "state-dir": stateDir } = values;
  if (store !== undefined && (config ?? stateDir) !== undefined) {
    throw new UsageError("--store names the ledger; leave out --config and --state-dir");
  }
  return { query, json: values.json === true, location: { config, stateDir, store } };
}

/** The flags of each subcommand, beyond those that all subcommands have. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  list: ["state", "route", "payer", "since", "until", "limit", "json"],
  show: ["json"],
  export: ["state", "route", "payer", "since", "until", "csv", "jsonl", "rates", "vat", "gas"],
  totals: ["route", "payer", "since", "until", "by", "json"],
  backup: [],
};

function queryOf(values: Values, [command = "", subject, ...rest]: readonly string[], now: number): LedgerQuery {
  checkFlags(values, command);
  if (command === "show") {
    if (subject === undefined) throw new UsageError("Name a payment by its nonce or transaction");
    refuseMore(rest);
    return { kind: "show", prefix: prefixOf(subject) };
  }
  if (command === "backup") {
    if (subject === undefined) throw new UsageError("Name the file of the backup");
    refuseMore(rest);
    return { kind: "backup", file: subject };
  }
  refuseMore(subject === undefined ? rest : [subject, ...rest]);
  const filter = filterOf(values, now);
  if (command === "list") return { kind: "list", filter, limit: limitOf(values.limit) };
  if (command === "totals") {
    const by = KEYS.find((key) => key === values.by);
    if (by === undefined) throw new UsageError(`Name the key of the totals: --by ${KEYS.join("|")}`);
    return { kind: "totals", filter, by };
  }
  if ((values.csv === true) === (values.jsonl === true))
    throw new UsageError("Choose the format of the export: --csv or --jsonl");
  if (values.vat !== undefined && values.rates === undefined) throw new UsageError("--vat needs --rates");
  const { rates, vat = "0", gas } = values;
  if (gas !== undefined && values.config === undefined) throw new UsageError("--gas needs --config");
  if (gas !== undefined && !isAddress(gas)) throw new Error(`Cannot use --gas "${gas}": it is not an address`);
  return { kind: "export", filter, format: values.csv === true ? "csv" : "jsonl", rates, vat, gas };
}

function checkFlags(values: Values, command: string): void {
  const known = Object.hasOwn(KNOWN, command) ? KNOWN[command] : undefined;
  if (known === undefined) throw unknownSubcommand(command, Object.keys(KNOWN));
  const places = ["config", "state-dir", "store"];
  const other = Object.keys(values).find((name) => !known.includes(name) && !places.includes(name));
  if (other !== undefined) throw new UsageError(`${command} does not take --${other}`);
}

function refuseMore([first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError(`Unexpected argument "${first}"`);
}

function filterOf({ state, route, payer, since, until }: Values, now: number): LedgerFilter {
  const states = state === undefined || !Object.hasOwn(STATES, state) ? undefined : STATES[state];
  if (state !== undefined && states === undefined) {
    throw new Error(`Cannot use --state "${state}": it must be one of ${Object.keys(STATES).join(", ")}`);
  }
  return {
    ...(states === undefined ? {} : state === "owed" ? { owed: true } : { states }),
    ...(route === undefined ? {} : { route }),
    ...(payer === undefined ? {} : { payer: payerPrefix(payer) }),
    ...(since === undefined ? {} : { since: timeOf("--since", since, now) }),
    ...(until === undefined ? {} : { until: timeOf("--until", until, now) }),
  };
}

/** The beginning of an address as the ledger stores it. */
function payerPrefix(text: string): string {
  const digits = withoutEllipsis(text);
  if (isAccount(digits)) return canonicalAddress(digits);
  if (EVM_PREFIX.test(digits)) return digits.toLowerCase();
  if (SOLANA_PREFIX.test(digits)) return digits;
  throw new Error(
    `Cannot use --payer "${text}": it is not an address, nor the start of one with at least ${MIN_PREFIX} digits`,
  );
}

/** Without the character that ends a shortened address or hash in a table. */
function withoutEllipsis(text: string): string {
  return text.replace(/…$/, "");
}

function timeOf(flag: string, text: string, now: number): number {
  const time = parseTime(text, now);
  if (time !== undefined) return time;
  throw new Error(
    `Cannot use ${flag} "${text}": it must be a day (today, 2026-11-21), a time (2026-11-21T08:30:00Z) or an age (2h)`,
  );
}

function limitOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new Error(`Cannot use --limit "${text}": it must be a number from 1 to ${MAX_LIMIT}`);
}

function prefixOf(text: string): string {
  const prefix = searchPrefix(withoutEllipsis(text), MIN_PREFIX);
  if (prefix !== undefined) return prefix;
  throw new Error(
    `Cannot look for "${text}": it is not the start of a nonce or hash, with at least ${MIN_PREFIX} digits`,
  );
}
