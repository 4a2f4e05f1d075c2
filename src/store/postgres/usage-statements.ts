import {
  COUNT_ROWS,
  FUNNEL_DAYS,
  HOUR_MS,
  KEPT_EPOCHS,
  KEPT_HOURS,
  MAX_GATEWAYS,
  type UseTable,
} from "../usage-store.ts";
import { statement } from "./connection.ts";
import { NOW } from "./database.ts";
import { PAYMENTS, USAGE } from "./schema.ts";

/** The tables of the counters: by consumer and route, by upstream, and of payments. */
const ROUTES = `${USAGE}_routes`;
const UPSTREAMS = `${USAGE}_upstreams`;
const PAID = `${USAGE}_payments`;
const FUNNEL = `${USAGE}_funnel`;

/** Columns of the counters, in the order of `MEMBERS`. */
const COUNTS = ["requests", "request_bytes", "response_bytes", "client_errors", "server_errors"];
const MEMBERS = ["requests", "requestBytes", "responseBytes", "clientErrors", "serverErrors"];

/** SQL that adds the uses in $2 (JSON) to the counters of the epoch $1. */
function addTo(table: string, names: readonly string[]): string {
  const members = [
    ...names.map((name) => `${name} text`),
    ...[...MEMBERS, "lastSeen"].map((name) => `"${name}" bigint`),
  ];
  const list = names.join(", ");
  return `
  INSERT INTO ${table} AS u (epoch, ${list}, ${COUNTS.join(", ")}, last_seen)
  SELECT $1::bigint, ${list}, ${MEMBERS.map((name) => `sum("${name}")`).join(", ")}, max("lastSeen")
  FROM json_to_recordset($2::json) AS d (${members.join(", ")}) GROUP BY ${list}
  ON CONFLICT (epoch, ${list}) DO UPDATE SET
    ${COUNTS.map((name) => `${name} = u.${name} + excluded.${name}`).join(", ")},
    last_seen = greatest(u.last_seen, excluded.last_seen)`;
}

/** Adds the uses in $2 to the counters of the epoch $1. */
export const ADD_ROUTES = addTo(ROUTES, ["consumer", "route"]);
export const ADD_UPSTREAMS = addTo(UPSTREAMS, ["upstream"]);

const HOUR = `(${NOW}) / ${HOUR_MS}`;
/** Adds requests ($2) and errors (4xx: $3, 5xx: $4) to the current hour. */
export const ADD_HOUR = `
  INSERT INTO ${USAGE}_hours AS h (hour, requests, client_errors, server_errors)
  SELECT ${HOUR}, $2::bigint, $3::bigint, $4::bigint
  ON CONFLICT (hour) DO UPDATE SET requests = h.requests + excluded.requests,
    client_errors = h.client_errors + excluded.client_errors, server_errors = h.server_errors + excluded.server_errors`;
/** Deletes hours that are too old. */
export const FORGET_HOURS = `DELETE FROM ${USAGE}_hours WHERE hour <= ${HOUR} - ${KEPT_HOURS}`;
/** The kept hours, oldest first. */
export const HOURS = statement(
  `SELECT hour * ${HOUR_MS}, requests, client_errors, server_errors FROM ${USAGE}_hours
   WHERE hour > ${HOUR} - ${KEPT_HOURS} ORDER BY hour`,
);

/** Adds the payments in $2 (JSON) to those of the epoch $1. */
export const ADD_PAID = `
  INSERT INTO ${PAID} AS u (epoch, consumer, route, network, asset, payments, amount)
  SELECT $1::bigint, consumer, route, network, asset, sum(payments), sum(amount)
  FROM json_to_recordset($2::json)
    AS d (consumer text, route text, network text, asset text, payments bigint, amount numeric)
  GROUP BY consumer, route, network, asset
  ON CONFLICT (epoch, consumer, route, network, asset) DO UPDATE SET
    payments = u.payments + excluded.payments, amount = u.amount + excluded.amount`;

/** Adds the uses in $1 (JSON) to the funnel. */
export const ADD_FUNNEL = `
  INSERT INTO ${FUNNEL} AS u (day, route, client, step, count)
  SELECT day, route, client, step, sum(count)
  FROM json_to_recordset($1::json) AS d (day bigint, route text, client text, step text, count bigint)
  GROUP BY day, route, client, step
  ON CONFLICT (day, route, client, step) DO UPDATE SET count = u.count + excluded.count`;
