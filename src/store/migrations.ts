import { type Database } from "bun:sqlite";

/** The schema's steps, oldest first; a step is never edited once released. `PRAGMA user_version` counts those taken. */
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
];

/** The schema that this program knows. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** How many steps a database has taken; 0 where it is empty. */
export function schemaVersion(database: Database): number {
  return database.query<{ user_version: number }, []>("PRAGMA user_version").get()?.user_version ?? 0;
}

/** Brings the schema up to date. Throws where the file was written by a newer version. */
export function migrate(database: Database): void {
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
