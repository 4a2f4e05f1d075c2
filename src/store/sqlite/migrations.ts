import { type Database } from "bun:sqlite";
import { CREDIT_BOOK, CREDIT_SCHEME, MAX_CREDIT_DIGITS } from "../credits.ts";
import { CHANNELS, isTaken } from "./channels-schema.ts";
import { addition, limbOf, LIMBS, PART_DIGITS, subtraction } from "./sums.ts";

function ofCredit(row: "OLD" | "NEW"): string {
  return `id = substr(${row}.asset, ${CREDIT_BOOK.length + 1})`;
}

/** Ends the statement unless the credit of a new charge is valid. */
const REQUIRE_CREDIT = `
  SELECT RAISE(ABORT, 'no such credit') WHERE length(NEW.amount) > ${MAX_CREDIT_DIGITS} OR NOT EXISTS (
    SELECT 1 FROM credits WHERE ${ofCredit("NEW")} AND revoked_at = 0 AND (expires_at = 0 OR expires_at > NEW.updated_at))`;

/** The triggers change a balance in the transaction that changes its charge, whatever changes that (decision 0816). */
const CREDITS = `CREATE TABLE credits (
     id TEXT NOT NULL PRIMARY KEY, hash TEXT NOT NULL, owner TEXT NOT NULL, unit TEXT NOT NULL, name TEXT NOT NULL,
     network TEXT NOT NULL, token TEXT NOT NULL, routes TEXT NOT NULL,
     high INTEGER NOT NULL CHECK (high BETWEEN 0 AND ${10 ** PART_DIGITS - 1}), low INTEGER NOT NULL,
     expires_at INTEGER NOT NULL, revoked_at INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX credits_by_owner ON credits (owner, created_at);
   CREATE INDEX credits_by_time ON credits (created_at);
   CREATE TABLE credit_grants (
     id TEXT NOT NULL PRIMARY KEY, credit TEXT NOT NULL, kind TEXT NOT NULL, amount TEXT NOT NULL,
     payment TEXT NOT NULL, granted_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX credit_grants_by_credit ON credit_grants (credit, granted_at);
   CREATE INDEX credit_grants_refunded ON credit_grants (granted_at) WHERE kind = 'refunded';
   CREATE INDEX payments_of_credit ON payments (asset, created_at) WHERE scheme = '${CREDIT_SCHEME}';
   CREATE TRIGGER payments_charged AFTER INSERT ON payments WHEN NEW.scheme = '${CREDIT_SCHEME}' BEGIN
     ${REQUIRE_CREDIT};
     UPDATE credits SET ${subtraction("NEW.amount")} WHERE ${ofCredit("NEW")};
   END;
   CREATE TRIGGER payments_recharged AFTER UPDATE OF state, amount ON payments WHEN NEW.scheme = '${CREDIT_SCHEME}'
     AND (${isTaken("NEW")} <> ${isTaken("OLD")} OR (${isTaken("NEW")} AND NEW.amount <> OLD.amount))
   BEGIN
     UPDATE credits SET ${addition("OLD.amount")} WHERE ${isTaken("OLD")} AND ${ofCredit("OLD")};
     ${REQUIRE_CREDIT} AND NOT ${isTaken("OLD")} AND ${isTaken("NEW")};
     UPDATE credits SET ${subtraction("NEW.amount")} WHERE ${isTaken("NEW")} AND ${ofCredit("NEW")};
     UPDATE sold_days SET payments = payments - 1,
       ${LIMBS.map((limb, i) => `${limb} = ${limb} - ${limbOf("OLD.amount", i)}`).join(", ")}
     WHERE OLD.state = 'settled' AND NEW.state <> 'settled'
       AND (day, route, network, token) = (OLD.created_at / 86400000, OLD.route, OLD.network, OLD.token);
   END;
   CREATE TRIGGER payments_uncharged AFTER DELETE ON payments
     WHEN OLD.scheme = '${CREDIT_SCHEME}' AND OLD.state IN ('reserved', 'verified')
   BEGIN UPDATE credits SET ${addition("OLD.amount")} WHERE ${ofCredit("OLD")}; END`;

