import { z } from "zod";
import { isRpcError, type Request, Rpc } from "../evm/node/rpc.ts";
import { isSolanaAddress, keyBytes, PROGRAMS } from "../solana/address.ts";
import { isMemo, MAX_MEMO_BYTES } from "../solana/memo.ts";
import { tokenAccount } from "../solana/token-account.ts";
import { computeUnits } from "../solana/transfer-message.ts";
import { signTokenTransfer, type SolanaAccount } from "../solana/transfer.ts";
import { type PaymentPayload, type PaymentRequired } from "../x402/messages.ts";
import { networkTitle, parseNetwork } from "../x402/networks.ts";
import { PaymentDeclined, type SolanaChoice } from "./choice.ts";
import { randomHex } from "../../lib/text/random-hex.ts";
import { withExtensions } from "./sign-choice.ts";

/** Time for one call of an RPC endpoint, in milliseconds. @bound */
const RPC_TIMEOUT_MS = 5000;
/** Seconds after which a transaction is counted as expired: twice as long as a blockhash lives. */
const VALID_S = 150;

const latest = z.object({ value: z.object({ blockhash: z.string().refine(isSolanaAddress) }) });
const held = z.object({ value: z.object({ amount: z.string().regex(/^[0-9]{1,20}$/) }) });

export interface SolanaPayer {
  /** Undefined without a wallet. */
  readonly account: () => SolanaAccount | undefined;
  /** The balance of the account in atomic units; undefined if no endpoint of the cluster is known, or it does not respond. */
  balance(choice: SolanaChoice): Promise<bigint | undefined>;
  /** The blockhash that a payment can use. Throws PaymentDeclined without one. */
  blockhash(choice: SolanaChoice): Promise<string>;
}

/** The environment variable with the RPC endpoint of a cluster; undefined for unknown clusters. */
export function clusterVariable(network: string): string | undefined {
  const name = ["solana", "solana-devnet"].find((known) => parseNetwork(known) === network);
  return name && `TURNPIKE_RPC_${name.toUpperCase().replace("-", "_")}`;
}

/** A payer that asks the clusters whose endpoints `env` names. */
export function createSolanaPayer(
  env: Readonly<Record<string, string | undefined>>,
  account: () => SolanaAccount | undefined,
): SolanaPayer {
  const ask = async <T>(network: string, request: Request<T>): Promise<T | undefined> => {
    const url = env[clusterVariable(network) ?? ""];
    if (!url) return undefined;
    if (!URL.canParse(url)) throw new PaymentDeclined(`Cannot pay: $${clusterVariable(network) ?? ""} is not a URL`);
    const [response] = await new Rpc(url, RPC_TIMEOUT_MS).readAll<[T]>([request]);
    return isRpcError(response) ? undefined : response;
  };
  return {
    account,
    async balance({ requirements: { network }, asset }) {
      const own = tokenAccount(account()?.address ?? "", asset.address, PROGRAMS.token);
      const found = await ask(network, { method: "getTokenAccountBalance", params: [own], schema: held });
      return found && BigInt(found.value.amount);
    },
    async blockhash({ requirements: { network, extra } }) {
      const offered = extra["recentBlockhash"];
      if (typeof offered === "string" && isSolanaAddress(offered)) return offered;
      const params = [{ commitment: "confirmed" }];
      const found = await ask(network, { method: "getLatestBlockhash", params, schema: latest });
      if (found !== undefined) return found.value.blockhash;
      const variable = clusterVariable(network) ?? "";
      throw new PaymentDeclined(
        `Cannot pay on ${networkTitle(network)}: name an RPC endpoint in $${variable} that responds`,
      );
    },
  };
}

/** The Unix time in seconds at which a transaction that is signed at `now` (Unix milliseconds) can no longer be executed. */
export function solanaExpiry(now: number): number {
  return Math.floor(now / 1000) + VALID_S;
}

/** Signs a payment. Throws PaymentDeclined if the seller's terms cannot be signed. */
export function signSolana(
  required: PaymentRequired,
  { requirements, asset }: SolanaChoice,
  account: SolanaAccount,
  blockhash: string,
): PaymentPayload {
  const { feePayer, memo = randomHex().slice(0, 32) } = requirements.extra;
  if (typeof feePayer !== "string" || keyBytes(feePayer) === undefined || feePayer === account.address) {
    throw new PaymentDeclined("Cannot pay: the seller names no fee payer on Solana");
  }
  if (!isMemo(memo)) {
    throw new PaymentDeclined(`Cannot pay: the memo that the seller asks for has more than ${MAX_MEMO_BYTES} bytes`);
  }
  const random = Number.parseInt(randomHex().slice(0, 8), 16);
  const transfer = {
    feePayer,
    mint: asset.address,
    decimals: asset.decimals,
    to: requirements.payTo,
    amount: BigInt(requirements.amount),
    memo,
    blockhash,
    computeUnits: computeUnits(random),
  };
  const payload = { transaction: signTokenTransfer(transfer, account) };
  return withExtensions(required, { x402Version: 2, resource: required.resource, accepted: requirements, payload });
}
