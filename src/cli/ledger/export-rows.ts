import { EvmNode } from "../../payments/evm/node/node.ts";
import { gasSpent } from "../../payments/evm/gas-spent.ts";
import { readChains } from "../../payments/facilitator/chain-settings.ts";
import { isSimulated } from "../../payments/facilitator/simulated-transaction.ts";
import { CREDIT_BOOK, CREDIT_SCHEME } from "../../store/credits.ts";
import { type LedgerFilter, type LedgerView } from "../../store/ledger-view.ts";
import { type Payment } from "../../store/ledger.ts";
import { type Refund } from "../../store/refunds.ts";
import { type Config } from "../../gateway/config/config.ts";
import { CREDIT_PATH } from "../../gateway/config/own-paths.ts";
import { type LedgerRecord, toRecord, toRefundRecord } from "../common/ledger-record.ts";

/** Refunds that are read at a time, and receipts that one call to a node asks for. @bound */
const PAGE = 50;
const HASH = /^0x[0-9a-fA-F]{64}$/;

export interface ExportRow {
  readonly record: LedgerRecord;
  /** In wei; empty if no transaction of the row is on a chain. */
  readonly gas: string;
}

/** Reads the gas that one account has paid. */
export type GasMeter = (records: readonly LedgerRecord[]) => Promise<readonly string[]>;

/** Asks the chains of a configuration for the gas that `account` has paid. */
export function gasMeter({ x402 }: Config, account: string): GasMeter {
  const nodes = readChains(x402.chains, process.env).map((chain) => new EvmNode(chain, Date.now));
  const seen = new Set<string>();
  return async (records) => {
    const gas = records.map(() => "");
    for (const [network, rows] of Map.groupBy(records.keys(), (i) => records[i]?.network ?? "")) {
      const isNew = (i: number): boolean => {
        const { transaction = "" } = records[i] ?? {};
        // One transaction may settle several payments. Its gas is in the first row.
        const name = `${network} ${transaction}`;
        if (!HASH.test(transaction) || isSimulated(transaction)) return false;
        gas[i] = "0";
        return !seen.has(name) && seen.add(name).size > 0;
      };
      const asked = rows.filter(isNew);
      if (asked.length === 0) continue;
      const node = nodes.find((one) => one.network === network);
      if (node === undefined) throw new Error(`Cannot read the gas of ${network}: x402.chains has no such chain`);
      const transactions = asked.map((i) => records[i]?.transaction ?? "");
      const spent = await gasSpent(node, account, transactions);
      for (const [k, i] of asked.entries()) gas[i] = String(spent[k] ?? 0n);
    }
    return gas;
  };
}

/** The payments, then the refunds that were made in the time of the filter. */
export async function* exportRows(
  view: LedgerView,
  payments: AsyncIterable<Payment>,
  filter: LedgerFilter,
  meter: GasMeter | undefined,
): AsyncGenerator<ExportRow> {
  let waiting: LedgerRecord[] = [];
  async function* flush(): AsyncGenerator<ExportRow> {
    const gas = await meter?.(waiting);
    for (const [i, record] of waiting.entries()) yield { record, gas: gas?.[i] ?? "" };
    waiting = [];
  }
  for await (const record of recordsOf(view, payments, filter)) {
    waiting.push(record);
    if (waiting.length === PAGE) yield* flush();
  }
  yield* flush();
}

async function* recordsOf(
  view: LedgerView,
  payments: AsyncIterable<Payment>,
  filter: LedgerFilter,
): AsyncGenerator<LedgerRecord> {
  for await (const payment of payments) yield toRecord(payment);
  const { states, owed, since = 0, until = Number.MAX_SAFE_INTEGER } = filter;
  if (owed === true || states?.includes("settled") === false) return;
  for (let offset = 0; ; offset += PAGE) {
    const refunds = await view.refunded({ since, until }, { limit: PAGE, offset });
    for (const refund of refunds) {
      const payment = await paymentOf(view, refund);
      if (payment !== undefined && isWanted(payment, filter)) yield toRefundRecord(payment, refund);
    }
    if (refunds.length < PAGE) return;
  }
}

async function paymentOf(view: LedgerView, refund: Refund): Promise<Payment | undefined> {
  const { network, asset, from, nonce } = refund;
  if (nonce.startsWith(CREDIT_BOOK)) return balanceOf(refund);
  const found = await view.search(nonce);
  return found.find((one) => one.network === network && one.asset === asset && one.from === from);
}

/** The prepaid balance of a refund, as a payment. */
function balanceOf({ network, asset, from, nonce, amount, createdAt, updatedAt }: Refund): Payment {
  return {
    network,
    asset,
    from,
    nonce,
    amount,
    createdAt,
    updatedAt,
    token: asset,
    consumer: from,
    state: "settled",
    deferral: "",
    scheme: CREDIT_SCHEME,
    route: CREDIT_PATH,
    delivered: true,
    refunded: "0",
    payTo: "",
    payer: "",
    transaction: "",
    reason: "",
    facilitator: "",
    fingerprint: "",
    payload: "",
    bodyDigest: "",
    attempt: 0,
    cuts: 0,
    partials: 0,
    repeats: 0,
    validBefore: 0,
  };
}

function isWanted({ route, from }: Payment, filter: LedgerFilter): boolean {
  return (filter.route ?? route) === route && (filter.payer ?? from) === from;
}
