import {
  type ChainState,
  type Channel,
  type ChannelIdentity,
  type Channels,
  type Risk,
  WORK_MS,
  type WorkTerms,
} from "../channels.ts";
import { type Connections } from "./sqlite-ledger.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";
import { joined, partOf } from "./sums.ts";

const SUMS = ["claimed", "base", "charged"] as const;

type ChannelRow = Omit<Channel, (typeof SUMS)[number]> & Record<`${(typeof SUMS)[number]}${"High" | "Low"}`, number>;

const CHANNEL = `id, network, payer, payer_authorizer AS payerAuthorizer, receiver, receiver_authorizer AS receiverAuthorizer, token,
  withdraw_delay AS withdrawDelay, salt, standing, balance, withdraw_at AS withdrawAt, refund_nonce AS refundNonce,
  synced_at AS syncedAt, ${SUMS.map((sum) => `${sum}_high AS ${sum}High, ${sum}_low AS ${sum}Low`).join(", ")},
  signed, signature, holder, tail, charges, owed_since AS owedSince, created_at AS createdAt, updated_at AS updatedAt`;

const FIND = `SELECT ${CHANNEL} FROM channels WHERE id = $id`;

const [HIGH, LOW] = [partOf("$claimed", "high"), partOf("$claimed", "low")];

const OPEN = `
  INSERT INTO channels (id, network, payer, payer_authorizer, receiver, receiver_authorizer, token, withdraw_delay, salt, standing,
    balance, withdraw_at, refund_nonce, synced_at, created_at, updated_at,
    ${SUMS.map((sum) => `${sum}_high, ${sum}_low`).join(", ")})
  VALUES ($id, $network, $payer, $payerAuthorizer, $receiver, $receiverAuthorizer, $token, $withdrawDelay, $salt,
    iif($withdrawAt > 0, 'withdrawing', 'open'), $balance, $withdrawAt, $refundNonce, $at, $now, $now,
    ${SUMS.map(() => `${HIGH}, ${LOW}`).join(", ")})
  ON CONFLICT DO NOTHING`;

/** The larger of a sum and of what the chain has as claimed. */
function atLeastClaimed(sum: string): string {
  const isLess = `(${sum}_high, ${sum}_low) < (${HIGH}, ${LOW})`;
  return `${sum}_high = CASE WHEN ${isLess} THEN ${HIGH} ELSE ${sum}_high END, ${sum}_low = CASE WHEN ${isLess} THEN ${LOW} ELSE ${sum}_low END`;
}

const IS_CLAIMED = `(charged_high, charged_low) <= (${HIGH}, ${LOW})`;
const IS_NEWS = `(claimed_high, claimed_low) <> (${HIGH}, ${LOW})`;

function synced(standing: string, more = ""): string {
  return `
  UPDATE channels SET standing = ${standing}, balance = $balance, withdraw_at = $withdrawAt, refund_nonce = $refundNonce,
    synced_at = $at, ${atLeastClaimed("base")}, ${atLeastClaimed("charged")}, claimed_high = ${HIGH}, claimed_low = ${LOW},
    charges = CASE WHEN ${IS_NEWS} THEN 0 ELSE charges END,
    owed_since = CASE WHEN ${IS_CLAIMED} THEN 0 WHEN ${IS_NEWS} THEN $now ELSE owed_since END ${more}
  WHERE id = $id`;
}

const BY_CHAIN = "iif($withdrawAt > 0, 'withdrawing', 'open')";
const SYNC = `${synced(`iif(standing IN ('refunding', 'closing'), standing, ${BY_CHAIN})`)} AND synced_at <= $at`;

const IDLE = `(worker_until < $steady OR worker_until > $steady + ${2 * WORK_MS})`;
const IS_OWED = "(charged_high, charged_low) > (claimed_high, claimed_low)";

const DUE = `${IDLE} AND (standing IN ('refunding', 'closing') OR (${IS_OWED} AND (standing = 'withdrawing' OR charges >= $charges
  OR owed_since <= $owedBefore OR synced_at < $syncedBefore
  OR (charged_high - claimed_high) * 1e15 + charged_low - claimed_low >= CAST($owed AS REAL))))`;

const WORK = `
  UPDATE channels SET worker = $worker, worker_until = $until WHERE id IN (
    SELECT id FROM channels WHERE (owed_since > 0 OR standing IN ('refunding', 'closing')) AND ${DUE}
    ORDER BY standing = 'withdrawing' DESC, owed_since LIMIT $limit)
  RETURNING ${CHANNEL}`;

const LEASE = `UPDATE channels SET worker = $worker, worker_until = $until WHERE id = $id AND ${IDLE} RETURNING ${CHANNEL}`;

const REFUND = `
  UPDATE channels SET standing = 'refunding', worker = $worker, worker_until = $until
  WHERE id = $id AND ${IDLE} AND standing = 'open' AND holder = '' RETURNING ${CHANNEL}`;

const CLOSE = `UPDATE channels SET standing = 'closing' WHERE id = $id AND ${IDLE} AND standing = 'open' AND holder = ''`;
const DEMAND = "UPDATE channels SET owed_since = 1 WHERE owed_since > 0";

const MINE = "worker = $worker AND worker_until > 0";
const DONE = `${synced(BY_CHAIN, ", worker_until = 0")} AND ${MINE}`;
/** A refund stays begun: another process asks the chain what became of it. */
const GIVE_UP = `UPDATE channels SET worker_until = 0 WHERE id = $id AND ${MINE}`;

