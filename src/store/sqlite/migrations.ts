import { type Database } from "bun:sqlite";

/**
 * The sum of a day's amounts is stored in parts of 12 digits, lowest part first. An amount has up to 78 digits, an
 * integer of SQLite only 18. One part can add up nine million payments a day without overflow.
 */
export const LIMB_DIGITS = 12;
export const LIMBS = ["amount0", "amount1", "amount2", "amount3", "amount4", "amount5", "amount6"] as const;

/** SQL for the digits of an amount that belong to part `index`. */
function limbOf(amount: string, index: number): string {
  const digits = LIMB_DIGITS * LIMBS.length;
  const from = digits - LIMB_DIGITS * (index + 1) + 1;
  return `CAST(substr(substr('${"0".repeat(digits)}' || ${amount}, -${digits}), ${from}, ${LIMB_DIGITS}) AS INTEGER)`;
}

/**
 * The migrations of the schema, oldest first. A released migration is never edited. Statements of the previous version
 * must work on the new schema, because a gateway that is replaced (`--take-over`) drains on it. `PRAGMA user_version`
 * counts the applied migrations.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE payments (
     network TEXT NOT NULL, asset TEXT NOT NULL, payer_from TEXT NOT NULL, nonce TEXT NOT NULL,
     state TEXT NOT NULL CHECK (state IN ('reserved','verified','settling','settled','released','failed','unknown')),
     attempt INTEGER NOT NULL, owner TEXT NOT NULL, held_until INTEGER NOT NULL,
     amount TEXT NOT NULL, pay_to TEXT NOT NULL, route TEXT NOT NULL, fingerprint TEXT NOT NULL,
     valid_before INTEGER NOT NULL, tx TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '',
     payer TEXT NOT NULL DEFAULT '', delivered INTEGER NOT NULL DEFAULT 0,
     created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
     PRIMARY KEY (network, asset, payer_from, nonce)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX payments_held ON payments (owner) WHERE held_until > 0;
   CREATE INDEX payments_unspent ON payments (valid_before) WHERE state IN ('reserved','verified','released');
   CREATE TABLE bookings (
     network TEXT NOT NULL, asset TEXT NOT NULL, payer_from TEXT NOT NULL, nonce TEXT NOT NULL,
     digest TEXT NOT NULL, pay_to TEXT NOT NULL, amount TEXT NOT NULL, tx TEXT NOT NULL, booked_at INTEGER NOT NULL,
     PRIMARY KEY (network, asset, payer_from, nonce)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX bookings_by_age ON bookings (booked_at);`,
  "ALTER TABLE payments ADD COLUMN cuts INTEGER NOT NULL DEFAULT 0",
  `ALTER TABLE payments ADD COLUMN token TEXT NOT NULL DEFAULT '';
   ALTER TABLE payments ADD COLUMN scheme TEXT NOT NULL DEFAULT 'exact';
   ALTER TABLE payments ADD COLUMN payload TEXT NOT NULL DEFAULT '';
   UPDATE payments SET token = asset;
   CREATE INDEX payments_open ON payments (updated_at) WHERE state IN ('settling','unknown');
   CREATE TABLE outbox (
     id TEXT NOT NULL PRIMARY KEY, url TEXT NOT NULL, body TEXT NOT NULL,
     tries INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, created_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX outbox_by_time ON outbox (due_at)`,
  `CREATE INDEX payments_by_time ON payments (created_at);
   CREATE INDEX payments_by_nonce ON payments (nonce);
   CREATE INDEX payments_by_transaction ON payments (lower(tx)) WHERE tx <> '';
   CREATE INDEX payments_finished ON payments (updated_at) WHERE state IN ('settled','failed');
   CREATE TABLE payment_ids (
     payer TEXT NOT NULL, id TEXT NOT NULL, fingerprint TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (payer, id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX payment_ids_by_end ON payment_ids (until)`,
  "ALTER TABLE payments ADD COLUMN body_digest TEXT NOT NULL DEFAULT ''",
  "ALTER TABLE payments ADD COLUMN partials INTEGER NOT NULL DEFAULT 0",
  // Payments that were settled before the usage tables existed are not counted.
  `ALTER TABLE payments ADD COLUMN consumer TEXT NOT NULL DEFAULT '';
   ALTER TABLE payments ADD COLUMN counted INTEGER NOT NULL DEFAULT 1;
   UPDATE payments SET counted = 0 WHERE state IN ('settling','unknown');
   CREATE INDEX payments_uncounted ON payments (updated_at) WHERE state = 'settled' AND counted = 0;
   CREATE TABLE usage_state (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, since INTEGER NOT NULL) STRICT;
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
   ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE sold_days (
     day INTEGER NOT NULL, route TEXT NOT NULL, network TEXT NOT NULL, token TEXT NOT NULL, payments INTEGER NOT NULL,
     ${LIMBS.map((limb) => `${limb} INTEGER NOT NULL`).join(", ")}, PRIMARY KEY (day, route, network, token)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO sold_days SELECT created_at / 86400000, route, network, token, count(*),
     ${LIMBS.map((_, i) => `sum(${limbOf("amount", i)})`).join(", ")}
     FROM payments WHERE state = 'settled' GROUP BY 1, 2, 3, 4;
   CREATE TRIGGER payments_sold AFTER UPDATE OF state ON payments WHEN NEW.state = 'settled' AND OLD.state <> 'settled'
   BEGIN
     INSERT INTO sold_days VALUES (NEW.created_at / 86400000, NEW.route, NEW.network, NEW.token, 1,
       ${LIMBS.map((_, i) => limbOf("NEW.amount", i)).join(", ")})
     ON CONFLICT DO UPDATE SET payments = payments + 1,
       ${LIMBS.map((limb) => `${limb} = ${limb} + excluded.${limb}`).join(", ")};
   END;
   CREATE INDEX payments_owed ON payments (updated_at) WHERE state = 'settled' AND delivered = 0 AND held_until = 0`,
  "ALTER TABLE payments ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0",
  `CREATE TABLE usage_funnel (
     day INTEGER NOT NULL, route TEXT NOT NULL, client TEXT NOT NULL, step TEXT NOT NULL, count INTEGER NOT NULL,
     PRIMARY KEY (day, route, client, step)
   ) STRICT, WITHOUT ROWID`,
];

/** The version of the schema that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The number of migrations that were applied to a database; 0 for an empty database. */
export function schemaVersion(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Applies the missing migrations. Throws if a newer version of the program wrote the file. */
export function migrate(database: Database): void {
  // This check takes no lock, so that a file can be opened while another process writes to it.
  if (schemaVersion(database) === SCHEMA_VERSION) return;
  const step = database.transaction(() => {
    const version = schemaVersion(database);
    if (version > SCHEMA_VERSION) {
      throw new Error(`Cannot open the ledger: its schema is version ${version}, this program knows ${SCHEMA_VERSION}`);
    }
    for (const sql of MIGRATIONS.slice(version)) database.run(sql);
    database.run(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
  step.immediate();
}
