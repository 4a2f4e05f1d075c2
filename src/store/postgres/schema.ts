import { CREDIT_BOOK, CREDIT_SCHEME, MAX_CREDIT_DIGITS } from "../credits.ts";
import { channelTables } from "./channels-schema.ts";
import { type Connection, type Result, statement, type Step } from "./connection.ts";
import { type Statement } from "./messages.ts";
import { PostgresError } from "./postgres-error.ts";

/** The names have a prefix, because other programs may use the same database. */
export const PAYMENTS = "turnpike_payments";
export const OUTBOX = "turnpike_outbox";
export const REFUNDS = "turnpike_refunds";
export const PAYMENT_IDS = "turnpike_payment_ids";
export const SIMULATED_TRANSFERS = "turnpike_bookings";
export const USAGE = "turnpike_usage";
export const CERTIFICATES = "turnpike_certificates";
export const RESPONSES = "turnpike_responses";
export const TEMPLATES = "turnpike_templates";
export const CREDITS = "turnpike_credits";
export const CREDIT_GRANTS = "turnpike_credit_grants";
export const CHANNELS = "turnpike_channels";
const SCHEMA = "turnpike_schema";

/** SQLSTATE of a charge that the balance does not cover (check_violation), or whose credit has ended. */
export const UNCOVERED_STATE = "23514";

/** SQL: the charge of a payment is not taken from its credit. */
const isBack = (row: "OLD" | "NEW"): string => `${row}.state IN ('released', 'failed')`;

/** Changes a balance in the transaction that changes its charge, whatever changes that. A new charge needs a valid credit. */
const CHARGE = `
  CREATE FUNCTION ${CREDITS}_charge() RETURNS trigger LANGUAGE plpgsql AS $body$
  DECLARE
    back numeric := 0;
    taken numeric := 0;
    begins boolean := TG_OP = 'INSERT';
    book text := CASE TG_OP WHEN 'DELETE' THEN OLD.asset ELSE NEW.asset END;
  BEGIN
    IF TG_OP = 'DELETE' THEN back := OLD.amount; END IF;
    IF TG_OP = 'UPDATE' THEN
      IF NOT ${isBack("OLD")} THEN back := OLD.amount; END IF;
      begins := ${isBack("OLD")} AND NOT ${isBack("NEW")};
    END IF;
    IF TG_OP <> 'DELETE' AND NOT ${isBack("NEW")} THEN taken := NEW.amount; END IF;
    UPDATE ${CREDITS} SET balance = balance + back - taken WHERE id = substr(book, ${CREDIT_BOOK.length + 1}) AND (NOT begins
      OR (revoked_at = 0 AND (expires_at = 0 OR expires_at > NEW.updated_at) AND taken < 1e${MAX_CREDIT_DIGITS}));
    IF NOT FOUND AND begins THEN RAISE EXCEPTION 'no such credit' USING ERRCODE = '${UNCOVERED_STATE}'; END IF;
    RETURN NULL;
  END $body$`;

const CHARGE_TRIGGERS = [
  ["insert", "INSERT", "NEW", "true"],
  [
    "update",
    "UPDATE OF state, amount",
    "NEW",
    `${isBack("OLD")} <> ${isBack("NEW")} OR (OLD.amount <> NEW.amount AND NOT ${isBack("NEW")})`,
  ],
  ["delete", "DELETE", "OLD", "OLD.state IN ('reserved', 'verified')"],
].map(
  ([name, change, row, when]) => `CREATE TRIGGER ${CREDITS}_${name} AFTER ${change} ON ${PAYMENTS} FOR EACH ROW
    WHEN (${row}.scheme = '${CREDIT_SCHEME}' AND (${when})) EXECUTE FUNCTION ${CREDITS}_charge()`,
);

/** The version of the first migration. Tables of older versions cannot be used. */
const FIRST_VERSION = 17;

