import { ed25519 } from "@noble/curves/ed25519.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { NewestMap } from "../../lib/memory/newest-map.ts";
import { isRpcError, type RpcError, unjudged } from "../evm/node/rpc.ts";
import { refused, unknown, unsent } from "../evm/node/settlements.ts";
import { checkSignature } from "../signatures/check-payment.ts";
import { checkSolanaTerms } from "../signatures/solana.ts";
import { toBase58 } from "../solana/base58.ts";
import { parseSolanaKey } from "../solana/parse-key.ts";
import { type Transaction } from "../solana/transaction.ts";
import { type SolanaAccount } from "../solana/transfer.ts";
import { type Facilitator, type Kind, type Settlement, type Verification } from "../x402/facilitator.ts";
import { UnsupportedError } from "../x402/kinds.ts";
import { isSolanaPayment, type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { transactionOf } from "../x402/payment-key.ts";
import { type Reason } from "../x402/reasons.ts";
import { Cluster, type SettlingCluster } from "./cluster.ts";
import { SolanaReader } from "./solana-reader.ts";
import { checkSponsored } from "./sponsor-policy.ts";

export interface SolanaOptions {
  readonly clusters: readonly SettlingCluster[];
  /** The private key that pays fees: 64 bytes in base58, or as a JSON array. */
  readonly key: string;
}

/** Payments whose settlement has begun; beyond it the oldest is forgotten, and only the cluster knows it. @bound */
const MAX_BEGUN = 65_536;
/** Time after which a transaction that the cluster has not seen is sent again, in milliseconds. @bound */
const RESEND_MS = 2000;

/** A payment that this facilitator may sign. */
interface Sponsored {
  readonly cluster: Cluster;
  readonly transaction: Transaction;
  readonly payer: string;
  /** The whole transaction in base64, signed by all, and its name on the cluster. */
  readonly wire: string;
  readonly signature: string;
}

/** The account of the key. Throws if it is not a key of Solana; the error does not contain it. */
export function feePayerOf({ key }: Pick<SolanaOptions, "key">): SolanaAccount {
  const account = parseSolanaKey(key);
  if (account !== undefined) return account;
  throw new Error("Cannot use the key of Solana: it is neither 64 bytes in base58 nor a JSON array of 64 numbers");
}

/**
 * Verifies and settles payments of `exact` on Solana, and pays their fees. A transaction is settled once: a further order is
 * refused as `duplicate_settlement`, and `find` tells its outcome. `steady` returns monotonic milliseconds. Throws if the key or
 * a URL is invalid.
 */
export function createSolanaFacilitator(options: SolanaOptions, steady?: () => number): Facilitator {
  const account = feePayerOf(options);
  const clusters = new Map(options.clusters.map((settings) => [settings.network, new Cluster(settings)]));
  const reader = new SolanaReader(options.clusters, steady);
  const begun = new NewestMap<string, true>(MAX_BEGUN);

  function sponsored(payment: PaymentPayload, requirements: PaymentRequirements): Sponsored | Reason {
    const cluster = clusters.get(requirements.network);
    if (cluster === undefined) return "invalid_network";
    if (!isSolanaPayment(payment)) return "unsupported_payload_type";
    if (requirements.extra["feePayer"] !== account.address)
      return "invalid_exact_svm_fee_payer_not_managed_by_facilitator";
    const transaction = transactionOf(payment);
    const reason = checkSolanaTerms(payment, requirements) ?? checkSponsored(transaction, BigInt(requirements.amount));
    if (reason !== undefined) return reason;
    const signed = checkSignature(payment, requirements);
    return typeof signed === "string"
      ? signed
      : { cluster, transaction, payer: signed.payer, ...completed(transaction, account) };
  }

  async function supported(): Promise<readonly Kind[]> {
    const all = [...clusters.values()];
    const errors = await Promise.all(all.map((cluster) => cluster.check()));
    const kinds = all.flatMap(({ settings: { network } }, i) =>
      errors[i] === undefined ? [{ scheme: "exact", network, extra: { feePayer: account.address } }] : [],
    );
    const causes = errors.flatMap((error, i) => (error ? [`${all[i]?.settings.network}: ${error.cause}`] : []));
    if (causes.length > 0) throw new UnsupportedError(causes.join("; "), kinds);
    return kinds;
  }

  async function verify(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification> {
    const ready = sponsored(payment, requirements);
    if (typeof ready === "string") return { kind: "refused", reason: ready };
    const hindrance = await findHindrance(ready);
    if (hindrance === undefined) return { kind: "valid", payer: ready.payer };
    if (!isRpcError(hindrance)) return { kind: "refused", reason: hindrance };
    return unjudged(hindrance);
  }

  async function settle(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Settlement> {
    const ready = sponsored(payment, requirements);
    if (typeof ready === "string") return refused(ready);
    const { digest } = ready.transaction;
    if (begun.has(digest)) return refused("duplicate_settlement");
    // There is no `await` between the check and this, so that concurrent calls see it.
    begun.set(digest, true);
    const hindrance = await findHindrance(ready);
    if (hindrance === undefined) return await send(ready);
    begun.delete(digest);
    return isRpcError(hindrance) ? unsent(`${hindrance.cause}: nothing was sent`) : refused(hindrance);
  }

  return {
    supported,
    verify,
    settle,
    find: (payment) => reader.find(payment),
    async close() {
      // It holds nothing.
    },
  };
}

/** Adds the fee payer's signature, whose place is the first one. */
function completed(
  { message, signatures }: Transaction,
  { seed }: SolanaAccount,
): Pick<Sponsored, "wire" | "signature"> {
  const own = ed25519.sign(message, seed);
  const bytes = concatBytes(Uint8Array.of(signatures.length), own, ...signatures.slice(1), message);
  return { wire: Buffer.from(bytes).toString("base64"), signature: toBase58(own) };
}

/** The reason why the transaction would not be executed now. Its name on the cluster is known before it is sent. */
async function findHindrance({ cluster, wire, signature }: Sponsored): Promise<Reason | RpcError | undefined> {
  const state = await cluster.stateOf(signature);
  if (isRpcError(state)) return state;
  if (state !== "absent") return "duplicate_settlement";
  const simulated = await cluster.simulate(wire);
  if (simulated === "no funds") return { error: "failed", cause: "the facilitator's account cannot pay for fees" };
  if (isRpcError(simulated)) return simulated;
  return simulated === "succeeds" ? undefined : "invalid_exact_svm_transaction_simulation_failed";
}

/** Sends the transaction until the cluster has it, and waits until it counts. */
async function send({ cluster, wire, signature, payer }: Sponsored): Promise<Settlement> {
  const { poll_ms: pollMs, receipt_timeout_ms: timeoutMs } = cluster.settings;
  const first = await cluster.send(wire, false);
  // A refusal comes before the transaction leaves the node. Only its state tells whether another node has it.
  const isRefused = isRpcError(first) && first.error === "refused";
  let sinceSent = 0;
  for (let waited = 0; waited < timeoutMs; waited += pollMs) {
    const state = await cluster.stateOf(signature);
    if (state === "succeeded") return { kind: "settled", transaction: signature, payer };
    if (state === "failed") return refused("invalid_exact_svm_transaction_failed");
    if (state === "absent" && isRefused) return refused("invalid_exact_svm_transaction_simulation_failed");
    if (state === "absent" && sinceSent >= RESEND_MS) {
      await cluster.send(wire, true);
      sinceSent = 0;
    }
    await Bun.sleep(pollMs);
    sinceSent += pollMs;
  }
  return unknown(`no confirmation within ${timeoutMs} ms`, signature);
}
