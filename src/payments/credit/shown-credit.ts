import { type Credit, type Credits } from "../../store/credits.ts";
import { findAsset } from "../x402/assets.ts";
import { standingOf } from "./credit-terms.ts";

/** A credit as its holder and operators see it, without its token. `clock` gives Unix milliseconds. */
export function shownCredit(row: Credit, clock: () => number = Date.now) {
  const { id, owner, unit, name, network, token, routes, balance, createdAt, expiresAt, revokedAt } = row;
  const known = findAsset(network, token);
  return {
    id,
    owner,
    unit,
    name,
    network,
    asset: token,
    ...(known === undefined ? {} : { symbol: known.symbol, decimals: known.decimals }),
    routes: [...routes],
    balance,
    state: standingOf(row, clock()),
    created_ms: createdAt,
    expires_ms: expiresAt,
    revoked_ms: revokedAt,
  };
}

/** A credit with its newest grants and charges, `limit` of each at most. */
export async function creditHistory(credits: Pick<Credits, "grants" | "charges">, row: Credit, limit: number) {
  const [grants, charges] = await Promise.all([credits.grants(row.id, limit), credits.charges(row.id, limit)]);
  return {
    credit: shownCredit(row),
    grants: grants.map(({ kind, amount, payment, at }) => ({ kind, amount, payment, time_ms: at })),
    charges: charges.map(({ nonce, route, state, amount, delivered, createdAt }) => ({
      id: nonce,
      route,
      state,
      amount,
      delivered,
      time_ms: createdAt,
    })),
  };
}
