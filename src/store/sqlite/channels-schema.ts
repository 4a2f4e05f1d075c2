import { CHANNEL_SCHEME, ID_LENGTH, MAX_CHANNEL_DIGITS } from "../channels.ts";
import { addition, limbOf, LIMBS, partOf, PART_DIGITS, subtraction } from "./sums.ts";

const MOST = 10 ** PART_DIGITS - 1;

type RowName = "OLD" | "NEW" | "p";

/** The charge of a payment is taken from its channel or credit. */
export function isTaken(row: RowName): string {
  return `(${row}.state NOT IN ('released', 'failed'))`;
}

function ofPayment(row: RowName): string {
  return `id = substr(${row}.nonce, 1, ${ID_LENGTH})`;
}

const BASE = `substr(NEW.nonce, ${ID_LENGTH + 2})`;

/** Ends the statement unless the channel is free, open, and at the base of the payment's voucher. */
const REQUIRE = `
  SELECT RAISE(ABORT, 'no such base') WHERE length(NEW.amount) > ${MAX_CHANNEL_DIGITS} OR NOT EXISTS (
    SELECT 1 FROM channels WHERE ${ofPayment("NEW")} AND standing = 'open' AND holder IN ('', NEW.nonce)
      AND base_high = ${partOf(BASE, "high")} AND base_low = ${partOf(BASE, "low")})`;

/** The payment holds the channel until it is settled, released or charged later. */
const HOLD = "holder = CASE WHEN NEW.state IN ('settled', 'deferred', 'released', 'failed') THEN '' ELSE NEW.nonce END";

/** Most moves leave the base as it is. */
const IS_REBASED = `(NEW.amount <> OLD.amount OR ${isTaken("NEW")} <> ${isTaken("OLD")})`;

/** The newest payment is returned: the one before is the newest again, so that its rest can be returned too. */
function before(row: RowName): string {
  return `UPDATE channels SET tail = coalesce((SELECT nonce FROM payments AS p
       WHERE (p.network, p.asset, p.payer_from) = (${row}.network, ${row}.asset, ${row}.payer_from)
         AND p.nonce < ${row}.nonce AND p.nonce >= channels.id AND ${isTaken("p")} ORDER BY p.nonce DESC LIMIT 1), '')
     WHERE ${ofPayment(row)} AND tail = ${row}.nonce`;
}

const MAX_CLAIMABLE = "json_extract(OLD.payload, '$.payload.voucher.maxClaimableAmount')";