/**
 * The migrations of the schema, oldest first. A released migration is never edited. Text is compared by its bytes
 * ("C"), so that all databases sort alike. Times are Unix milliseconds, except `valid_before`, which is in seconds.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE ${PAYMENTS} (
       network text COLLATE "C" NOT NULL, asset text COLLATE "C" NOT NULL,
       payer_from text COLLATE "C" NOT NULL, nonce text COLLATE "C" NOT NULL,
       state text COLLATE "C" NOT NULL
         CHECK (state IN ('reserved','verified','deferred','settling','settled','released','failed','unknown')),
       attempt integer NOT NULL, owner text COLLATE "C" NOT NULL, held_until bigint NOT NULL, claimed_at bigint NOT NULL,
       token text COLLATE "C" NOT NULL, scheme text NOT NULL, amount numeric(78,0) NOT NULL, pay_to text NOT NULL,
       route text COLLATE "C" NOT NULL, fingerprint text NOT NULL, valid_before bigint NOT NULL, payload text NOT NULL,
       tx text COLLATE "C" NOT NULL DEFAULT '', reason text NOT NULL DEFAULT '', payer text NOT NULL DEFAULT '',
       delivered boolean NOT NULL DEFAULT false, cuts integer NOT NULL DEFAULT 0,
       body_digest text NOT NULL DEFAULT '', partials integer NOT NULL DEFAULT 0, repeats integer NOT NULL DEFAULT 0,
       consumer text COLLATE "C" NOT NULL DEFAULT '', counted boolean NOT NULL DEFAULT false,
       facilitator text NOT NULL DEFAULT '', refunded numeric(78,0) NOT NULL DEFAULT 0,
       deferral text NOT NULL DEFAULT '', due_at bigint NOT NULL DEFAULT 0,
       created_at bigint NOT NULL, updated_at bigint NOT NULL,
       PRIMARY KEY (network, asset, payer_from, nonce)
     )`,
    `CREATE INDEX ${PAYMENTS}_held ON ${PAYMENTS} (owner) WHERE held_until > 0`,
    `CREATE INDEX ${PAYMENTS}_unspent ON ${PAYMENTS} (valid_before) WHERE state IN ('reserved','verified','released')`,
    `CREATE INDEX ${PAYMENTS}_open ON ${PAYMENTS} (updated_at) WHERE state IN ('settling','unknown')`,
    `CREATE INDEX ${PAYMENTS}_finished ON ${PAYMENTS} (updated_at) WHERE state IN ('settled','failed')`,
    `CREATE INDEX ${PAYMENTS}_by_time ON ${PAYMENTS} (created_at)`,
    `CREATE INDEX ${PAYMENTS}_by_nonce ON ${PAYMENTS} (nonce)`,
    `CREATE INDEX ${PAYMENTS}_by_transaction ON ${PAYMENTS} (lower(tx)) WHERE tx <> ''`,
    `CREATE INDEX ${PAYMENTS}_uncounted ON ${PAYMENTS} (updated_at) WHERE state = 'settled' AND NOT counted`,
    `CREATE INDEX ${PAYMENTS}_owed ON ${PAYMENTS} (updated_at)
     WHERE state = 'settled' AND NOT delivered AND held_until = 0`,
    `CREATE INDEX ${PAYMENTS}_due ON ${PAYMENTS} (due_at) WHERE due_at > 0`,
    `CREATE TABLE ${OUTBOX} (
       id text COLLATE "C" NOT NULL PRIMARY KEY, url text NOT NULL, body text NOT NULL,
       tries integer NOT NULL DEFAULT 0, due_at bigint NOT NULL, created_at bigint NOT NULL
     )`,
    `CREATE INDEX ${OUTBOX}_by_time ON ${OUTBOX} (due_at)`,
    `CREATE TABLE ${PAYMENT_IDS} (
       payer text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, fingerprint text NOT NULL, until bigint NOT NULL,
       PRIMARY KEY (payer, id)
     )`,
    `CREATE INDEX ${PAYMENT_IDS}_by_end ON ${PAYMENT_IDS} (until)`,
    `CREATE TABLE ${SIMULATED_TRANSFERS} (
       network text COLLATE "C" NOT NULL, asset text COLLATE "C" NOT NULL,
       payer_from text COLLATE "C" NOT NULL, nonce text COLLATE "C" NOT NULL,
       digest text NOT NULL, pay_to text NOT NULL, amount text NOT NULL, tx text NOT NULL, booked_at bigint NOT NULL,
       PRIMARY KEY (network, asset, payer_from, nonce)
     )`,
    `CREATE INDEX ${SIMULATED_TRANSFERS}_by_age ON ${SIMULATED_TRANSFERS} (booked_at)`,
    `CREATE TABLE ${USAGE}_state (id integer PRIMARY KEY CHECK (id = 1), epoch bigint NOT NULL, since bigint NOT NULL)`,
    `INSERT INTO ${USAGE}_state VALUES (1, 1, (extract(epoch FROM statement_timestamp()) * 1000)::bigint)`,
    `CREATE TABLE ${USAGE}_resets (
       id text COLLATE "C" NOT NULL PRIMARY KEY, epoch bigint NOT NULL, since bigint NOT NULL
     )`,
    `CREATE TABLE ${USAGE}_flushes (
       gateway text COLLATE "C" NOT NULL PRIMARY KEY, sequence bigint NOT NULL, flushed_at bigint NOT NULL
     )`,
    `CREATE TABLE ${USAGE}_routes (
       epoch bigint NOT NULL, consumer text COLLATE "C" NOT NULL, route text COLLATE "C" NOT NULL,
       requests bigint NOT NULL, request_bytes bigint NOT NULL, response_bytes bigint NOT NULL,
       client_errors bigint NOT NULL, server_errors bigint NOT NULL, last_seen bigint NOT NULL,
       PRIMARY KEY (epoch, consumer, route)
     )`,
    `CREATE TABLE ${USAGE}_upstreams (
       epoch bigint NOT NULL, upstream text COLLATE "C" NOT NULL,
       requests bigint NOT NULL, request_bytes bigint NOT NULL, response_bytes bigint NOT NULL,
       client_errors bigint NOT NULL, server_errors bigint NOT NULL, last_seen bigint NOT NULL,
       PRIMARY KEY (epoch, upstream)
     )`,
    `CREATE TABLE ${USAGE}_payments (
       epoch bigint NOT NULL, consumer text COLLATE "C" NOT NULL, route text COLLATE "C" NOT NULL,
       network text COLLATE "C" NOT NULL, asset text COLLATE "C" NOT NULL,
       payments bigint NOT NULL, amount numeric NOT NULL, PRIMARY KEY (epoch, consumer, route, network, asset)
     )`,
    `CREATE TABLE ${CERTIFICATES} (
       name text COLLATE "C" NOT NULL PRIMARY KEY, value text NOT NULL, until bigint NOT NULL
     )`,
    `CREATE TABLE ${RESPONSES} (
       name text COLLATE "C" NOT NULL PRIMARY KEY, until bigint NOT NULL, size integer NOT NULL, response bytea NOT NULL
     )`,
    // Most responses are compressed already, or too short.
    `ALTER TABLE ${RESPONSES} ALTER COLUMN response SET STORAGE EXTERNAL`,
    `CREATE INDEX ${RESPONSES}_by_end ON ${RESPONSES} (until) INCLUDE (size)`,
    `CREATE TABLE ${TEMPLATES} (
       key text COLLATE "C" NOT NULL PRIMARY KEY, changes boolean NOT NULL, equal integer NOT NULL,
       page text COLLATE "C" NOT NULL, at bigint NOT NULL
     )`,
    `CREATE INDEX ${TEMPLATES}_by_time ON ${TEMPLATES} (at)`,
    `CREATE TABLE ${USAGE}_funnel (
       day bigint NOT NULL, route text COLLATE "C" NOT NULL, client text COLLATE "C" NOT NULL,
       step text COLLATE "C" NOT NULL, count bigint NOT NULL, PRIMARY KEY (day, route, client, step)
     )`,
    `CREATE TABLE ${CREDITS} (
       id text COLLATE "C" NOT NULL PRIMARY KEY, hash text NOT NULL, owner text COLLATE "C" NOT NULL, unit text NOT NULL,
       name text NOT NULL, network text NOT NULL, token text NOT NULL, routes text NOT NULL,
       balance numeric(78,0) NOT NULL CHECK (balance >= 0), expires_at bigint NOT NULL,
       revoked_at bigint NOT NULL DEFAULT 0, created_at bigint NOT NULL
     )`,
    `CREATE INDEX ${CREDITS}_by_owner ON ${CREDITS} (owner, created_at)`,
    `CREATE INDEX ${CREDITS}_by_time ON ${CREDITS} (created_at)`,
    `CREATE TABLE ${CREDIT_GRANTS} (
       id text COLLATE "C" NOT NULL PRIMARY KEY, credit text COLLATE "C" NOT NULL, kind text NOT NULL,
       amount numeric(78,0) NOT NULL, payment text NOT NULL, granted_at bigint NOT NULL
     )`,
    `CREATE INDEX ${CREDIT_GRANTS}_by_credit ON ${CREDIT_GRANTS} (credit, granted_at)`,
    `CREATE INDEX ${CREDIT_GRANTS}_refunded ON ${CREDIT_GRANTS} (granted_at) WHERE kind = 'refunded'`,
    `CREATE INDEX ${PAYMENTS}_of_credit ON ${PAYMENTS} (asset, created_at) WHERE scheme = '${CREDIT_SCHEME}'`,
    CHARGE,
    ...CHARGE_TRIGGERS,
    `CREATE TABLE ${USAGE}_hours (
       hour bigint NOT NULL PRIMARY KEY, requests bigint NOT NULL, client_errors bigint NOT NULL,
       server_errors bigint NOT NULL
     )`,
    `CREATE TABLE ${REFUNDS} (
       network text COLLATE "C" NOT NULL, asset text COLLATE "C" NOT NULL,
       payer_from text COLLATE "C" NOT NULL, nonce text COLLATE "C" NOT NULL, sequence integer NOT NULL,
       id text COLLATE "C" NOT NULL, state text COLLATE "C" NOT NULL
         CHECK (state IN ('pending','settled','recorded','failed')),
       amount numeric(78,0) NOT NULL, valid_before bigint NOT NULL, sent boolean NOT NULL DEFAULT false,
       tx text COLLATE "C" NOT NULL, reason text NOT NULL DEFAULT '', requested_by text NOT NULL,
       due_at bigint NOT NULL, created_at bigint NOT NULL, updated_at bigint NOT NULL,
       PRIMARY KEY (network, asset, payer_from, nonce, sequence),
       FOREIGN KEY (network, asset, payer_from, nonce) REFERENCES ${PAYMENTS} ON DELETE CASCADE
     )`,
    `CREATE UNIQUE INDEX ${REFUNDS}_by_id ON ${REFUNDS} (network, asset, payer_from, nonce, id) WHERE state <> 'failed'`,
    `CREATE INDEX ${REFUNDS}_pending ON ${REFUNDS} (due_at) WHERE state = 'pending'`,
    `CREATE INDEX ${REFUNDS}_by_time ON ${REFUNDS} (updated_at)`,
    ...channelTables({ channels: CHANNELS, payments: PAYMENTS, refused: UNCOVERED_STATE }),
  ],
];

/** The version of the schema that this program writes. */
export const SCHEMA_VERSION = FIRST_VERSION + MIGRATIONS.length - 1;

