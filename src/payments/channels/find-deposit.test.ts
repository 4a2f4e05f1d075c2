import { expect, test } from "bun:test";
import { freshAccount } from "../evm/testing/shop.ts";
import { channelId } from "../signatures/batch-settlement.ts";
import { channelConfig, channelRequirements, signedDeposit, signedVoucher } from "../testing/channels.ts";
import { type ChannelVerification } from "../x402/channel-facilitator.ts";
import { findDeposit } from "./find-deposit.ts";

const NETWORK = "eip155:84532";
/** Unix seconds at which the deposit was signed; it is valid for the time of its requirements. */
const SIGNED = 1_000_000;
const payer = freshAccount();
const seller = { payTo: `0x${"b".repeat(40)}`, authorizer: freshAccount().address } as const;
const token = { address: `0x${"a".repeat(40)}`, name: "T", version: "1" } as const;
const accepted = channelRequirements(token, NETWORK, seller);
const END = SIGNED + accepted.maxTimeoutSeconds;
const config = channelConfig(accepted, payer.address);
const deposit = signedDeposit(accepted, config, { amount: 5000n, most: 1000n, signer: payer, now: SIGNED });

const state = { balance: 5000n, totalClaimed: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
const refused = (reason: string) =>
  ({ kind: "refused", reason: `invalid_batch_settlement_evm_${reason}` }) as ChannelVerification;

/** The outcome of a deposit, if the chain says this about the voucher that came with it. */
function found(
  said: ChannelVerification,
  now: number,
  payload: Parameters<typeof findDeposit>[1]["payload"] = deposit,
) {
  const asked: string[] = [];
  const facilitator: Parameters<typeof findDeposit>[0] = {
    verify: async (payment) => {
      asked.push(payment.payload.type);
      return said;
    },
    settle: () => Promise.reject(new Error("nothing is settled")),
  };
  const rows: unknown[] = [];
  const channels = { sync: async (...row: unknown[]) => void rows.push(row) };
  const at = { channels, now: now * 1000 };
  return findDeposit(facilitator, { x402Version: 2, accepted, payload }, at).then((outcome) => ({
    outcome,
    asked,
    rows,
  }));
}

test.each([
  ["accepts the voucher", { kind: "valid", payer: payer.address, state } as const, { kind: "settled" }],
  ["has claimed more", refused("cumulative_below_claimed"), { kind: "settled", payer: payer.address }],
  ["refuses the voucher for another reason", refused("voucher_signature"), { kind: "unknown" }],
  [
    "does not respond",
    { kind: "unavailable", cause: "no response" } as const,
    { kind: "unknown", cause: "no response" },
  ],
])("a deposit, if the chain %s", async (_what, said, outcome) => {
  const made = await found(said, END + 10_000);
  expect(made.outcome).toMatchObject(outcome);
  expect(made.asked).toEqual(["voucher"]);
  const row = { balance: "5000", claimed: "0", withdrawAt: 0, refundNonce: "0" };
  const id = channelId(NETWORK, config).toLowerCase();
  expect(made.rows).toEqual(said.kind === "valid" ? [[id, row, (END + 10_000) * 1000]] : []);
});

test.each(["channel_not_found", "cumulative_exceeds_balance"])(
  "a deposit that the chain does not show (%s) can come until 10 minutes after its end",
  async (reason) => {
    expect((await found(refused(reason), END + 600)).outcome).toEqual({ kind: "unspent" });
    expect((await found(refused(reason), END + 600.9)).outcome).toEqual({ kind: "unspent" });
    expect((await found(refused(reason), END + 601)).outcome).toEqual({ kind: "void" });
  },
);

test("the end of a deposit by Permit2 is its deadline, and a voucher is not a deposit", async () => {
  const authorization = { permit2Authorization: { deadline: String(END + 60) } };
  const permit = { ...deposit, deposit: { ...deposit.deposit, authorization } } as typeof deposit;
  expect((await found(refused("channel_not_found"), END + 660, permit)).outcome).toEqual({ kind: "unspent" });
  expect((await found(refused("channel_not_found"), END + 661, permit)).outcome).toEqual({ kind: "void" });
  const voucher = signedVoucher(NETWORK, config, 1000n, payer);
  const made = await found(refused("channel_not_found"), END, { type: "voucher", channelConfig: config, voucher });
  expect([made.outcome.kind, made.asked]).toEqual(["unknown", []]);
});
