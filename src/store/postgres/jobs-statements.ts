import { JOB_COLUMNS } from "../jobs/job-row.ts";
import { LEASE_MS, MAX_RUNNING_JOBS, MAX_WAIT_MS, POSTPONED, TURN_MS } from "../jobs/job-store.ts";
import { CLAIM } from "../jobs/keys.ts";
import { statement } from "./connection.ts";
import { NOW } from "./database.ts";
import { type Statement } from "./messages.ts";
import { ADDRESSES, HOSTS, JOBS, KINDS, LANES, RESULTS } from "./jobs-schema.ts";

const JOB = `SELECT ${JOB_COLUMNS}, (SELECT json_object_agg(kind, count) FROM ${KINDS} WHERE job = number) FROM ${JOBS}`;

export const FIND = statement(`${JOB} WHERE id = $2 AND (state = 'running' OR ended_at + kept_ms > ${NOW})`);
export const RUNNING = statement(`${JOB} WHERE state = 'running' AND payment <> 'waiting' ORDER BY number`);

export const NEWEST = statement(
  `${JOB} WHERE state = 'running' OR ended_at + kept_ms > ${NOW} ORDER BY number DESC LIMIT $2::int`,
);

export const CREATE = statement(`
  INSERT INTO ${JOBS} (number, id, secret_hash, payer, orders, page_limit, max_known, ends_at, kept_ms, sale, payment, state,
    reason, created_at)
  SELECT $2::bigint + nextval('${JOBS}_number') % 4294967296, $3, $4, $5, $6, $7::bigint, $8::bigint, ${NOW} + $9::bigint,
    $10::bigint, $11, $12, 'running', '', ${NOW}
  WHERE (SELECT count(*) FROM ${JOBS} WHERE state = 'running') < ${MAX_RUNNING_JOBS}`);

/**
 * SQL: adds the addresses of the JSON in `$3` to the row `job`, which has the columns number, known and max_known. The
 * first query leaves out those that are known, so that they use no room; others may add them at the same time.
 */
const ADD = `
  new AS MATERIALIZED (
    SELECT new.*, job.number, job.known + row_number() OVER (ORDER BY place) - 1 AS place_of_all, job.max_known
    FROM job, json_to_recordset($3::json) AS new (key bigint, host bigint, task smallint, depth smallint, url text, place bigint)
    WHERE (SELECT true FROM ${ADDRESSES} AS old WHERE old.job = job.number AND old.key = new.key) IS NULL),
  added AS (
    INSERT INTO ${ADDRESSES} (job, key, host, due, task, depth, url)
    SELECT number, key, host, place_of_all, task, depth, url FROM new WHERE place_of_all < max_known ORDER BY key
    ON CONFLICT DO NOTHING RETURNING host),
  dropped AS (SELECT count(*) AS count FROM new WHERE place_of_all >= max_known)`;

/** The next time of a lane without work. */
const NEVER = "9e18::bigint";

/** SQL: adds up what changed in each lane, in the order of hosts. */
const lanes = (changes: string): string => `
  lane AS (
    INSERT INTO ${LANES} AS lane (job, host, open, next_at)
    SELECT job.number, host, sum(open), min(at) FROM job, (${changes}) AS change GROUP BY 1, 2 ORDER BY 2
    ON CONFLICT (job, host) DO UPDATE SET open = lane.open + excluded.open,
      next_at = CASE WHEN lane.open + excluded.open = 0 THEN ${NEVER}
        WHEN lane.open = 0 OR lane.next_at > excluded.next_at + ${TURN_MS} THEN excluded.next_at ELSE lane.next_at END
    RETURNING 1)`;

export const SEED = statement(`
  WITH job AS MATERIALIZED (SELECT number, known, max_known FROM ${JOBS} WHERE id = $2), ${ADD},
  ${lanes(`SELECT host, 1 AS open, ${NOW} AS at FROM added`)}
  UPDATE ${JOBS} SET known = (SELECT count(*) FROM added), open = (SELECT count(*) FROM added)
  WHERE id = $2 AND (SELECT count(*) FROM lane) >= 0`);

/**
 * SQL: changes addresses that are known, as `UPDATE` would, by the primary key and in its order. The server cannot plan
 * another way, and two writers cannot wait for each other in a circle. `rows` has the columns job, key, due and tries.
 */
const change = (rows: string, set: string, where: string): string => `
  INSERT INTO ${ADDRESSES} AS old (job, key, due, tries, host, task, depth, url)
  SELECT job, key, due, tries, 0, 0, 0, '' FROM (${rows}) AS changed ORDER BY key
  ON CONFLICT (job, key) DO UPDATE SET ${set} WHERE ${where}`;

const IS_LEASED = "old.tries = excluded.tries AND old.due IS NOT NULL";