/** Tables that are migrated together, and the table with their version. */
export interface Schema {
  readonly version: string;
  /** Statements that each connection runs once. */
  readonly session?: readonly Statement[];
  /** Version of the first migration. */
  readonly first: number;
  readonly migrations: readonly (readonly string[])[];
}

/** The tables of the payments and of all that belongs to them. */
export const PAYMENT_SCHEMA: Schema = { version: SCHEMA, first: FIRST_VERSION, migrations: MIGRATIONS };

/** A number for the advisory lock that no other program is likely to use: "turnpike" in ASCII. */
const LOCK = "8391737060846726757";
/** Milliseconds for all migrations together. @operator Tables may be long. @bound */
const MIGRATION_MS = 600_000;

/** Applies missing migrations, one process at a time. `ms`: timeout of the check. Rejects for an unknown version. */
export async function migrate(connection: Connection, ms: number, schema: Schema): Promise<void> {
  // This check needs no privileges. A user who cannot create tables can still use existing ones.
  if ((await versionOf(connection, ms, schema)) === newestOf(schema)) return;
  await run(connection, "BEGIN");
  await run(connection, `SET LOCAL statement_timeout = ${MIGRATION_MS}`);
  await run(connection, `SET LOCAL idle_in_transaction_session_timeout = ${MIGRATION_MS}`);
  await run(connection, `SELECT pg_advisory_xact_lock(${LOCK})`);
  const version = await versionOf(connection, ms, schema);
  if (version === 0) await run(connection, `CREATE TABLE ${schema.version} (version integer NOT NULL)`);
  for (const sql of schema.migrations.slice(Math.max(0, version - schema.first + 1)).flat()) await run(connection, sql);
  await run(connection, `DELETE FROM ${schema.version}`);
  await run(connection, `INSERT INTO ${schema.version} VALUES (${newestOf(schema)})`);
  await run(connection, "COMMIT");
}