const RISKS = `
  SELECT network, token, count(*) AS channels, sum(standing = 'withdrawing') AS withdrawing,
    CAST(sum(charged_high - claimed_high) AS TEXT) AS high, CAST(sum(charged_low - claimed_low) AS TEXT) AS low,
    coalesce(min(nullif(owed_since, 0)), 0) AS owedSince
  FROM channels WHERE owed_since > 0 GROUP BY network, token ORDER BY network, token`;

const FORGET = `
  DELETE FROM channels WHERE id IN (
    SELECT id FROM channels WHERE updated_at < $before AND balance = '0' AND (base_high, base_low) = (0, 0)
      AND standing = 'open' AND holder = '' LIMIT $limit)`;

/** The channels, in the ledger's file. `now` gives Unix milliseconds, `steady` those of the clock of leases. */
export class SqliteChannels implements Channels {
  readonly #worker = crypto.randomUUID();
  readonly #file: SqliteConnection;
  readonly #quick: SqliteConnection;
  readonly #now: () => number;
  readonly #steady: () => number;

  constructor({ durable, quick }: Connections, now: () => number, steady: () => number) {
    this.#file = durable;
    this.#quick = quick;
    this.#now = now;
    this.#steady = steady;
  }

  async find(id: string): Promise<Channel | undefined> {
    // The connection that reserves next: each keeps the pages that it read until the other one writes.
    const row = this.#quick.get<ChannelRow>(FIND, { id });
    return row && toChannel(row);
  }

  async open(identity: ChannelIdentity, state: ChainState, at: number): Promise<Channel> {
    const values = { ...identity, ...state, at, now: this.#now() };
    const row = await this.#file.transaction(() => {
      if (this.#file.run(OPEN, values) === 0) this.#file.run(SYNC, values);
      return this.#file.get<ChannelRow>(FIND, values);
    });
    if (row === undefined) throw new Error("the channel was added");
    return toChannel(row);
  }

  async sync(id: string, state: ChainState, at: number): Promise<void> {
    await this.#file.write(SYNC, { id, ...state, at, now: this.#now() });
  }

  async work(terms: WorkTerms, limit: number): Promise<readonly Channel[]> {
    const steady = this.#steady();
    // Most looks find nothing, and need no turn of the file's writers.
    const look = `SELECT 1 FROM channels WHERE (owed_since > 0 OR standing IN ('refunding', 'closing')) AND ${DUE} LIMIT 1`;
    if (this.#file.get(look, { ...terms, steady }) === undefined) return [];
    return this.#file.turn(() =>
      this.#file.all<ChannelRow>(WORK, { ...terms, ...this.#lease(), limit }).map(toChannel),
    );
  }

  lease(id: string): Promise<Channel | undefined> {
    return this.#leased(LEASE, id);
  }

  refund(id: string): Promise<Channel | undefined> {
    return this.#leased(REFUND, id);
  }

  close(id: string): Promise<boolean> {
    const steady = this.#steady();
    return this.#file.turn(() => this.#file.run(CLOSE, { id, steady }) > 0);
  }

  demand(id: string | undefined): Promise<number> {
    return this.#file.write(id === undefined ? DEMAND : `${DEMAND} AND id = $id`, { id });
  }

  async done(id: string, state: ChainState | undefined, at: number): Promise<boolean> {
    const worker = this.#worker;
    if (state === undefined) return (await this.#file.write(GIVE_UP, { id, worker })) > 0;
    return (await this.#file.write(DONE, { id, worker, ...state, at, now: this.#now() })) > 0;
  }

  async list(before: Pick<Channel, "id" | "updatedAt"> | undefined, limit: number): Promise<readonly Channel[]> {
    const where = before === undefined ? "" : "WHERE (updated_at, id) < ($updatedAt, $id)";
    const sql = `SELECT ${CHANNEL} FROM channels ${where} ORDER BY updated_at DESC, id DESC LIMIT $limit`;
    return this.#file.all<ChannelRow>(sql, { ...before, limit }).map(toChannel);
  }

  async risks(): Promise<readonly Risk[]> {
    const rows = this.#file.all<Omit<Risk, "owed"> & { high: string; low: string }>(RISKS);
    return rows.map(({ high, low, ...row }) => ({ ...row, owed: joined(high, low) }));
  }

  forgetEmpty(before: number, limit: number): Promise<number> {
    return this.#file.write(FORGET, { before, limit });
  }

  async #leased(sql: string, id: string): Promise<Channel | undefined> {
    const row = await this.#file.turn(() => this.#file.get<ChannelRow>(sql, { id, ...this.#lease() }));
    return row && toChannel(row);
  }

  #lease(): { readonly worker: string; readonly steady: number; readonly until: number } {
    const steady = this.#steady();
    return { worker: this.#worker, steady, until: steady + WORK_MS };
  }
}

function toChannel(row: ChannelRow): Channel {
  const { claimedHigh, claimedLow, baseHigh, baseLow, chargedHigh, chargedLow, ...others } = row;
  return {
    ...others,
    claimed: joined(claimedHigh, claimedLow),
    base: joined(baseHigh, baseLow),
    charged: joined(chargedHigh, chargedLow),
  };
}