/** The tables of payments and of all that belongs to them. */
const PAYMENTS = `CREATE TABLE payments (
     network TEXT NOT NULL, asset TEXT NOT NULL, payer_from TEXT NOT NULL, nonce TEXT NOT NULL,
     state TEXT NOT NULL
       CHECK (state IN ('reserved','verified','deferred','settling','settled','released','failed','unknown')),
     attempt INTEGER NOT NULL, owner TEXT NOT NULL, held_until INTEGER NOT NULL, token TEXT NOT NULL, scheme TEXT NOT NULL,
     amount TEXT NOT NULL, pay_to TEXT NOT NULL, route TEXT NOT NULL, fingerprint TEXT NOT NULL,
     valid_before INTEGER NOT NULL, payload TEXT NOT NULL, body_digest TEXT NOT NULL DEFAULT '',
     consumer TEXT NOT NULL DEFAULT '', facilitator TEXT NOT NULL DEFAULT '', tx TEXT NOT NULL DEFAULT '',
     reason TEXT NOT NULL DEFAULT '', payer TEXT NOT NULL DEFAULT '', delivered INTEGER NOT NULL DEFAULT 0,
     cuts INTEGER NOT NULL DEFAULT 0, partials INTEGER NOT NULL DEFAULT 0, repeats INTEGER NOT NULL DEFAULT 0,
     counted INTEGER NOT NULL DEFAULT 1, refunded TEXT NOT NULL DEFAULT '0', deferral TEXT NOT NULL DEFAULT '',
     due_at INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
     PRIMARY KEY (network, asset, payer_from, nonce)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX payments_held ON payments (owner) WHERE held_until > 0;
   CREATE INDEX payments_unspent ON payments (valid_before) WHERE state IN ('reserved','verified','released');
   CREATE INDEX payments_open ON payments (updated_at) WHERE state IN ('settling','unknown');
   CREATE INDEX payments_by_time ON payments (created_at);
   CREATE INDEX payments_by_nonce ON payments (nonce);
   CREATE INDEX payments_by_transaction ON payments (lower(tx)) WHERE tx <> '';
   CREATE INDEX payments_finished ON payments (updated_at) WHERE state IN ('settled','failed');
   CREATE INDEX payments_uncounted ON payments (updated_at) WHERE state = 'settled' AND counted = 0;
   CREATE INDEX payments_owed ON payments (updated_at) WHERE state = 'settled' AND delivered = 0 AND held_until = 0;
   CREATE INDEX payments_due ON payments (due_at) WHERE due_at > 0;
   CREATE TABLE bookings (
     network TEXT NOT NULL, asset TEXT NOT NULL, payer_from TEXT NOT NULL, nonce TEXT NOT NULL,
     digest TEXT NOT NULL, pay_to TEXT NOT NULL, amount TEXT NOT NULL, tx TEXT NOT NULL, booked_at INTEGER NOT NULL,
     PRIMARY KEY (network, asset, payer_from, nonce)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX bookings_by_age ON bookings (booked_at);
   CREATE TABLE outbox (
     id TEXT NOT NULL PRIMARY KEY, url TEXT NOT NULL, body TEXT NOT NULL,
     tries INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, created_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX outbox_by_time ON outbox (due_at);
   CREATE TABLE payment_ids (
     payer TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (payer, id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX payment_ids_by_end ON payment_ids (until);
   CREATE TABLE sold_days (
     day INTEGER NOT NULL, route TEXT NOT NULL, network TEXT NOT NULL, token TEXT NOT NULL, payments INTEGER NOT NULL,
     ${LIMBS.map((limb) => `${limb} INTEGER NOT NULL`).join(", ")}, PRIMARY KEY (day, route, network, token)
   ) STRICT, WITHOUT ROWID;
   CREATE TRIGGER payments_sold AFTER UPDATE OF state ON payments WHEN NEW.state = 'settled' AND OLD.state <> 'settled'
   BEGIN
     INSERT INTO sold_days VALUES (NEW.created_at / 86400000, NEW.route, NEW.network, NEW.token, 1,
       ${LIMBS.map((_, i) => limbOf("NEW.amount", i)).join(", ")})
     ON CONFLICT DO UPDATE SET payments = payments + 1,
       ${LIMBS.map((limb) => `${limb} = ${limb} + excluded.${limb}`).join(", ")};
   END;
   CREATE TABLE refunds (
     network TEXT NOT NULL, asset TEXT NOT NULL, payer_from TEXT NOT NULL, nonce TEXT NOT NULL, sequence INTEGER NOT NULL,
     id TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('pending','settled','recorded','failed')),
     amount TEXT NOT NULL, valid_before INTEGER NOT NULL, sent INTEGER NOT NULL DEFAULT 0, tx TEXT NOT NULL,
     reason TEXT NOT NULL DEFAULT '', requested_by TEXT NOT NULL,
     due_at INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
     PRIMARY KEY (network, asset, payer_from, nonce, sequence)
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX refunds_by_id ON refunds (network, asset, payer_from, nonce, id) WHERE state <> 'failed';
   CREATE INDEX refunds_pending ON refunds (due_at) WHERE state = 'pending';
   CREATE INDEX refunds_by_time ON refunds (updated_at);
   CREATE TRIGGER payments_forgotten AFTER DELETE ON payments WHEN OLD.state = 'settled' BEGIN
     DELETE FROM refunds WHERE network = OLD.network AND asset = OLD.asset AND payer_from = OLD.payer_from AND nonce = OLD.nonce;
   END`;

