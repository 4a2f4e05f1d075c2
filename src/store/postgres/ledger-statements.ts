import { CREDIT_SCHEME } from "../credits.ts";
import { isDue } from "../due.ts";
import { KEPT_COLUMNS, LEASE_MS, MAX_CUTS, MAX_DUE_MS, REAP_GRACE_S, REAP_ROWS, RECHECK_MS } from "../ledger.ts";
import { statement } from "./connection.ts";
import { MOST_DRIFT_MS } from "./clock-watch.ts";
import { NOW } from "./database.ts";
import { PAYMENT } from "./payment-row.ts";
import { OUTBOX, PAYMENTS, REFUNDS } from "./schema.ts";

/** Money was transferred, or may have been. */
const BEGUN = "p.state IN ('deferred', 'settling', 'unknown', 'settled')";
/**
 * The lease was released, or has expired by a clock that shows the expected time (`expected`; null while the clock is
 * not trusted). A lease that ends later than any new one was made before the clock was set back.
 */
export function free(now: string, expected: string): string {
  const isOver = `p.held_until < ${now} OR p.held_until > ${now} + ${2 * LEASE_MS}`;
  return `(p.held_until = 0 OR (coalesce(abs(${now} - ${expected}::bigint) <= ${MOST_DRIFT_MS}, false) AND (${isOver})))`;
}

/**
 * One statement decides which process gets the lease. It takes over an existing row without a lease in two cases:
 * nothing was spent, or the same request comes back to an unfinished payment. If two processes try at once, the second
 * waits for the first one's commit and sees it.
 */
export const RESERVE = statement(`
  INSERT INTO ${PAYMENTS} AS p (network, asset, payer_from, nonce, state, attempt, owner, held_until, claimed_at,
    token, scheme, amount, pay_to, route, consumer, fingerprint, valid_before, payload, created_at, updated_at)
  SELECT $2, $3, $4, $5, 'reserved', 1, $6, clock.now + ${LEASE_MS}, clock.now,
    $7, $8, $9::numeric, $10, $11, $17, $12, $13::bigint, $14, clock.now, clock.now FROM (SELECT ${NOW} AS now) AS clock
  ON CONFLICT (network, asset, payer_from, nonce) DO UPDATE SET
    state = CASE WHEN p.state IN ('settling', 'unknown') THEN 'unknown' WHEN p.state IN ('deferred', 'settled') THEN p.state ELSE 'reserved' END,
    attempt = p.attempt + 1, owner = excluded.owner, held_until = excluded.held_until,
    claimed_at = excluded.claimed_at, updated_at = excluded.updated_at,
    fingerprint = excluded.fingerprint, valid_before = excluded.valid_before,
    ${KEPT_COLUMNS.map((name) => `${name} = CASE WHEN ${BEGUN} THEN p.${name} ELSE excluded.${name} END`).join(", ")}
  WHERE ${free("excluded.updated_at", "$15")} AND (
    p.state IN ('released', 'failed', 'reserved', 'verified')
    OR (p.fingerprint = excluded.fingerprint AND (p.state IN ('settling', 'unknown')
      OR (p.state IN ('deferred', 'settled') AND NOT p.delivered AND p.refunded = 0 AND p.cuts < ${MAX_CUTS} AND p.partials < $16::int))))
  RETURNING ${PAYMENT}`);

const KEY = "p.network = $2 AND p.asset = $3 AND p.payer_from = $4 AND p.nonce = $5";

/** Another request may have sent the response of a charge that is to be released. Then the charge stays, and only the lease ends. */
const NEXT = `CASE WHEN $9 = 'released' AND (p.delivered OR p.repeats > 0)
  AND (p.state = 'settled' OR (p.state = 'deferred' AND $21::bigint IS NULL)) THEN p.state ELSE $9 END`;

