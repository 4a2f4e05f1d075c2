import {
  type ChainState,
  type Channel,
  type ChannelIdentity,
  type Channels,
  MAX_SKEW_MS,
  NO_AUTHORIZER,
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
  signed, signature, holder, tail, charges, owed_since AS owedSince, refused_at AS refusedAt, created_at AS createdAt, updated_at AS updatedAt`;

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

const IS_CLAIMED = "(charged_high, charged_low) <= (now_high, now_low)";
const IS_NEWS = "(claimed_high, claimed_low) <> (now_high, now_low)";

/** The row knows something later than the parameters: nonces only grow. */
const IS_OLD = `((length($refundNonce), $refundNonce) < (length(refund_nonce), refund_nonce)
  OR ($refundNonce = refund_nonce AND $at < synced_at AND synced_at <= $now + ${MAX_SKEW_MS}))`;
/** The contract ends a withdrawal by a refund, or after its delay. */
const IS_PENDING = `(withdraw_at > 0 AND $withdrawAt = 0 AND $refundNonce = refund_nonce
  AND $at < (withdraw_at + withdraw_delay) * 1000)`;
const IS_LESS = `(is_old AND (claimed_high, claimed_low) > (${HIGH}, ${LOW}))`;
/** The state after the chain's word: claims count, even if something later is known. */
const TOLD = `
  WITH known AS (SELECT *, ${IS_OLD} AS is_old FROM channels WHERE id = $id),
  told AS (SELECT id AS told_id, is_old, iif(is_old OR ${IS_PENDING}, withdraw_at, $withdrawAt) AS now_withdraw_at,
    iif(${IS_LESS}, claimed_high, ${HIGH}) AS now_high, iif(${IS_LESS}, claimed_low, ${LOW}) AS now_low FROM known)`;

const later = (name: string, value: string): string => `${name} = iif(is_old, ${name}, ${value})`;

function synced(standing: string, more = ""): string {
  return `${TOLD}
  UPDATE channels SET standing = ${standing}, ${later("balance", "$balance")}, withdraw_at = now_withdraw_at,
    ${later("refund_nonce", "$refundNonce")}, ${later("synced_at", "$at")}, ${atLeastClaimed("base")}, ${atLeastClaimed("charged")},
    claimed_high = now_high, claimed_low = now_low, charges = CASE WHEN ${IS_NEWS} THEN 0 ELSE charges END,
    refused_at = CASE WHEN ${IS_NEWS} THEN 0 ELSE refused_at END,
    owed_since = CASE WHEN ${IS_CLAIMED} THEN 0 WHEN ${IS_NEWS} THEN $now ELSE min(owed_since, $now) END ${more}
  FROM told WHERE id = told_id`;
}

const BY_CHAIN = "iif(now_withdraw_at > 0, 'withdrawing', 'open')";
const SYNC = `${synced(`iif(standing IN ('refunding', 'closing'), standing, ${BY_CHAIN})`)} AND NOT is_old`;

const IDLE = `(worker_until < $steady OR worker_until > $steady + ${2 * WORK_MS})`;
const IS_OWED = "(charged_high, charged_low) > (claimed_high, claimed_low)";

const DUE = `${IDLE} AND (standing IN ('refunding', 'closing') OR (${IS_OWED} AND (standing = 'withdrawing' OR charges >= $charges
  OR owed_since <= $owedBefore OR synced_at < $syncedBefore OR synced_at > $now + ${MAX_SKEW_MS} OR refused_at > 0
  OR (charged_high - claimed_high) * 1e15 + charged_low - claimed_low
    >= CAST(iif(payer_authorizer = '${NO_AUTHORIZER}', $deniable, $owed) AS REAL))))`;

const WORK = `
  UPDATE channels SET worker = $worker, worker_until = $until WHERE id IN (
    SELECT id FROM channels WHERE (owed_since > 0 OR standing IN ('refunding', 'closing')) AND ${DUE}
    ORDER BY standing = 'withdrawing' DESC, refused_at > 0, owed_since, updated_at LIMIT $limit)
  RETURNING ${CHANNEL}`;

const REFUND = `
  UPDATE channels SET standing = 'refunding', worker = $worker, worker_until = $until
  WHERE id = $id AND ${IDLE} AND standing = 'open' AND holder = '' RETURNING ${CHANNEL}`;

const CLOSE = `UPDATE channels SET standing = 'closing' WHERE id = $id AND ${IDLE} AND standing = 'open' AND holder = ''`;
const DEMAND = "UPDATE channels SET owed_since = 1 WHERE owed_since > 0";
const DEMAND_ONE = `UPDATE channels SET owed_since = 1 WHERE id = $id AND ${IS_OWED}`;

const MINE = "worker = $worker AND worker_until > 0";
const DONE = `${synced(BY_CHAIN, ", worker_until = 0")} AND ${MINE}`;
/** A refund stays in its state: another process asks the chain for the outcome. */
const GIVE_UP = `UPDATE channels SET worker_until = 0 WHERE id = $id AND ${MINE}`;

const REFUSE = `UPDATE channels SET refused_at = iif(refused_at = 0, $now, refused_at) WHERE id = $id AND ${MINE}`;
const WRITE_OFF = `
  UPDATE channels SET owed_since = 0, charges = 0, worker_until = 0, standing = iif(withdraw_at > 0, 'withdrawing', 'open')
  WHERE id = $id AND ${MINE} AND refused_at > 0`;
const IS_BARRED = `
  SELECT 1 FROM channels WHERE payer = $payer AND refused_at > 0 AND payer_authorizer = '${NO_AUTHORIZER}' LIMIT 1`;

/** Charges that are written off have no time. */
const PARTS = {
  owed: "owed_since > 0",
  deniable: `owed_since > 0 AND payer_authorizer = '${NO_AUTHORIZER}'`,
  lost: "owed_since = 0",
};
const RISKS = `
  SELECT network, token, sum(owed_since > 0) AS channels, sum(owed_since > 0 AND standing = 'withdrawing') AS withdrawing,
    ${Object.entries(PARTS)
      .flatMap(([name, where]) =>
        (["high", "low"] as const).map(
          (limb) => `CAST(sum(iif(${where}, charged_${limb} - claimed_${limb}, 0)) AS TEXT) AS ${name}_${limb}`,
        ),
      )
      .join(", ")},
    coalesce(min(nullif(owed_since, 0)), 0) AS owedSince
  FROM (SELECT * FROM channels WHERE owed_since > 0
    UNION ALL SELECT * FROM channels WHERE refused_at > 0 AND owed_since = 0 AND ${IS_OWED})
  GROUP BY network, token ORDER BY network, token`;

const FORGET = `
  DELETE FROM channels WHERE id IN (
    SELECT id FROM channels WHERE updated_at < $before AND balance = '0' AND (base_high, base_low) = (0, 0)
      AND standing = 'open' AND holder = '' LIMIT $limit)`;

type RiskRow = Omit<Risk, keyof typeof PARTS> & Record<`${keyof typeof PARTS}_${"high" | "low"}`, string>;

/** The channels, in the ledger's file. */
export class SqliteChannels implements Channels {
  readonly #worker = crypto.randomUUID();
  readonly #file: SqliteConnection;
  readonly #quick: SqliteConnection;

  constructor({ durable, quick }: Connections) {
    this.#file = durable;
    this.#quick = quick;
  }

  async find(id: string): Promise<Channel | undefined> {
    // The connection that reserves next: each keeps the pages that it read until the other one writes.
    const row = this.#quick.get<ChannelRow>(FIND, { id });
    return row && toChannel(row);
  }

  async open(identity: ChannelIdentity, state: ChainState, at: number): Promise<Channel> {
    const values = { ...identity, ...state, at, now: this.#file.now() };
    const row = await this.#file.transaction(() => {
      if (this.#file.run(OPEN, values) === 0) this.#file.run(SYNC, values);
      return this.#file.get<ChannelRow>(FIND, values);
    });
    if (row === undefined) throw new Error("the channel was added");
    return toChannel(row);
  }

  async sync(id: string, state: ChainState, at: number): Promise<void> {
    await this.#file.write(SYNC, { id, ...state, at, now: this.#file.now() });
  }

  async work(terms: WorkTerms, limit: number): Promise<readonly Channel[]> {
    const values = { ...terms, ...this.#lease(), now: this.#file.now(), limit };
    // Usually there is no work. This query finds that without the file's write lock.
    const look = `SELECT 1 FROM channels WHERE (owed_since > 0 OR standing IN ('refunding', 'closing')) AND ${DUE} LIMIT 1`;
    if (this.#file.get(look, values) === undefined) return [];
    return this.#file.turn(() => this.#file.all<ChannelRow>(WORK, { ...values, ...this.#lease() }).map(toChannel));
  }

  async refund(id: string): Promise<Channel | undefined> {
    const row = await this.#file.turn(() => this.#file.get<ChannelRow>(REFUND, { id, ...this.#lease() }));
    return row && toChannel(row);
  }

  close(id: string): Promise<boolean> {
    const steady = this.#file.steady();
    return this.#file.turn(() => this.#file.run(CLOSE, { id, steady }) > 0);
  }

  demand(id: string | undefined): Promise<number> {
    return this.#file.write(id === undefined ? DEMAND : DEMAND_ONE, { id });
  }

  async done(id: string, state: ChainState | undefined, at: number): Promise<boolean> {
    const worker = this.#worker;
    if (state === undefined) return (await this.#file.write(GIVE_UP, { id, worker })) > 0;
    return (await this.#file.write(DONE, { id, worker, ...state, at, now: this.#file.now() })) > 0;
  }

  async refuse(id: string): Promise<void> {
    await this.#file.write(REFUSE, { id, worker: this.#worker, now: this.#file.now() });
  }

  async writeOff(id: string): Promise<boolean> {
    return (await this.#file.write(WRITE_OFF, { id, worker: this.#worker })) > 0;
  }

  async isBarred(payer: string): Promise<boolean> {
    return this.#file.get(IS_BARRED, { payer }) !== undefined;
  }

  async list(before: Pick<Channel, "id" | "updatedAt"> | undefined, limit: number): Promise<readonly Channel[]> {
    const where = before === undefined ? "" : "WHERE (updated_at, id) < ($updatedAt, $id)";
    const sql = `SELECT ${CHANNEL} FROM channels ${where} ORDER BY updated_at DESC, id DESC LIMIT $limit`;
    return this.#file.all<ChannelRow>(sql, { ...before, limit }).map(toChannel);
  }

  async risks(): Promise<readonly Risk[]> {
    return this.#file.all<RiskRow>(RISKS).map((row) => ({
      network: row.network,
      token: row.token,
      channels: row.channels,
      withdrawing: row.withdrawing,
      owed: joined(row.owed_high, row.owed_low),
      deniable: joined(row.deniable_high, row.deniable_low),
      lost: joined(row.lost_high, row.lost_low),
      owedSince: row.owedSince,
    }));
  }

  forgetEmpty(before: number, limit: number): Promise<number> {
    return this.#file.write(FORGET, { before, limit });
  }

  #lease(): { readonly worker: string; readonly steady: number; readonly until: number } {
    const steady = this.#file.steady();
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
