import { z } from "@hono/zod-openapi";
import { TurnpikeError } from "../../../lib/errors.ts";
import { findAsset } from "../../../payments/x402/assets.ts";
import { type Channel, type Channels, isLost } from "../../../store/channels.ts";
import { channel } from "../shapes/channels.ts";
import { opened, stored, tell } from "./ledger-store.ts";
import { type Operation, operationTable } from "./operation.ts";

/** Channels on one page. @bound */
const PAGE = 100;

const ID = { id: "The id of the channel" };

export const CHANNEL_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/channels": {
    name: "listChannels",
    summary: "Payment channels, the last used first",
    query: { before: "The id of the last channel of the page before" },
    success: {
      description: `At most ${PAGE} channels`,
      schema: z.object({ channels: z.array(channel), more: z.boolean() }),
    },
    failures: ["not-found", "store-unavailable"],
    async run({ query }, parts) {
      const channels = opened(parts.channels);
      const id = query.get("before");
      const before = id === null ? undefined : await found(channels, id);
      const rows = await stored(() => channels.list(before, PAGE + 1));
      return Response.json({ channels: rows.slice(0, PAGE).map(shown), more: rows.length > PAGE });
    },
  },
  "POST /v1/channels/claims": {
    name: "claimChannels",
    summary: "Claim all charges of channels on the chain",
    description: "The claims are made within seconds by a process that serves.",
    query: { channel: "The id of one channel, which is claimed also if it is written off" },
    success: { description: "The number of channels with charges", schema: z.object({ channels: z.int() }) },
    failures: ["not-found", "store-unavailable"],
    async run(call, parts) {
      const channels = opened(parts.channels);
      const id = call.query.get("channel");
      const known = id === null ? undefined : await found(channels, id);
      const number = await stored(() => channels.demand(known?.id));
      tell(parts, call, `demanded the charges of ${number} channels`);
      return Response.json({ channels: number });
    },
  },
  "DELETE /v1/channels/{id}": {
    name: "closeChannel",
    summary: "Pay the rest of a channel back to its payer, and claim its charges",
    description: "A process that serves does this within seconds. A later deposit opens the channel again.",
    parameters: ID,
    success: { description: "The channel", schema: channel },
    failures: ["not-found", "payment-conflict", "store-unavailable"],
    async run(call, parts) {
      const channels = opened(parts.channels);
      const { id } = await found(channels, call.parameters["id"] ?? "");
      if (!(await stored(() => channels.close(id)))) {
        throw new TurnpikeError("payment-conflict", "Cannot close the channel: it is not open, or in use");
      }
      tell(parts, call, `closed the channel ${id}`);
      return Response.json(shown(await found(channels, id)));
    },
  },
});

async function found(channels: Channels, id: string): Promise<Channel> {
  const row = await stored(() => channels.find(id.toLowerCase()));
  if (row === undefined) throw new TurnpikeError("not-found", `Cannot find the channel ${JSON.stringify(id)}`);
  return row;
}

function shown(row: Channel): z.output<typeof channel> {
  const { id, network, payer, receiver, token, standing, balance, charged, claimed, base } = row;
  const known = findAsset(network, token);
  return {
    id,
    network,
    payer,
    receiver,
    asset: token,
    ...(known === undefined ? {} : { symbol: known.symbol, decimals: known.decimals }),
    standing,
    balance,
    charged,
    claimed,
    lost: isLost(row) ? String(BigInt(charged) - BigInt(claimed)) : "0",
    reserved: String(BigInt(base) - BigInt(charged)),
    withdraw_at_s: row.withdrawAt,
    synced_ms: row.syncedAt,
    used_ms: row.updatedAt,
  };
}
