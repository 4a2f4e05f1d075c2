import * as z from "zod";
import { type ShownChannel, channel } from "../../gateway/admin/shapes/channels.ts";
import { formatAmount } from "../../payments/x402/price.ts";
import { type Column } from "../common/table.ts";
import { timeText } from "../common/units.ts";
import { pathOf, queryOf } from "./admin-client.ts";
import { type AdminCommand, callForm, tableText } from "./admin-command.ts";

const listSchema = z.object({ channels: z.array(channel) });
const claimedSchema = z.object({ channels: z.number() });

function amountText(amount: string, { symbol, decimals }: ShownChannel): string {
  return decimals === undefined ? amount : `${formatAmount(amount, decimals)} ${symbol ?? ""}`;
}

const COLUMNS: readonly Column<ShownChannel>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "PAYER", cell: ({ payer }) => payer },
  { title: "STANDING", cell: ({ standing }) => standing },
  { title: "DEPOSIT", cell: (row) => amountText(row.balance, row) },
  { title: "CHARGED", cell: (row) => amountText(row.charged, row) },
  { title: "CLAIMED", cell: (row) => amountText(row.claimed, row) },
  { title: "LOST", cell: (row) => amountText(row.lost, row) },
  { title: "USED", cell: ({ used_ms: at }) => timeText(at) },
];

const list = callForm({
  request: () => ({ path: "/channels" }),
  schema: listSchema,
  text: ({ channels }) => tableText(COLUMNS, channels, "no channels"),
});

const claim = {
  request: ([id]: readonly string[]) =>
    ({ method: "POST", path: `/channels/claims${queryOf({ channel: id })}` }) as const,
  schema: claimedSchema,
  text: ({ channels }: z.output<typeof claimedSchema>) => `channels with charges that are claimed now: ${channels}\n`,
};

/** `turnpike channels`: lists, claims and closes payment channels of a running gateway. */
export const CHANNELS: AdminCommand = {
  about: "Lists the payment channels of a running gateway, and settles them.",
  flags: {},
  forms: {
    list: { about: "list those that were used last", ...list },
    claim: callForm({ about: "claim all charges on the chain now", ...claim }),
    retry: callForm({ about: "claim those of one channel, also if they are written off", words: ["ID"], ...claim }),
    close: callForm({
      about: "claim the charges of one, and pay its rest back to the payer",
      words: ["ID"],
      request: ([id = ""]) => ({ method: "DELETE", path: pathOf("channels", id) }),
      schema: channel,
      text: ({ id }) => `${id} is closed within seconds\n`,
    }),
  },
};