const USAGE = `CREATE TABLE usage_state (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, since INTEGER NOT NULL) STRICT;
   INSERT INTO usage_state VALUES (1, 1, CAST(strftime('%s', 'now') AS INTEGER) * 1000);
   CREATE TABLE usage_resets (
     id TEXT NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, since INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_flushes (
     gateway TEXT NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL, flushed_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_routes (
     epoch INTEGER NOT NULL, consumer TEXT NOT NULL, route TEXT NOT NULL, requests INTEGER NOT NULL,
     request_bytes INTEGER NOT NULL, response_bytes INTEGER NOT NULL, client_errors INTEGER NOT NULL,
     server_errors INTEGER NOT NULL, last_seen INTEGER NOT NULL, PRIMARY KEY (epoch, consumer, route)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_upstreams (
     epoch INTEGER NOT NULL, upstream TEXT NOT NULL, requests INTEGER NOT NULL,
     request_bytes INTEGER NOT NULL, response_bytes INTEGER NOT NULL, client_errors INTEGER NOT NULL,
     server_errors INTEGER NOT NULL, last_seen INTEGER NOT NULL, PRIMARY KEY (epoch, upstream)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_payments (
     epoch INTEGER NOT NULL, consumer TEXT NOT NULL, route TEXT NOT NULL, network TEXT NOT NULL, asset TEXT NOT NULL,
     payments INTEGER NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (epoch, consumer, route, network, asset)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_funnel (
     day INTEGER NOT NULL, route TEXT NOT NULL, client TEXT NOT NULL, step TEXT NOT NULL, count INTEGER NOT NULL,
     PRIMARY KEY (day, route, client, step)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE usage_hours (
     hour INTEGER NOT NULL PRIMARY KEY, requests INTEGER NOT NULL, client_errors INTEGER NOT NULL,
     server_errors INTEGER NOT NULL
   ) STRICT`;

/** The version of the first migration. Files of older versions cannot be opened. */
const FIRST_VERSION = 17;

/**
 * The migrations of the schema, oldest first. A released migration is never edited. Statements of the previous version
 * must work on the new schema, because a gateway that is replaced (`--take-over`) drains on it.
 */
const MIGRATIONS = [[PAYMENTS, USAGE, CREDITS, CHANNELS].join("; ")];

/** The version of the schema that this program writes, in `PRAGMA user_version`. */
export const SCHEMA_VERSION = FIRST_VERSION + MIGRATIONS.length - 1;

/** The version of a database's schema; 0 for an empty database. */
export function schemaVersion(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Applies the missing migrations. Throws if a newer version of the program, or one from before the first, wrote the file. */
export function migrate(database: Database): void {
  // This check takes no lock, so that a file can be opened while another process writes to it.
  if (schemaVersion(database) === SCHEMA_VERSION) return;
  const step = database.transaction(() => {
    const version = schemaVersion(database);
    if (version > SCHEMA_VERSION || (version !== 0 && version < FIRST_VERSION)) {
      throw new Error(`Cannot open the ledger: its schema is version ${version}, this program knows ${SCHEMA_VERSION}`);
    }
    for (const sql of MIGRATIONS.slice(Math.max(0, version - FIRST_VERSION + 1))) database.run(sql);
    database.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
  step.immediate();
}
