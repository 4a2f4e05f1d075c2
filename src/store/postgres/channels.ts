import {
  type ChainState,
  type Channel,
  type ChannelIdentity,
  type Channels,
  MAX_SKEW_MS,
  NO_AUTHORIZER,
  type Risk,
  STANDINGS,
  WORK_MS,
  type WorkTerms,
} from "../channels.ts";
import { Columns, each, asNumber, oneOf, asText } from "./columns.ts";
import { statement } from "./connection.ts";
import { type Database, NOW } from "./database.ts";
import { type Value } from "./messages.ts";
import { PostgresError } from "./postgres-error.ts";
import { CHANNELS } from "./schema.ts";

const COLUMNS = new Columns<Channel>({
  ...each(asText, "id", "network", "payer", "payerAuthorizer", "receiver", "receiverAuthorizer", "token", "salt"),
  ...each(asText, "balance", "claimed", "refundNonce", "base", "charged", "signed", "signature", "holder", "tail"),
  ...each(asNumber, "withdrawDelay", "withdrawAt", "syncedAt", "charges", "owedSince", "refusedAt"),
  ...each(asNumber, "createdAt", "updatedAt"),
  standing: oneOf(STANDINGS, "a channel has a standing"),
});
const CHANNEL = COLUMNS.of("c");
const toChannel = COLUMNS.read;

const RISK = new Columns<Risk>({
  ...each(asText, "network", "token", "owed", "deniable", "lost"),
  ...each(asNumber, "channels", "withdrawing", "owedSince"),
});

const FIND = statement(`SELECT ${CHANNEL} FROM ${CHANNELS} AS c WHERE c.id = $1`);

/** Standing by the chain, with the time of a withdrawal. */
const byChain = (at: string): string => `CASE WHEN ${at} > 0 THEN 'withdrawing' ELSE 'open' END`;

/** True if the row is newer than the parameters. Nonces only grow. */
const IS_OLD = `($6::numeric < c.refund_nonce
  OR ($6::numeric = c.refund_nonce AND $7::bigint < c.synced_at AND c.synced_at <= ${NOW} + ${MAX_SKEW_MS}))`;
/** The contract ends a withdrawal by a refund, or after its delay. */
const IS_PENDING = `(c.withdraw_at > 0 AND $5::bigint = 0 AND $6::numeric = c.refund_nonce
  AND $7::bigint < (c.withdraw_at + c.withdraw_delay) * 1000)`;
const WITHDRAW_AT = `CASE WHEN ${IS_OLD} OR ${IS_PENDING} THEN c.withdraw_at ELSE $5::bigint END`;
const CLAIMED = `CASE WHEN ${IS_OLD} THEN greatest(c.claimed, $4::numeric) ELSE $4::numeric END`;

const later = (name: string, value: string): string => `${name} = CASE WHEN ${IS_OLD} THEN c.${name} ELSE ${value} END`;

function synced(standing: string, more = ""): string {
  return `standing = ${standing}, ${later("balance", "$3::numeric")}, withdraw_at = ${WITHDRAW_AT},
    ${later("refund_nonce", "$6::numeric")}, ${later("synced_at", "$7::bigint")},
    base = greatest(c.base, $4::numeric), charged = greatest(c.charged, $4::numeric), claimed = ${CLAIMED},
    charges = CASE WHEN c.claimed <> ${CLAIMED} THEN 0 ELSE c.charges END,
    refused_at = CASE WHEN c.claimed <> ${CLAIMED} THEN 0 ELSE c.refused_at END,
    owed_since = CASE WHEN c.charged <= ${CLAIMED} THEN 0 WHEN c.claimed <> ${CLAIMED} THEN ${NOW} ELSE least(c.owed_since, ${NOW}) END ${more}`;
}

const SYNCED = synced(
  `CASE WHEN c.standing IN ('refunding', 'closing') THEN c.standing ELSE ${byChain(WITHDRAW_AT)} END`,
);
const SYNC = statement(`UPDATE ${CHANNELS} AS c SET ${SYNCED} WHERE c.id = $2 AND NOT ${IS_OLD} RETURNING ${CHANNEL}`);