const MOVED = `
  UPDATE ${PAYMENTS} AS p SET state = ${NEXT}, updated_at = ${NOW},
    held_until = CASE WHEN $10::int = 1 THEN ${NOW} + ${LEASE_MS} ELSE 0 END,
    tx = coalesce($11, p.tx), reason = coalesce($12, p.reason), payer = coalesce($13, p.payer),
    amount = coalesce($14::numeric, p.amount), facilitator = coalesce($19, p.facilitator),
    payload = CASE WHEN ${NEXT} IN ('settled', 'failed', 'released') THEN '' ELSE p.payload END,
    deferral = coalesce($20, p.deferral), body_digest = coalesce($16, p.body_digest),
    due_at = CASE WHEN ${NEXT} = 'released' OR $21::bigint < 0 THEN 0 ELSE coalesce(${NOW} + $21::bigint, p.due_at) END, partials = p.partials + $17::int,
    delivered = p.delivered OR coalesce($15::boolean, false), cuts = p.cuts + CASE WHEN NOT $15::boolean THEN 1 ELSE 0 END - $22::int
  WHERE ${KEY} AND p.attempt = $6::int AND p.owner = $7 AND p.claimed_at = $8::bigint AND p.held_until > 0
    AND ($18::int = 0 OR NOT p.delivered)`;

/** Writes a payment's next state, if its lease is still held. At most one row changes. */
export const MOVE = statement(MOVED);

/** The same, with a settlement record for the outbox in one transaction. */
export const MOVE_AND_POST = statement(`
  WITH moved AS (${MOVED} RETURNING p.updated_at), posted AS (
    INSERT INTO ${OUTBOX} (id, url, body, due_at, created_at)
    SELECT $23, $24, $25, moved.updated_at, moved.updated_at FROM moved ON CONFLICT DO NOTHING)
  SELECT 1 FROM moved`);

/** Notes that the client of a settled payment has its response. */
export const DELIVER = statement(`
  UPDATE ${PAYMENTS} AS p SET delivered = true, updated_at = ${NOW} WHERE ${KEY} AND p.state IN ('deferred', 'settled') AND NOT p.delivered`);

/** Counts one more sending of the response of a settled payment, if fewer than $5 are counted. */
export const REPEAT = statement(`
  UPDATE ${PAYMENTS} AS p SET repeats = p.repeats + 1
  WHERE p.network = $1 AND p.asset = $2 AND p.payer_from = $3 AND p.nonce = $4
    AND p.state IN ('deferred', 'settled') AND p.repeats < $5::int AND (p.delivered OR p.refunded = 0)`);

/** Deletes a payment that was only reserved, if its lease is still held. */
export const FORGET = statement(`
  DELETE FROM ${PAYMENTS} AS p
  WHERE p.network = $1 AND p.asset = $2 AND p.payer_from = $3 AND p.nonce = $4
    AND p.attempt = $5::int AND p.owner = $6 AND p.claimed_at = $7::bigint AND p.state = 'reserved'`);

export const FIND = statement(
  `SELECT ${PAYMENT} FROM ${PAYMENTS} AS p WHERE p.network = $1 AND p.asset = $2 AND p.payer_from = $3 AND p.nonce = $4`,
);