/**
 * Takes from the hosts that are due. The lanes are locked first, so that two takers get different hosts. Hosts that are
 * paced by another job move their lane to a later time. A host without a pace gets one request in each turn.
 */
export const TAKE = statement(`
  WITH lane AS MATERIALIZED (
    SELECT host FROM ${LANES} WHERE job = $2::bigint AND next_at <= ${NOW}
    ORDER BY next_at LIMIT $3::integer FOR UPDATE SKIP LOCKED),
  paced AS MATERIALIZED (
    SELECT lane.host, coalesce(hosts.next_at, 0) AS next_at, greatest(coalesce(hosts.pace, ${TURN_MS}), $5::bigint) AS pace
    FROM lane LEFT JOIN ${HOSTS} AS hosts USING (host)),
  page AS MATERIALIZED (
    SELECT paced.host, paced.pace, key, row_number() OVER (PARTITION BY paced.host ORDER BY due) - 1 AS at
    FROM paced CROSS JOIN LATERAL (
      SELECT key, due FROM ${ADDRESSES} WHERE job = $2::bigint AND host = paced.host AND due <= ${NOW} ORDER BY due
      LIMIT CASE WHEN pace = 0 THEN $4::integer ELSE greatest(1, least($4::integer, ${TURN_MS} / pace)) END
      FOR UPDATE SKIP LOCKED) AS page
    WHERE next_at <= ${NOW} LIMIT $4::integer),
  turn AS (
    INSERT INTO ${HOSTS} AS hosts (host, next_at, pace)
    SELECT host, ${NOW} + count(*) * pace, ${TURN_MS} FROM page GROUP BY host, pace ORDER BY host
    ON CONFLICT (host) DO UPDATE SET next_at = excluded.next_at WHERE hosts.next_at <= ${NOW}
    RETURNING host, next_at),
  moved AS (
    INSERT INTO ${LANES} AS old (job, host, open, next_at)
    SELECT $2::bigint, host, 0, coalesce(
      turn.next_at, nullif(greatest(paced.next_at, ${NOW}), ${NOW}), (
        SELECT min(due) FROM ${ADDRESSES} WHERE job = $2::bigint AND host = paced.host AND due IS NOT NULL),
      ${NOW} + ${TURN_MS})
    FROM paced LEFT JOIN turn USING (host) ORDER BY host
    ON CONFLICT (job, host) DO UPDATE SET next_at = excluded.next_at),
  taken AS (
    ${change(
      `SELECT $2::bigint AS job, key, ${NOW} + ${LEASE_MS} AS due, 0 AS tries FROM page JOIN turn USING (host)`,
      "due = excluded.due, tries = old.tries + 1",
      `old.due <= ${NOW}`,
    )}
    RETURNING key, host, url, task, depth, tries)
  SELECT taken.*, page.at * page.pace FROM taken JOIN page USING (key) ORDER BY page.at`);

export const RENEW = statement(
  change(
    `SELECT $2::bigint AS job, key, ${NOW} + ${LEASE_MS} AS due, tries
     FROM json_to_recordset($3::json) AS held (key bigint, tries smallint)`,
    "due = excluded.due",
    IS_LEASED,
  ),
);

const NO_ADDRESSES = `
  added AS (SELECT 0::bigint AS host WHERE $3::text IS NULL),
  dropped AS (SELECT 0 AS count WHERE false)`;
const NO_RESULTS = `
  numbered AS (SELECT true AS fits, true AS delivered, 0 AS saving WHERE false),
  kept AS (SELECT 0 AS bytes WHERE false)`;
/** SQL: `done`, the ends of leases. */
const DONE = `
  done AS MATERIALIZED (SELECT host, kind, again, body, saved, at FROM ended JOIN outcome USING (key)),
  lost AS (SELECT '' AS kind WHERE false)`;
/**
 * SQL: the same for one page with the claims in `$6`. If another page gets one of the names at the same time, the statement
 * fails with a division by zero, and changes nothing. Made again, it sees that name.
 */
const DONE_WITH_CLAIMS = `
  claim AS MATERIALIZED (
    SELECT claim.*, (SELECT key::text FROM ended) AS page,
      (SELECT url FROM ${ADDRESSES} AS old WHERE old.job = $2::bigint AND old.key = name) AS owner
    FROM json_to_recordset($6::json) AS claim (name bigint, place bigint, most bigint, kind text)),
  lost AS MATERIALIZED (
    SELECT kind FROM claim GROUP BY place, most, kind HAVING count(*) FILTER (WHERE owner <> page) >= most ORDER BY place LIMIT 1),
  free AS MATERIALIZED (
    SELECT name, page FROM claim WHERE owner IS NULL AND page IS NOT NULL AND NOT EXISTS (SELECT FROM lost)),
  claimed AS (
    INSERT INTO ${ADDRESSES} (job, key, host, task, depth, url)
    SELECT $2::bigint, name, 0, ${CLAIM}, 0, page FROM free ORDER BY name ON CONFLICT DO NOTHING RETURNING 1),
  done AS MATERIALIZED (
    SELECT host, coalesce(lost.kind, outcome.kind) AS kind, again, CASE WHEN lost.kind IS NULL THEN body END AS body, saved, at
    FROM ended JOIN outcome USING (key) LEFT JOIN lost ON true
    WHERE 1 / ((SELECT count(*) FROM free) = (SELECT count(*) FROM claimed))::integer = 1)`;
