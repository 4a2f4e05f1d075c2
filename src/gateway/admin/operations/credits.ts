import { z } from "@hono/zod-openapi";
import { messageOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { issueCredit } from "../../../payments/credit/issue.ts";
import { CALLS, isCreditAmount } from "../../../payments/credit/credit-terms.ts";
import { creditHistory, shownCredit } from "../../../payments/credit/shown-credit.ts";
import { expectedAsset, findAsset } from "../../../payments/x402/assets.ts";
import { parseEvmNetwork } from "../../../payments/x402/networks.ts";
import { parsePrice } from "../../../payments/x402/price.ts";
import { type Credit, type Credits, type NewCredit } from "../../../store/credits.ts";
import { type Config } from "../../config/config.ts";
import { pricedNames } from "../../config/credit-route.ts";
import { refundOf } from "../overview/read-payments.ts";
import { JSON_TYPE, MAX_BODY_BYTES } from "../http/body.ts";
import { credit, creditRefund, creditWithHistory, issuedCredit, newCredit, refundedCredit } from "../shapes/credits.ts";
import { opened, stored, tell } from "./ledger-store.ts";
import { callerOf, type Operation, operationTable } from "./operation.ts";
import { type AdminParts } from "./parts.ts";

/** Credits on one page. @bound */
const PAGE = 100;
/** Grants and charges that the history of a credit shows. @bound */
const HISTORY = 100;

const ID = { id: "The id of the credit, which is also in its token" };

export const CREDIT_OPERATIONS: readonly Operation[] = operationTable({
  "GET /v1/credits": {
    name: "listCredits",
    summary: "Prepaid balances, the newest first",
    query: {
      owner: "Only those of this wallet",
      before: "The id of the last credit of the page before",
    },
    success: {
      description: `At most ${PAGE} balances`,
      schema: z.object({ credits: z.array(credit), more: z.boolean() }),
    },
    failures: ["not-found", "store-unavailable"],
    async run({ query }, parts) {
      const credits = creditsOf(parts);
      const before = query.get("before");
      const filter = {
        owner: query.get("owner")?.toLowerCase(),
        before: before === null ? undefined : await found(credits, before),
      };
      const rows = await stored(() => credits.list(filter, PAGE + 1));
      const shown = rows.slice(0, PAGE).map((row) => shownCredit(row));
      return Response.json({ credits: shown, more: rows.length > PAGE });
    },
  },
  "POST /v1/credits": {
    name: "issueCredit",
    summary: "Issue a prepaid balance or a pass without a payment",
    description: "The response has the token, which is not shown again.",
    body: {
      types: [JSON_TYPE],
      maxBytes: MAX_BODY_BYTES,
      schema: newCredit,
      description: "The wallet, and money, calls or a time",
    },
    success: { status: 201, description: "The credit and its token", schema: issuedCredit },
    failures: ["invalid-parameters", "not-found", "store-unavailable"],
    async run(call, parts) {
      const credits = creditsOf(parts);
      const { config } = parts.config;
      const { terms, amount } = termsOf(call.body, config);
      const grant = { kind: "issued", amount, payment: "" } as const;
      const { token, id } = await stored(() => issueCredit(credits, terms, grant, config.x402.test_mode));
      tell(parts, call, `issued the credit ${id} to ${terms.owner}`);
      return Response.json({ token, credit: shownCredit(await found(credits, id)) }, { status: 201 });
    },
  },
  "GET /v1/credits/{id}": {
    name: "showCredit",
    summary: "A prepaid balance with its newest purchases and charges",
    parameters: ID,
    success: { description: `At most ${HISTORY} of each`, schema: creditWithHistory },
    failures: ["not-found", "store-unavailable"],
    async run({ parameters }, parts) {
      const credits = creditsOf(parts);
      const row = await found(credits, parameters["id"] ?? "");
      return Response.json(await stored(() => creditHistory(credits, row, HISTORY)));
    },
  },
  "DELETE /v1/credits/{id}": {
    name: "revokeCredit",
    summary: "Revoke a token: it pays for no more requests, and the rest of its balance stays",
    parameters: ID,
    success: { description: "The credit", schema: credit },
    failures: ["not-found", "store-unavailable"],
    async run(call, parts) {
      const credits = creditsOf(parts);
      const { id } = await found(credits, call.parameters["id"] ?? "");
      if (await stored(() => credits.revoke(id))) tell(parts, call, `revoked the credit ${id}`);
      return Response.json(shownCredit(await found(credits, id)));
    },
  },
  "POST /v1/credits/{id}/refunds": {
    name: "refundCredit",
    summary: "Send the rest of a balance back, or record that it was given back",
    description:
      "The money is sent as refunds of its purchases, the newest first. The response comes when they have ended, or after ten seconds. With a transaction nothing is sent, and a second request with it changes nothing.",
    parameters: ID,
    body: { types: [JSON_TYPE], maxBytes: MAX_BODY_BYTES, schema: creditRefund, description: "The refund" },
    success: { description: "The credit and its refunds", schema: refundedCredit },
    failures: ["invalid-parameters", "not-found", "refund-refused", "store-unavailable"],
    async run(call, parts) {
      const credits = creditsOf(parts);
      const parsed = creditRefund.safeParse(call.body);
      if (!parsed.success)
        throw new TurnpikeError("invalid-parameters", "Cannot refund a credit: the body is not valid");
      const row = await found(credits, call.parameters["id"] ?? "");
      const { transaction, amount: price, id: name } = parsed.data;
      if (transaction === undefined) {
        const refunds = await parts.refunds.refundCredit({ credit: row, amount: price, id: name }, callerOf(call).by);
        const shown = shownCredit(await found(credits, row.id));
        return Response.json({ credit: shown, refunds: refunds.map(refundOf) });
      }
      const amount = price === undefined ? row.balance : priceOf(price, findAsset(row.network, row.token)?.decimals);
      const grant = {
        id: `refunded:${row.id}:${transaction}`,
        kind: "refunded",
        amount,
        payment: transaction,
      } as const;
      const isTaken = row.unit === "money" && amount !== "0" && (await stored(() => credits.take(row.id, grant)));
      if (!isTaken && !(await stored(() => credits.isGranted(grant.id))))
        throw new TurnpikeError("refund-refused", "Cannot refund a credit: its balance is smaller, or a pass");
      if (isTaken) tell(parts, call, `refunded ${amount} units of the credit ${row.id} by ${transaction}`);
      return Response.json({ credit: shownCredit(await found(credits, row.id)), refunds: [] });
    },
  },
});

function creditsOf(parts: AdminParts): Credits {
  if (parts.config.config.x402.credit === undefined) {
    throw new TurnpikeError("not-found", "Cannot find prepaid credit: the configuration has no x402.credit");
  }
  return opened(parts.credits);
}

async function found(credits: Credits, id: string): Promise<Credit> {
  const row = await stored(() => credits.find(id));
  if (row === undefined) throw new TurnpikeError("not-found", `Cannot find the credit ${JSON.stringify(id)}`);
  return row;
}

/** Throws the error of a member of the body. */
function fail(path: string, message: string): never {
  throw new TurnpikeError("invalid-parameters", `Cannot issue a credit: ${path}: ${message}`, [{ path, message }]);
}

/** Reads the body of `POST /v1/credits`. The currency is by default that in which credit is sold. `clock` gives Unix milliseconds. */
function termsOf(
  body: unknown,
  { x402, routes: served }: Pick<Config, "x402" | "routes">,
  clock: () => number = Date.now,
): { terms: Omit<NewCredit, "id" | "hash">; amount: string } {
  const parsed = newCredit.safeParse(body);
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message }));
    throw new TurnpikeError("invalid-parameters", "Cannot issue a credit: the body is not valid", errors);
  }
  const {
    owner,
    network: chain = x402.credit?.network ?? "",
    amount: price,
    calls,
    seconds,
    name,
    routes,
  } = parsed.data;
  const { asset = (parsed.data.network === undefined ? x402.credit?.asset : undefined) ?? "USDC" } = parsed.data;
  if (price !== undefined && calls !== undefined) fail("calls", "excludes amount");
  if (price === undefined && calls === undefined && seconds === undefined) fail("amount", "is missing");
  const network = parseEvmNetwork(chain) ?? fail("network", `is unknown: ${JSON.stringify(chain)}`);
  const known = findAsset(network, asset);
  if (known === undefined && !/^0x[0-9a-fA-F]{40}$/.test(asset))
    fail("asset", `is unknown on ${network}; expected ${expectedAsset(network)}`);
  const priced = pricedNames(served);
  for (const [i, route] of routes.entries())
    if (!priced.has(route)) fail(`routes.${i}`, `there is no priced route ${JSON.stringify(route)}`);
  const amount = price === undefined ? String(calls ?? 0) : priceOf(price, known?.decimals);
  const unit = price !== undefined ? "money" : calls === undefined ? "time" : CALLS;
  const terms = {
    owner: owner.toLowerCase(),
    unit,
    name,
    network,
    token: (known?.address ?? asset).toLowerCase(),
    routes,
    expiresAt: seconds === undefined ? 0 : clock() + seconds * 1000,
  } as const;
  return { terms, amount };
}

function priceOf(price: string, decimals: number | undefined): string {
  try {
    if (decimals === undefined && price.startsWith("$")) fail("amount", "must be in atomic units of this asset");
    const amount = parsePrice(price, decimals ?? 0);
    return isCreditAmount(amount) ? amount : fail("amount", "is too large");
  } catch (error) {
    if (error instanceof TurnpikeError) throw error;
    return fail("amount", messageOf(error));
  }
}
