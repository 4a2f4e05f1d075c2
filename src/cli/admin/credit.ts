import * as z from "zod";
import {
  credit as creditShape,
  creditWithHistory,
  issuedCredit,
  refundedCredit,
  type ShownCredit,
} from "../../gateway/admin/shapes/credits.ts";
import { flagTable } from "../common/flags.ts";
import { type Column } from "../common/table.ts";
import { timeText } from "../common/units.ts";
import { UsageError } from "../common/usage-error.ts";
import { pathOf, queryOf } from "./admin-client.ts";
import { type AdminCommand, callForm, printJson, readAs, tableText, textFlag, type Values } from "./admin-command.ts";
import { moneyText, refundText } from "./refund.ts";

const FLAGS = flagTable({
  "owner A": "list: only balances of this wallet",
  "network N": "issue: chain of the money (that of x402.credit)",
  "asset T": "issue: token of the money (that of x402.credit)",
  "amount A": "issue, refund: atomic units, or dollars such as '$5'; refund: default all",
  "id ID": "refund: name of what is sent: the same again is the same (the amount)",
  "recorded TX": "refund: send nothing: you have given the money back by TX",
  "calls N": "issue: a pass for this number of requests, in place of money",
  "seconds S": "issue: seconds for which it is valid (without end)",
  "name NAME": "issue: a name for people",
  "route R": "issue: only requests of this route",
});

const listSchema = z.object({ credits: z.array(creditShape) });

const COLUMNS: readonly Column<ShownCredit>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "WALLET", cell: ({ owner }) => owner },
  { title: "BALANCE", cell: balanceText },
  { title: "STATE", cell: ({ state }) => state },
  { title: "EXPIRES", cell: ({ expires_ms: at }) => (at === 0 ? "never" : timeText(at)) },
  { title: "NAME", cell: ({ name }) => name },
];

function balanceText(credit: ShownCredit): string {
  const { unit, balance } = credit;
  if (unit === "time") return "all requests";
  if (unit === "calls") return `${balance} requests`;
  return moneyText(balance, credit);
}

const ISSUE_FLAGS = ["network", "asset", "amount", "calls", "seconds", "name", "route"] as const;

function numberFlag(values: Values, name: string): number | undefined {
  const text = textFlag(values, name);
  if (text === undefined) return undefined;
  if (!/^[1-9][0-9]{0,9}$/.test(text)) throw new UsageError(`--${name} must be a whole number above 0`);
  return Number(text);
}

const list = callForm({
  flags: ["owner"],
  request: (_words, values) => ({ path: `/credits${queryOf({ owner: textFlag(values, "owner") })}` }),
  schema: listSchema,
  text: ({ credits }) => tableText(COLUMNS, credits, "no prepaid balances"),
});

function textFlags<Name extends string>(values: Values, ...names: readonly Name[]) {
  // The entries have these names.
  return Object.fromEntries(names.map((name) => [name, textFlag(values, name)])) as Record<Name, string | undefined>;
}

/** `turnpike credit`: lists, issues and revokes prepaid balances of a running gateway. */
export const CREDIT: AdminCommand = {
  about: "Lists the prepaid balances of a running gateway, and changes them.",
  flags: FLAGS,
  forms: {
    list: { about: "list the newest ones", ...list },
    show: {
      about: "print one, with its purchases and charges",
      words: ["ID"],
      read:
        ([id = ""]) =>
        async (client) => {
          const response = await client.json({ path: pathOf("credits", id) });
          readAs(client, creditWithHistory, response);
          await printJson(response);
          return 0;
        },
    },
    issue: callForm({
      about:
        "issue a balance or a pass without a payment: --amount, --calls or --seconds; prints its token, which is not shown again",
      words: ["WALLET"],
      flags: ISSUE_FLAGS,
      request([owner = ""], values) {
        const { route, ...texts } = textFlags(values, "network", "asset", "amount", "name", "route");
        const [calls, seconds] = [numberFlag(values, "calls"), numberFlag(values, "seconds")];
        const routes = route === undefined ? undefined : [route];
        return { method: "POST", path: "/credits", body: JSON.stringify({ owner, ...texts, calls, seconds, routes }) };
      },
      schema: issuedCredit,
      text: ({ token }) => `${token}\n`,
    }),
    revoke: callForm({
      about: "revoke the token; the rest of the balance stays",
      words: ["ID"],
      request: ([id = ""]) => ({ method: "DELETE", path: pathOf("credits", id) }),
      schema: creditShape,
      text: (credit) => `revoked ${credit.id}; ${balanceText(credit)} are left\n`,
    }),
    refund: callForm({
      about: "send the rest of a balance, or the amount, to those who bought it",
      words: ["ID"],
      flags: ["amount", "id", "recorded"],
      request([id = ""], values) {
        const { recorded: transaction, ...texts } = textFlags(values, "recorded", "amount", "id");
        const body = JSON.stringify({ transaction, ...texts });
        return { method: "POST", path: pathOf("credits", id, "refunds"), body };
      },
      schema: refundedCredit,
      text({ credit, refunds }) {
        const lines = refunds.length === 0 ? ["recorded"] : refunds.map(refundText);
        return `${lines.join("\n")}; ${balanceText(credit)} are left\n`;
      },
      isDone: ({ refunds }) => refunds.every(({ state }) => state === "settled"),
    }),
  },
};
