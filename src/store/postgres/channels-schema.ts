import { CHANNEL_SCHEME, ID_LENGTH, MAX_CHANNEL_DIGITS } from "../channels.ts";

/** The names of the tables, and SQLSTATE of a payment that its channel does not take. */
interface Names {
  readonly channels: string;
  readonly payments: string;
  readonly refused: string;
}

const isBack = (row: "OLD" | "NEW"): string => `${row}.state IN ('released', 'failed')`;

/** The newest payment, after this one was returned: its rest can be returned too. */
const before = (row: "OLD" | "NEW", payments: string): string =>
  `CASE WHEN tail = ${row}.nonce THEN coalesce((SELECT p.nonce FROM ${payments} AS p
     WHERE (p.network, p.asset, p.payer_from) = (${row}.network, ${row}.asset, ${row}.payer_from) AND p.nonce < ${row}.nonce
       AND p.nonce >= own AND p.state NOT IN ('released', 'failed') ORDER BY p.nonce DESC LIMIT 1), '') ELSE tail END`;

/** Changes a channel in the transaction that changes its payment. The base moves only with the newest payment. */
function change({ channels, payments, refused }: Names): string {
  return `
  CREATE FUNCTION ${channels}_change() RETURNS trigger LANGUAGE plpgsql AS $body$
  DECLARE
    own text := left(CASE TG_OP WHEN 'DELETE' THEN OLD.nonce ELSE NEW.nonce END, ${ID_LENGTH});
    back numeric := 0;
    taken numeric := 0;
    less numeric := 0;
    more numeric := 0;
    begins boolean := TG_OP = 'INSERT';
  BEGIN
    IF TG_OP = 'DELETE' THEN
      UPDATE ${channels} SET base = base - CASE WHEN tail = OLD.nonce THEN OLD.amount ELSE 0 END,
        tail = ${before("OLD", payments)}, holder = CASE WHEN holder = OLD.nonce THEN '' ELSE holder END WHERE id = own;
      RETURN NULL;
    END IF;
    IF NOT ${isBack("NEW")} THEN taken := NEW.amount; END IF;
    IF NEW.state = 'settled' THEN more := NEW.amount; END IF;
    IF TG_OP = 'UPDATE' THEN
      IF NOT ${isBack("OLD")} THEN back := OLD.amount; END IF;
      IF OLD.state = 'settled' THEN less := OLD.amount; END IF;
      begins := ${isBack("OLD")} AND NOT ${isBack("NEW")};
      -- A charge of zero after the response leaves the base, so that no later payment has the same one.
      IF NEW.amount = 0 AND NOT ${isBack("NEW")} THEN taken := back; END IF;
    END IF;
    IF begins THEN
      UPDATE ${channels} SET base = base + taken, tail = NEW.nonce, holder = NEW.nonce, updated_at = NEW.updated_at
      WHERE id = own AND standing = 'open' AND holder IN ('', NEW.nonce)
        AND base = substr(NEW.nonce, ${ID_LENGTH + 2})::numeric AND NEW.amount < 1e${MAX_CHANNEL_DIGITS};
      IF NOT FOUND THEN RAISE EXCEPTION 'no such base' USING ERRCODE = '${refused}'; END IF;
    ELSE
      UPDATE ${channels} SET base = base + CASE WHEN tail = NEW.nonce THEN taken - back ELSE 0 END,
        tail = CASE WHEN ${isBack("NEW")} THEN ${before("NEW", payments)} ELSE tail END
      WHERE id = own;
    END IF;
    UPDATE ${channels} SET charged = charged + more - less,
      charges = charges + CASE WHEN NEW.state = 'settled' THEN 1 ELSE 0 END,
      owed_since = CASE WHEN NEW.state = 'settled' AND owed_since = 0 THEN NEW.updated_at ELSE owed_since END,
      updated_at = CASE WHEN holder = NEW.nonce THEN NEW.updated_at ELSE updated_at END,
      holder = CASE WHEN holder = NEW.nonce AND NEW.state IN ('settled', 'deferred', 'released', 'failed') THEN '' ELSE holder END
    WHERE id = own;
    IF TG_OP = 'UPDATE' AND NEW.state IN ('settled', 'deferred') AND OLD.payload <> '' THEN
      UPDATE ${channels} SET signed = (OLD.payload::json #>> '{payload,voucher,maxClaimableAmount}')::numeric,
        signature = OLD.payload::json #>> '{payload,voucher,signature}'
      WHERE id = own AND signed <= (OLD.payload::json #>> '{payload,voucher,maxClaimableAmount}')::numeric;
    END IF;
    RETURN NULL;
  END $body$`;
}

/** The statements that create the tables of channels. */
export function channelTables(names: Names): readonly string[] {
  const { channels, payments } = names;
  const triggers = [
    ["insert", "INSERT", "NEW", "true"],
    ["update", "UPDATE OF state, amount", "NEW", "NEW.state <> OLD.state OR NEW.amount <> OLD.amount"],
    ["delete", "DELETE", "OLD", "OLD.state IN ('reserved', 'verified')"],
  ].map(
    ([name, event, row, when]) => `CREATE TRIGGER ${channels}_${name} AFTER ${event} ON ${payments} FOR EACH ROW
      WHEN (${row}.scheme = '${CHANNEL_SCHEME}' AND (${when})) EXECUTE FUNCTION ${channels}_change()`,
  );
  return [
    `CREATE TABLE ${channels} (
       id text COLLATE "C" NOT NULL PRIMARY KEY, network text COLLATE "C" NOT NULL, payer text NOT NULL,
       payer_authorizer text NOT NULL, receiver text NOT NULL, receiver_authorizer text NOT NULL,
       token text COLLATE "C" NOT NULL, withdraw_delay bigint NOT NULL, salt text NOT NULL,
       standing text COLLATE "C" NOT NULL CHECK (standing IN ('open','refunding','closing','withdrawing')),
       balance numeric(78,0) NOT NULL, claimed numeric(78,0) NOT NULL, withdraw_at bigint NOT NULL,
       refund_nonce numeric(78,0) NOT NULL, synced_at bigint NOT NULL,
       base numeric(78,0) NOT NULL CHECK (base >= 0), charged numeric(78,0) NOT NULL CHECK (charged >= 0),
       signed numeric(78,0) NOT NULL DEFAULT 0, signature text NOT NULL DEFAULT '',
       holder text COLLATE "C" NOT NULL DEFAULT '', tail text COLLATE "C" NOT NULL DEFAULT '',
       charges integer NOT NULL DEFAULT 0, owed_since bigint NOT NULL DEFAULT 0,
       worker text NOT NULL DEFAULT '', worker_until bigint NOT NULL DEFAULT 0,
       refused_at bigint NOT NULL DEFAULT 0, created_at bigint NOT NULL, updated_at bigint NOT NULL
     )`,
    `CREATE INDEX ${channels}_refused ON ${channels} (payer) WHERE refused_at > 0`,
    `CREATE INDEX ${channels}_by_time ON ${channels} (updated_at)`,
    `CREATE INDEX ${channels}_owed ON ${channels} (owed_since) WHERE owed_since > 0`,
    `CREATE INDEX ${channels}_refunding ON ${channels} (standing) WHERE standing IN ('refunding', 'closing')`,
    change(names),
    ...triggers,
  ];
}