const OPEN = statement(`
  INSERT INTO ${CHANNELS} AS c (id, balance, claimed, withdraw_at, refund_nonce, synced_at, network, payer, payer_authorizer,
    receiver, receiver_authorizer, token, withdraw_delay, salt, standing, base, charged, created_at, updated_at)
  VALUES ($2, $3::numeric, $4::numeric, $5::bigint, $6::numeric, $7::bigint, $8, $9, $10, $11, $12, $13, $14::bigint, $15,
    ${byChain("$5::bigint")}, $4::numeric, $4::numeric, ${NOW}, ${NOW})
  ON CONFLICT (id) DO UPDATE SET ${SYNCED} WHERE NOT ${IS_OLD} RETURNING ${CHANNEL}`);

const IDLE = `(c.worker_until < ${NOW} OR c.worker_until > ${NOW} + ${2 * WORK_MS})`;
const TAKEN = `worker = $2, worker_until = ${NOW} + ${WORK_MS}`;

const WORK = statement(`
  WITH picked AS MATERIALIZED (
    SELECT c.id FROM ${CHANNELS} AS c WHERE (c.owed_since > 0 OR c.standing IN ('refunding', 'closing')) AND ${IDLE}
      AND (c.standing IN ('refunding', 'closing') OR (c.charged > c.claimed AND (c.standing = 'withdrawing' OR c.charges >= $4::int
        OR c.owed_since <= $5::bigint OR c.synced_at < $6::bigint OR c.synced_at > ${NOW} + ${MAX_SKEW_MS} OR c.refused_at > 0
        OR c.charged - c.claimed >= CASE c.payer_authorizer WHEN '${NO_AUTHORIZER}' THEN $8::numeric ELSE $7::numeric END)))
    ORDER BY c.standing = 'withdrawing' DESC, c.refused_at > 0, c.owed_since, c.updated_at LIMIT $3::int FOR UPDATE SKIP LOCKED)
  UPDATE ${CHANNELS} AS c SET ${TAKEN} FROM picked WHERE c.id = picked.id RETURNING ${CHANNEL}`);

const REFUND = statement(`
  UPDATE ${CHANNELS} AS c SET standing = 'refunding', ${TAKEN}
  WHERE c.id = $3 AND ${IDLE} AND c.standing = 'open' AND c.holder = '' RETURNING ${CHANNEL}`);

const CLOSE = statement(`
  UPDATE ${CHANNELS} AS c SET standing = 'closing' WHERE c.id = $2 AND ${IDLE} AND c.standing = 'open' AND c.holder = ''`);
const DEMAND = statement(
  `UPDATE ${CHANNELS} SET owed_since = 1 WHERE ($1::text IS NULL AND owed_since > 0) OR (id = $1 AND charged > claimed)`,
);

const DONE = statement(`
  UPDATE ${CHANNELS} AS c SET ${synced(byChain(WITHDRAW_AT), ", worker_until = 0")}
  WHERE c.id = $2 AND c.worker = $8 AND c.worker_until > 0`);
/** A refund stays in its state: another process asks the chain for the outcome. */
const GIVE_UP = statement(`
  UPDATE ${CHANNELS} AS c SET worker_until = 0 WHERE c.id = $1 AND c.worker = $2 AND c.worker_until > 0`);
const REFUSE = statement(`
  UPDATE ${CHANNELS} AS c SET refused_at = CASE c.refused_at WHEN 0 THEN ${NOW} ELSE c.refused_at END
  WHERE c.id = $2 AND c.worker = $3 AND c.worker_until > 0`);
const WRITE_OFF = statement(`
  UPDATE ${CHANNELS} AS c SET owed_since = 0, charges = 0, worker_until = 0, standing = ${byChain("c.withdraw_at")}
  WHERE c.id = $1 AND c.worker = $2 AND c.worker_until > 0 AND c.refused_at > 0`);
const IS_BARRED = statement(`
  SELECT 1 FROM ${CHANNELS} WHERE payer = $1 AND refused_at > 0 AND payer_authorizer = '${NO_AUTHORIZER}' LIMIT 1`);

const LIST = statement(`
  SELECT ${CHANNEL} FROM ${CHANNELS} AS c WHERE $1::bigint IS NULL OR (c.updated_at, c.id) < ($1, $2)
  ORDER BY c.updated_at DESC, c.id DESC LIMIT $3::int`);