/** The version of the existing tables, which may be older or newer than this program; 0 if there are no tables. */
export async function storedVersion(connection: Connection, ms: number, schema = PAYMENT_SCHEMA): Promise<number> {
  // The query reads the catalogue as a table. `to_regclass` may use a cached result from before the lock.
  const where = `relname = '${schema.version}' AND pg_table_is_visible(oid)`;
  const found = await run(connection, `SELECT 1 FROM pg_catalog.pg_class WHERE ${where}`, ms);
  if (found.length === 0) return 0;
  const [row] = await run(connection, `SELECT version FROM ${schema.version}`, ms);
  return Number(row?.[0]);
}

function newestOf(schema: Schema): number {
  return schema.first + schema.migrations.length - 1;
}

/** As `storedVersion`, but rejects if this program does not know the version. */
async function versionOf(connection: Connection, ms: number, schema: Schema): Promise<number> {
  const version = await storedVersion(connection, ms, schema);
  const known = newestOf(schema);
  if (version > known || (version !== 0 && version < schema.first)) {
    throw new PostgresError("refused", `its schema is version ${version}, this program knows ${known}`);
  }
  return version;
}

async function run(connection: Connection, text: string, ms = MIGRATION_MS): Promise<Result["rows"]> {
  // The statement has no name, because it runs only once.
  const step: Step = { statement: { ...statement(text), name: "" }, values: [] };
  return (await connection.run([step], ms)).rows;
}
