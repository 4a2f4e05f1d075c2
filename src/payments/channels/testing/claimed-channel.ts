import { Stop } from "../../../lib/time/stop.ts";
import { type Channel, type Channels } from "../../../store/channels.ts";
import { type Account } from "../../signatures/signature.ts";
import { channelId } from "../../signatures/batch-settlement.ts";
import { channelConfig, channelRequirements, signedVoucher } from "../../testing/channels.ts";
import { freshAccount } from "../../evm/testing/shop.ts";
import { type ChannelFacilitator, type ChannelSettlement } from "../../x402/channel-facilitator.ts";
import { type Address } from "../../x402/address.ts";
import { identityOf } from "../chain-state.ts";
import { Claims, type ClaimsOptions } from "../claims.ts";
import { type ChannelKeys } from "../settings.ts";

const NETWORK = "eip155:84532";
const TOKEN = { address: `0x${"a".repeat(40)}`, name: "T", version: "1" } as const;
/** The seller's key. */
export const AUTHORIZER: Account = freshAccount();

export const KEYS: ChannelKeys = {
  authorizer_key_env: "",
  withdraw_delay_s: 900,
  deposit_requests: 10,
  fresh_s: 300,
  wait_ms: 0,
  max_risk: "100000",
  max_total_risk: "100000",
  claim: { charges: 100, amount: "5000", age_s: 600, batch: 100, on_stop: true },
  contracts: { max_risk: "4000", max_total_risk: "100000" },
  settle_s: 60,
};

/** A channel with 9000 units, of which 3000 are charged and nothing is claimed. */
export function claimedChannel(change: Partial<Channel> = {}, payerAuthorizer?: Address): Channel {
  const payer = freshAccount();
  const seller = { payTo: `0x${"b".repeat(40)}` as const, authorizer: AUTHORIZER.address };
  const config = channelConfig(
    channelRequirements(TOKEN, NETWORK, seller),
    payer.address,
    payerAuthorizer === undefined ? {} : { payerAuthorizer },
  );
  const { signature } = signedVoucher(NETWORK, config, 3000n, payer);
  return {
    ...identityOf(NETWORK, channelId(NETWORK, config), config),
    balance: "9000",
    claimed: "0",
    withdrawAt: 0,
    refundNonce: "0",
    standing: "open",
    syncedAt: 0,
    base: "3000",
    charged: "3000",
    signed: "3000",
    signature,
    holder: "",
    tail: "",
    charges: 3,
    owedSince: 1_000_000,
    refusedAt: 0,
    createdAt: 0,
    updatedAt: 0,
    ...change,
  };
}

/** Claims whose store and listeners record each call, by a facilitator with these results. */
export function recordedClaims(results: readonly ChannelSettlement[], now = 2_000_000) {
  const told: unknown[] = [];
  const left = [...results];
  /** A write that has ended: one that is not awaited comes too late. */
  const write = async (...call: readonly unknown[]): Promise<true> => {
    await new Promise(setImmediate);
    told.push(call);
    return true;
  };
  const channels = {
    done: (id, state, at) => write("done", id, state, at),
    refuse: async (id) => void (await write("refuse", id)),
    writeOff: (id) => write("write off", id),
  } satisfies Partial<Channels> as Partial<Channels> as Channels; // The other methods are not called.
  const options: ClaimsOptions = {
    channels,
    onTrouble: ({ id }, trouble) => told.push([trouble, id]),
    onClaimed: ({ id }, amount) => told.push(["claimed", id, amount]),
    clock: () => now,
    log: () => {},
  };
  const orders: string[] = [];
  const facilitator: ChannelFacilitator = {
    verify: () => Promise.reject(new Error("it is not asked")),
    settle: async ({ payload }) => {
      orders.push(payload.type === "claim" ? `claim ${payload.claims.length}` : payload.type);
      return left.shift() ?? { kind: "unknown", cause: "lost", transaction: "" };
    },
  };
  return { told, orders, facilitator, options, claims: new Claims(options, new Stop()) };
}