const RESULTS_OF_PAGES = `
  numbered AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY at) AS number, body, kind = 'delivered' AS delivered, done.saved AS saving,
      held.saved + sum(done.saved) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) AS saved,
      held.delivered + sum((kind = 'delivered')::integer) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) AS pages,
      (held.page_limit - held.delivered) > coalesce(sum((kind = 'delivered')::integer) OVER (ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS fits
    FROM done, held WHERE again IS NULL AND body IS NOT NULL),
  kept AS (
    INSERT INTO ${RESULTS} (job, number, pages, saved, body)
    SELECT held.number, held.results + numbered.number, numbered.pages, numbered.saved, decode(body, 'base64') FROM numbered, held WHERE fits
    RETURNING length(body) AS bytes)`;

/**
 * Ends leases, and adds what was found. Locks are taken in one order: the addresses of the caller's leases, claims and new
 * addresses by key, lanes by host, the job. The lock of the job comes last, because all its services need it. Parts that
 * an outcome does not need are left out, because the server takes time to begin each.
 */
const finish = (add: string, results: string, done = DONE): Statement =>
  statement(`
  WITH job AS MATERIALIZED (SELECT number, known, max_known FROM ${JOBS} WHERE number = $2::bigint AND state = 'running'),
  outcome AS MATERIALIZED (
    SELECT * FROM json_to_recordset($4::json) AS outcome (key bigint, tries smallint, kind text, again bigint, body text, saved bigint, at bigint)),
  ended AS (
    ${change(
      `SELECT number AS job, key, ${NOW} + again AS due, tries FROM outcome, job`,
      `due = excluded.due, tries = old.tries + CASE WHEN excluded.due IS NULL THEN 0 ELSE ${POSTPONED} END`,
      IS_LEASED,
    )}
    RETURNING key, host), ${done}, ${add},
  ${lanes(`SELECT host, 1 AS open, ${NOW} AS at FROM added UNION ALL
    SELECT host, CASE WHEN again IS NULL THEN -1 ELSE 0 END, CASE WHEN again IS NULL THEN ${NEVER} ELSE ${NOW} + again END FROM done`)},
  held AS MATERIALIZED (
    SELECT * FROM ${JOBS} WHERE number = $2::bigint AND state = 'running' AND (SELECT count(*) FROM lane) >= 0 FOR UPDATE), ${results},
  counted AS (
    INSERT INTO ${KINDS} AS kinds (job, kind, count)
    SELECT held.number, kind, sum(count) FROM held, (
      SELECT kind, 1 AS count FROM done WHERE again IS NULL AND kind <> 'delivered'
      UNION ALL SELECT 'frontier-full', count FROM dropped WHERE count > 0
      UNION ALL SELECT key, value::bigint FROM json_each_text($5::json)) AS counts GROUP BY 1, 2 ORDER BY 2
    ON CONFLICT (job, kind) DO UPDATE SET count = kinds.count + excluded.count RETURNING kind, count),
  total AS (
    SELECT (SELECT count(*) FROM added) AS added, (SELECT count(*) FROM done WHERE again IS NULL) AS closed,
      (SELECT count(*) FROM numbered WHERE fits AND delivered) AS delivered,
      (SELECT coalesce(sum(saving), 0) FROM numbered WHERE fits) AS saved, (SELECT count(*) FROM kept) AS results,
      (SELECT coalesce(sum(bytes), 0) FROM kept) AS bytes),
  ending AS (
    SELECT held.delivered + total.delivered >= page_limit AS limited, open + added - closed = 0 AS exhausted FROM held, total),
  changed AS (
    UPDATE ${JOBS} AS changed SET known = changed.known + added, open = changed.open + added - closed,
      delivered = changed.delivered + total.delivered, saved = changed.saved + total.saved, results = changed.results + total.results, bytes = changed.bytes + total.bytes,
      state = CASE WHEN limited OR exhausted THEN 'completed' ELSE 'running' END,
      reason = CASE WHEN limited AND NOT exhausted THEN 'limit' ELSE '' END, ended_at = CASE WHEN limited OR exhausted THEN ${NOW} ELSE 0 END
    FROM held, total, ending WHERE changed.number = held.number RETURNING changed.*)
  SELECT ${JOB_COLUMNS}, (
    SELECT json_object_agg(kind, count) FROM (
      SELECT * FROM counted UNION ALL
      SELECT kind, count FROM ${KINDS} WHERE job = $2::bigint AND kind NOT IN (SELECT kind FROM counted)) AS kinds),
    (SELECT count(*) FROM lost)
  FROM changed`);