/** Skips rows that another process is changing. */
function pick(where: string, order: string, limit: string): string {
  return `
  WITH picked AS MATERIALIZED (
    SELECT p.network, p.asset, p.payer_from, p.nonce FROM ${PAYMENTS} AS p
    WHERE ${where} ${order} LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}

const THOSE =
  "(p.network, p.asset, p.payer_from, p.nonce) = (picked.network, picked.asset, picked.payer_from, picked.nonce)";

/** Takes the leases of payments whose settlement has no known outcome, the oldest first. */
export const CLAIM_OPEN = statement(`
  ${pick(
    `p.state IN ('settling', 'unknown') AND p.due_at = 0 AND ${free(NOW, "$4")}
      AND (p.updated_at < ${NOW} - ${RECHECK_MS} OR p.updated_at > ${NOW} + ${RECHECK_MS})`,
    "ORDER BY p.updated_at",
    "$3::int",
  )}
  UPDATE ${PAYMENTS} AS p SET state = 'unknown', attempt = p.attempt + 1, owner = $2,
    held_until = ${NOW} + ${LEASE_MS}, claimed_at = ${NOW}, updated_at = ${NOW}
  FROM picked WHERE ${THOSE} RETURNING ${PAYMENT}`);

/** Takes the leases of payments that are due. */
export const CLAIM_DUE = statement(`
  ${pick(`p.due_at > 0 AND ${isDue("p.due_at", NOW, MAX_DUE_MS)} AND ${free(NOW, "$4")}`, "ORDER BY p.due_at", "$3::int")}
  UPDATE ${PAYMENTS} AS p SET state = CASE WHEN p.state = 'settling' THEN 'unknown' ELSE p.state END,
    attempt = p.attempt + 1, owner = $2, held_until = ${NOW} + ${LEASE_MS}, claimed_at = ${NOW}, updated_at = ${NOW}
  FROM picked WHERE ${THOSE} RETURNING ${PAYMENT}`);

/**
 * Deletes settled and failed payments that are older than $2 (Unix milliseconds), and than $4 milliseconds by the database's clock,
 * and can no longer be used: one wrong clock deletes nothing. The end of a pending refund locks the refund before its payment, a deletion the payment before its refunds.
 */
export const FORGET_FINISHED = statement(`
  ${pick(
    `p.state IN ('settled', 'failed') AND p.due_at = 0 AND p.updated_at < $2::bigint AND p.updated_at < ${NOW} - $4::bigint
     AND p.valid_before < ${NOW} / 1000 - ${REAP_GRACE_S} AND p.held_until < ${NOW}
     AND NOT EXISTS (SELECT 1 FROM ${REFUNDS} AS r WHERE r.state = 'pending' AND r.network = p.network
       AND r.asset = p.asset AND r.payer_from = p.payer_from AND r.nonce = p.nonce)`,
    "ORDER BY p.updated_at",
    "$3::int",
  )}
  DELETE FROM ${PAYMENTS} AS p USING picked WHERE ${THOSE}`);

/** Deletes unsettled payments that can no longer be used. */
export const REAP = statement(`
  ${pick(
    `p.state IN ('reserved', 'verified', 'released')
     AND p.valid_before < ${NOW} / 1000 - ${REAP_GRACE_S} AND p.held_until < ${NOW}`,
    "",
    String(REAP_ROWS),
  )}
  DELETE FROM ${PAYMENTS} AS p USING picked WHERE ${THOSE}`);

/** Returns the amounts that dead processes had reserved, by the triggers of the table. */
export const RETURN_CREDIT = statement(`
  ${pick(
    `p.held_until > 0 AND p.scheme = '${CREDIT_SCHEME}' AND p.state = 'reserved' AND ${free(NOW, "$2")}`,
    "",
    String(REAP_ROWS),
  )}
  DELETE FROM ${PAYMENTS} AS p USING picked WHERE ${THOSE}`);

/** The database's clock, in Unix milliseconds. */
export const CLOCK = statement(`SELECT ${NOW}`);

/** Removes the owner of a lease. The lease then expires, and its former holder can change nothing. */
export const GIVE_UP = statement(`
  UPDATE ${PAYMENTS} AS p SET owner = ''
  WHERE p.owner = $1 AND p.held_until > 0 AND p.nonce = ANY (string_to_array($2, ','))`);

/** Extends the leases of an owner, except those of the payments in $3. */
export const RENEW = statement(`
  UPDATE ${PAYMENTS} AS p SET held_until = ${NOW} + ${LEASE_MS}
  WHERE p.owner = $2 AND p.held_until > 0 AND p.nonce <> ALL (string_to_array($3, ','))`);
