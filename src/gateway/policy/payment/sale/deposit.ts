import { toChainState } from "../../../../payments/channels/chain-state.ts";
import { type Settlement, type Verification } from "../../../../payments/x402/facilitator.ts";
import { type ChannelUse, type DepositUse } from "../offer/offer.ts";
import { type PaidRoute } from "../route/paid-route.ts";

type Asked = Pick<PaidRoute, "facilitator" | "clock">;

const NO_CHANNELS = "the facilitator knows no channels";

/** Asks whether the deposit of a payment can be made. */
export async function verifyDeposit(
  { facilitator }: Asked,
  { payment, requirements }: DepositUse,
): Promise<Verification> {
  if (facilitator.channels === undefined) return { kind: "unavailable", cause: NO_CHANNELS };
  const verification = await facilitator.channels.verify(payment, requirements);
  if (verification.kind === "valid") return { kind: "valid", payer: verification.payer };
  return verification.kind === "early" ? { ...verification, kind: "failed" } : verification;
}

/** Makes the deposit of a payment, once even if repeated, and records what the chain then has. */
export async function makeDeposit(
  { facilitator, clock }: Asked,
  use: ChannelUse,
  { payment, requirements, channels }: DepositUse,
): Promise<Settlement> {
  if (facilitator.channels === undefined) return { kind: "unknown", cause: NO_CHANNELS, transaction: "" };
  const { row } = use;
  const { payload } = payment;
  const at = clock();
  const made = await facilitator.channels.settle(payment, requirements);
  if (made.kind !== "settled") return made.kind === "unknown" ? made : { kind: "refused", reason: made.reason };
  const state = made.state && toChainState(made.state);
  // Without a state, what was there and the deposit: the chain is asked before the next voucher.
  const balance = String(BigInt(row.balance) + BigInt(payload.deposit.amount));
  const { claimed, withdrawAt, refundNonce } = row;
  await channels.sync(
    row.id,
    state ?? { balance, claimed, withdrawAt, refundNonce },
    state === undefined ? row.syncedAt : at,
  );
  use.row = { ...row, ...(state ?? { balance }) };
  return { kind: "settled", transaction: made.transaction, payer: payload.channelConfig.payer };
}