/** Charges that are written off have no time. */
const RISKS = statement(`
  SELECT network, token, coalesce(sum(charged - claimed) FILTER (WHERE owed_since > 0), 0),
    coalesce(sum(charged - claimed) FILTER (WHERE owed_since > 0 AND payer_authorizer = '${NO_AUTHORIZER}'), 0),
    coalesce(sum(charged - claimed) FILTER (WHERE owed_since = 0), 0),
    count(*) FILTER (WHERE owed_since > 0), count(*) FILTER (WHERE owed_since > 0 AND standing = 'withdrawing'),
    coalesce(min(nullif(owed_since, 0)), 0)
  FROM (SELECT * FROM ${CHANNELS} WHERE owed_since > 0
    UNION ALL SELECT * FROM ${CHANNELS} WHERE refused_at > 0 AND owed_since = 0 AND charged > claimed) AS owing
  GROUP BY network, token ORDER BY network, token`);
const FORGET = statement(`
  DELETE FROM ${CHANNELS} WHERE id IN (
    SELECT id FROM ${CHANNELS} WHERE updated_at < $1::bigint AND balance = 0 AND base = 0 AND standing = 'open' AND holder = ''
    LIMIT $2::int FOR UPDATE SKIP LOCKED)`);

/** The channels, in the ledger's database. */
export class PostgresChannels implements Channels {
  readonly #worker = crypto.randomUUID();
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async find(id: string): Promise<Channel | undefined> {
    const { rows } = await this.#database.read(FIND, [id]);
    return rows[0] && toChannel(rows[0]);
  }

  async open(identity: ChannelIdentity, state: ChainState, at: number): Promise<Channel> {
    const { id, network, payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = identity;
    const own = [network, payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt];
    const { rows } = await this.#database.durable(OPEN, [...this.#stateOf(id, state, at), ...own]);
    const [channel = await this.find(id)] = rows.map(toChannel);
    if (channel === undefined) throw new PostgresError("protocol", "a channel that was added is not there");
    return channel;
  }

  async sync(id: string, state: ChainState, at: number): Promise<void> {
    await this.#database.durable(SYNC, this.#stateOf(id, state, at));
  }

  async work(
    { charges, owed, deniable, owedBefore, syncedBefore }: WorkTerms,
    limit: number,
  ): Promise<readonly Channel[]> {
    const terms = [charges, owedBefore, syncedBefore, owed, deniable];
    const { rows } = await this.#database.quick(WORK, [this.#database.clock, this.#worker, limit, ...terms]);
    return rows.map(toChannel);
  }

  async refund(id: string): Promise<Channel | undefined> {
    const { rows } = await this.#database.durable(REFUND, [this.#database.clock, this.#worker, id]);
    return rows[0] && toChannel(rows[0]);
  }

  async close(id: string): Promise<boolean> {
    return (await this.#database.durable(CLOSE, [this.#database.clock, id])).count > 0;
  }

  async demand(id: string | undefined): Promise<number> {
    return (await this.#database.quick(DEMAND, [id ?? null])).count;
  }

  async done(id: string, state: ChainState | undefined, at: number): Promise<boolean> {
    if (state === undefined) return (await this.#database.quick(GIVE_UP, [id, this.#worker])).count > 0;
    return (await this.#database.durable(DONE, [...this.#stateOf(id, state, at), this.#worker])).count > 0;
  }

  async refuse(id: string): Promise<void> {
    await this.#database.quick(REFUSE, [this.#database.clock, id, this.#worker]);
  }

  async writeOff(id: string): Promise<boolean> {
    return (await this.#database.durable(WRITE_OFF, [id, this.#worker])).count > 0;
  }

  async isBarred(payer: string): Promise<boolean> {
    return (await this.#database.read(IS_BARRED, [payer])).rows.length > 0;
  }

  async list(before: Pick<Channel, "id" | "updatedAt"> | undefined, limit: number): Promise<readonly Channel[]> {
    const { rows } = await this.#database.read(LIST, [before?.updatedAt ?? null, before?.id ?? null, limit]);
    return rows.map(toChannel);
  }

  async risks(): Promise<readonly Risk[]> {
    return (await this.#database.read(RISKS, [])).rows.map(RISK.read);
  }

  async forgetEmpty(before: number, limit: number): Promise<number> {
    return (await this.#database.quick(FORGET, [before, limit])).count;
  }

  #stateOf(id: string, { balance, claimed, withdrawAt, refundNonce }: ChainState, at: number): Value[] {
    return [this.#database.clock, id, balance, claimed, withdrawAt, refundNonce, at];
  }
}