/** The tables of channels. A payment's base moves only with the newest payment, so that no base occurs twice. */
export const CHANNELS = `CREATE TABLE channels (
     id TEXT NOT NULL PRIMARY KEY, network TEXT NOT NULL, payer TEXT NOT NULL, payer_authorizer TEXT NOT NULL,
     receiver TEXT NOT NULL, receiver_authorizer TEXT NOT NULL, token TEXT NOT NULL, withdraw_delay INTEGER NOT NULL,
     salt TEXT NOT NULL, standing TEXT NOT NULL CHECK (standing IN ('open','refunding','closing','withdrawing')),
     balance TEXT NOT NULL, withdraw_at INTEGER NOT NULL, refund_nonce TEXT NOT NULL, synced_at INTEGER NOT NULL,
     claimed_high INTEGER NOT NULL, claimed_low INTEGER NOT NULL,
     base_high INTEGER NOT NULL CHECK (base_high BETWEEN 0 AND ${MOST}), base_low INTEGER NOT NULL,
     charged_high INTEGER NOT NULL CHECK (charged_high BETWEEN 0 AND ${MOST}), charged_low INTEGER NOT NULL,
     signed TEXT NOT NULL DEFAULT '0', signature TEXT NOT NULL DEFAULT '',
     holder TEXT NOT NULL DEFAULT '', tail TEXT NOT NULL DEFAULT '',
     charges INTEGER NOT NULL DEFAULT 0, owed_since INTEGER NOT NULL DEFAULT 0,
     worker TEXT NOT NULL DEFAULT '', worker_until INTEGER NOT NULL DEFAULT 0,
     refused_at INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX channels_refused ON channels (payer) WHERE refused_at > 0;
   CREATE INDEX channels_by_time ON channels (updated_at);
   CREATE INDEX channels_owed ON channels (owed_since) WHERE owed_since > 0;
   CREATE INDEX channels_refunding ON channels (standing) WHERE standing IN ('refunding', 'closing');
   CREATE TRIGGER channel_reserved AFTER INSERT ON payments WHEN NEW.scheme = '${CHANNEL_SCHEME}' BEGIN
     ${REQUIRE};
     UPDATE channels SET ${addition("NEW.amount", "base_")}, holder = NEW.nonce, tail = NEW.nonce, updated_at = NEW.updated_at
     WHERE ${ofPayment("NEW")};
   END;
   CREATE TRIGGER channel_moved AFTER UPDATE OF state, amount ON payments WHEN NEW.scheme = '${CHANNEL_SCHEME}'
     AND (NEW.state <> OLD.state OR NEW.amount <> OLD.amount)
   BEGIN
     UPDATE channels SET ${subtraction("OLD.amount", "base_")}
     WHERE ${IS_REBASED} AND ${isTaken("OLD")} AND (NEW.amount <> '0' OR NOT ${isTaken("NEW")}) AND ${ofPayment("NEW")} AND tail = NEW.nonce;
     ${before("NEW")} AND ${isTaken("OLD")} AND NOT ${isTaken("NEW")};
     ${REQUIRE} AND NOT ${isTaken("OLD")} AND ${isTaken("NEW")};
     UPDATE channels SET ${addition("NEW.amount", "base_")}, tail = NEW.nonce
     WHERE ${IS_REBASED} AND ${isTaken("NEW")} AND NEW.amount <> '0' AND ${ofPayment("NEW")} AND (tail = NEW.nonce OR NOT ${isTaken("OLD")});
     UPDATE channels SET ${subtraction("OLD.amount", "charged_")} WHERE OLD.state = 'settled' AND ${ofPayment("NEW")};
     UPDATE channels SET ${addition("NEW.amount", "charged_")}, charges = charges + 1,
       owed_since = CASE owed_since WHEN 0 THEN NEW.updated_at ELSE owed_since END
     WHERE NEW.state = 'settled' AND ${ofPayment("NEW")};
     UPDATE channels SET ${HOLD}, updated_at = NEW.updated_at
     WHERE ${ofPayment("NEW")} AND (holder = NEW.nonce OR (${isTaken("NEW")} AND NOT ${isTaken("OLD")}));
     UPDATE channels SET signed = ${MAX_CLAIMABLE}, signature = json_extract(OLD.payload, '$.payload.voucher.signature')
     WHERE NEW.state IN ('settled', 'deferred') AND OLD.payload <> '' AND ${ofPayment("NEW")}
       AND (length(${MAX_CLAIMABLE}), ${MAX_CLAIMABLE}) >= (length(signed), signed);
     UPDATE sold_days SET payments = payments - 1,
       ${LIMBS.map((limb, i) => `${limb} = ${limb} - ${limbOf("OLD.amount", i)}`).join(", ")}
     WHERE OLD.state = 'settled' AND NEW.state <> 'settled'
       AND (day, route, network, token) = (OLD.created_at / 86400000, OLD.route, OLD.network, OLD.token);
   END;
   CREATE TRIGGER channel_freed AFTER DELETE ON payments
     WHEN OLD.scheme = '${CHANNEL_SCHEME}' AND OLD.state IN ('reserved', 'verified')
   BEGIN
     UPDATE channels SET ${subtraction("OLD.amount", "base_")} WHERE ${ofPayment("OLD")} AND tail = OLD.nonce;
     ${before("OLD")};
     UPDATE channels SET holder = '' WHERE ${ofPayment("OLD")} AND holder = OLD.nonce;
   END`;