const finishes = (add: string) => ({
  none: finish(add, NO_RESULTS),
  results: finish(add, RESULTS_OF_PAGES),
  claims: finish(add, RESULTS_OF_PAGES, DONE_WITH_CLAIMS),
});
const FINISH = { found: finishes(ADD), nothing: finishes(NO_ADDRESSES) };

/** The statement for an outcome with or without found addresses, and with results, a result with claims, or none. */
export function finishing(hasFound: boolean, results: keyof typeof FINISH.found): Statement {
  return FINISH[hasFound ? "found" : "nothing"][results];
}

export const PACE = statement(`
  INSERT INTO ${HOSTS} AS hosts (host, next_at, pace)
  SELECT host, ${NOW} + pause, pace FROM json_to_recordset($2::json) AS new (host bigint, pause bigint, pace bigint) ORDER BY host
  ON CONFLICT (host) DO UPDATE SET pace = excluded.pace, next_at = greatest(hosts.next_at, excluded.next_at)`);

export const END = statement(
  `UPDATE ${JOBS} SET state = $3, reason = $4, ended_at = ${NOW} WHERE id = $2 AND state = 'running'`,
);
export const PAID = statement(`
  UPDATE ${JOBS} SET paid = CASE WHEN paid::numeric > $3::text::numeric THEN paid ELSE $3::text END,
    paid_through = greatest(paid_through, $2::bigint), tx = CASE WHEN $5 = '' THEN tx ELSE $5 END,
    payment = CASE WHEN $4::integer = 1 OR payment = 'closed' THEN 'closed' ELSE 'open' END WHERE id = $1`);
export const RENAME = statement(`UPDATE ${JOBS} SET secret_hash = $2, sale = $3 WHERE id = $1`);

/** All results of a page together are not much longer than the limit, except for a single long one. */
export const READ_RESULTS = statement(`
  SELECT number, pages, saved, encode(body, 'base64') FROM (
    SELECT *, sum(length(body)) OVER (ORDER BY number) AS bytes FROM (
      SELECT number, pages, saved, body FROM ${RESULTS} WHERE job = $1::bigint AND number > $2::bigint ORDER BY number LIMIT $3::integer
    ) AS next) AS summed WHERE bytes <= $4::bigint OR number = $2::bigint + 1 ORDER BY number`);

export const TIME_OUT = statement(
  `UPDATE ${JOBS} SET state = 'failed', reason = 'time', ended_at = ${NOW} WHERE state = 'running' AND ends_at <= ${NOW}`,
);
export const UNPAID = statement(`
  UPDATE ${JOBS} SET state = 'failed', reason = 'unpaid', payment = 'closed', ended_at = ${NOW}
  WHERE state = 'running' AND payment = 'waiting' AND created_at <= ${NOW} - ${MAX_WAIT_MS}`);
export const FORGET = statement(`DELETE FROM ${JOBS} WHERE state <> 'running' AND ended_at + kept_ms <= ${NOW}`);

/** Milliseconds after its last request for which the pace of a host is remembered: a day. @bound */
const KEPT_HOST_MS = 86_400_000;
export const FORGET_HOSTS = statement(`DELETE FROM ${HOSTS} WHERE next_at < ${NOW} - ${KEPT_HOST_MS}`);

/** Days with partitions that no job needs: those before yesterday without a job. */
export const OLD_DAYS = statement(`
  SELECT day FROM (
    SELECT substring(relname FROM '\\d+$')::bigint AS day FROM pg_catalog.pg_class
    WHERE relname ~ '^${ADDRESSES}_\\d+$' AND pg_table_is_visible(oid)) AS days
  WHERE day < ${NOW} / 86400000 - 1
    AND NOT EXISTS (SELECT 1 FROM ${JOBS} WHERE number >= day << 32 AND number < (day + 1) << 32)`);

/** Seconds of the oldest snapshot of this database that other sessions hold, if it is older than `$1` milliseconds. */
export const OLD_SNAPSHOT = statement(`
  SELECT round(extract(epoch FROM max(clock_timestamp() - xact_start))) FROM pg_catalog.pg_stat_activity
  WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database()
  HAVING max(clock_timestamp() - xact_start) > $1::integer * interval '1 millisecond'`);
