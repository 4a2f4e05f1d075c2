/** A wallet with channels at a stock seller, and what may go wrong between them. */
import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hexToBytes } from "@noble/hashes/utils.js";
import { type Response as NodeResponse, startScriptedNode, word } from "../../../evm/testing/scripted-node.ts";
import { PAYER, PRIVATE_KEY } from "../../../testing/payment.ts";
import { type SentChannel } from "../../../testing/table-facilitator.ts";
import { decodeHeader, encodeHeader } from "../../../x402/header.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../x402/messages.ts";
import { payAndFetch, PaymentDeclined, type PayOptions } from "../../client.ts";
import { Channels } from "../channels.ts";
import { payerFrom } from "../pay-from-channel.ts";
import { refundChannel } from "../refund.ts";
import { signVoucher } from "../sign-channel.ts";

export const NOW = 1_800_000_000_000;
const folder = mkdtempSync(join(tmpdir(), "turnpike-wallets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
export const account = { address: PAYER, privateKey: hexToBytes(PRIVATE_KEY.slice(2)) };
let counter = 0;

/** A new wallet, which pays at `url`. Its clock stands at `NOW`. */
export function openWallet(url: string, endpoints: Record<string, string> = {}) {
  counter += 1;
  const own = new Channels(join(folder, String(counter)), { maxDeposit: "$1", now: () => NOW });
  const options: PayOptions = {
    account: () => account,
    maxPrice: "$0.01",
    sleep: async () => {},
    now: () => NOW,
    channels: payerFrom(own, endpoints),
  };
  return {
    own,
    pay: (change: Partial<PayOptions> = {}) => payAndFetch(url, {}, { ...options, ...change }),
    state: () => own.file.channels(),
    refund: (send: typeof sendOn = fetch) =>
      refundChannel(own.file.channels()[0]?.id ?? "", { channels: own, account, send }),
  };
}

const sendOn = async (url: string, init: RequestInit): Promise<Response> => await fetch(url, init);

/** The payment from a channel in a request. */
export const paymentIn = ({ headers }: RequestInit): SentChannel | undefined => {
  const header = new Headers(headers).get("payment-signature");
  return header === null ? undefined : Object(decodeHeader(header)).payload;
};

/** Changes the price of each 402 to an unpaid request. */
export function pricing(change: (accept: PaymentRequirements) => void) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if (response.status !== 402 || paymentIn(init) !== undefined) return response;
    return repriced(response, change);
  };
}

function repriced(response: Response, change: (accept: PaymentRequirements) => void, error?: string): Response {
  const required = decodeHeader(response.headers.get("payment-required") ?? "") as PaymentRequired;
  for (const accept of required.accepts) change(accept);
  const header = encodeHeader({ ...required, ...(error === undefined ? {} : { error }) });
  return Response.json({}, { status: 402, headers: { "payment-required": header } });
}

/** Refuses each payment with this error, and with what `change` puts into the requirements. */
export function refusing(error: string, change: (accept: PaymentRequirements, sent: SentChannel) => void = () => {}) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const sent = paymentIn(init);
    if (sent === undefined) return await fetch(url, init);
    return repriced(await fetch(url), (accept) => change(accept, sent), error);
  };
}

export const MISMATCH = "invalid_batch_settlement_evm_cumulative_amount_mismatch";

/** Claims this sum of charges, and proves it. */
export const claiming =
  (charged: string) =>
  ({ extra }: PaymentRequirements, { voucher: { channelId } }: SentChannel): void => {
    const { signature } = signVoucher("eip155:84532", channelId as `0x${string}`, charged, account);
    Object.assign(extra, {
      channelState: { channelId, balance: "10000", chargedCumulativeAmount: charged },
      voucherState: { signedMaxClaimable: charged, signature },
    });
  };

/** Replaces the receipt of each paid response. */
export function receipting(change: (receipt: Record<string, unknown>) => object | undefined) {
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const header = response.headers.get("payment-response");
    if (header === null) return response;
    const receipt = change(decodeHeader(header) as Record<string, unknown>);
    if (receipt === undefined) response.headers.delete("payment-response");
    else response.headers.set("payment-response", encodeHeader(receipt));
    return response;
  };
}

/** Loses the first response to a payment. */
export function losing() {
  let isLost = false;
  return async (url: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    if (isLost || paymentIn(init) === undefined) return response;
    isLost = true;
    throw new Error("cut");
  };
}

/** Why nothing is paid. */
export const reason = (paid: Promise<unknown>): Promise<string> =>
  paid.then(
    () => "paid",
    (error: unknown) => (error instanceof PaymentDeclined ? error.message : `not declined: ${String(error)}`),
  );

/** A node that knows what is in each channel of the contract, what was claimed, and when a withdrawal was asked for. */
export async function startNode(balance: NodeResponse | bigint, claimed = 0n, asked = 0) {
  const node = startScriptedNode(NOW);
  const zero = word(0n);
  let calls = 0;
  node.responses = {
    "channels(bytes32)": () => {
      calls += 1;
      return typeof balance === "bigint" ? `${word(balance)}${word(claimed).slice(2)}` : balance;
    },
    "pendingWithdrawals(bytes32)": `${zero}${word(BigInt(asked)).slice(2)}`,
    "refundNonce(bytes32)": zero,
  };
  return { ...node, calls: () => calls, close: () => node[Symbol.asyncDispose]() };
}