/** Deletes the days before those that are kept. $1 is the last day. */
export const FORGET_DAYS = `DELETE FROM ${FUNNEL} WHERE day <= $1::bigint - ${FUNNEL_DAYS}`;
/** Reads the funnel from the day $1 on. */
export const READ_FUNNEL = `SELECT route, client, step, day, count FROM ${FUNNEL} WHERE day >= $1`;

/** Each writer locks this row first, so that batches and resets of all gateways run one after another. */
export const LOCK = `SELECT epoch, since FROM ${USAGE}_state FOR UPDATE`;
export const STATE = `SELECT epoch, since FROM ${USAGE}_state`;

/** The number of the last batch that a gateway has added, so that a repeated batch is not counted twice. */
export const SEQUENCE = `SELECT sequence FROM ${USAGE}_flushes WHERE gateway = $1`;
/** Writes the number of the last batch of a gateway. */
export const NOTE_SEQUENCE = `
  INSERT INTO ${USAGE}_flushes (gateway, sequence, flushed_at) SELECT $2, $3::bigint, ${NOW}
  ON CONFLICT (gateway) DO UPDATE SET sequence = excluded.sequence, flushed_at = excluded.flushed_at`;
/** Deletes the numbers of all but the `MAX_GATEWAYS` most recent gateways. */
export const FORGET_GATEWAYS = `
  DELETE FROM ${USAGE}_flushes WHERE gateway IN (
    SELECT gateway FROM ${USAGE}_flushes ORDER BY flushed_at DESC OFFSET ${MAX_GATEWAYS})`;

/** A payment that another transaction is changing is counted the next time. */
export const COUNT_PAYMENTS = `
  WITH picked AS MATERIALIZED (
    SELECT network, asset, payer_from, nonce FROM ${PAYMENTS} WHERE state = 'settled' AND NOT counted
    LIMIT ${COUNT_ROWS} FOR UPDATE SKIP LOCKED)
  UPDATE ${PAYMENTS} AS p SET counted = true FROM picked
  WHERE (p.network, p.asset, p.payer_from, p.nonce) = (picked.network, picked.asset, picked.payer_from, picked.nonce)
  RETURNING p.consumer, p.route, p.network, p.token, p.amount, 1`;
/** The settled payments that are not in the counters yet. */
export const UNCOUNTED_PAYMENTS = `
  SELECT consumer, route, network, token, sum(amount), count(*) FROM ${PAYMENTS} WHERE state = 'settled' AND NOT counted
  GROUP BY consumer, route, network, token`;

/** The epoch that the reset $1 closed. No row: the reset is a new one. */
export const CLOSED = `SELECT epoch, since FROM ${USAGE}_resets WHERE id = $1`;
/** Notes that the reset $1 closes the current epoch. */
export const CLOSE = `INSERT INTO ${USAGE}_resets (id, epoch, since) SELECT $1, epoch, since FROM ${USAGE}_state`;
/** Begins a new epoch, with counters of 0. */
export const BEGIN_NEXT = `UPDATE ${USAGE}_state SET epoch = epoch + 1, since = ${NOW}`;
/** Deletes old epochs. $1 is the epoch that was closed. */
export const FORGET_EPOCHS = [ROUTES, UPSTREAMS, PAID, `${USAGE}_resets`].map(
  (table) => `DELETE FROM ${table} WHERE epoch <= $1::bigint - ${KEPT_EPOCHS}`,
);

/** Reads all counters of the epoch $1. */
export const READ_ROUTES = `SELECT consumer, route, ${COUNTS.join(", ")}, last_seen FROM ${ROUTES} WHERE epoch = $1`;
export const READ_UPSTREAMS = `SELECT upstream, ${COUNTS.join(", ")}, last_seen FROM ${UPSTREAMS} WHERE epoch = $1`;
export const READ_PAID = `SELECT consumer, route, network, asset, amount, payments FROM ${PAID} WHERE epoch = $1`;

/** SQL that reads `what` of the rows of an epoch, or of a day, in a table. */
export function selectOf(what: string, table: UseTable): string {
  return `SELECT ${what} FROM ${USAGE}_${table} WHERE ${table === "funnel" ? "day" : "epoch"} = $1`;
}
