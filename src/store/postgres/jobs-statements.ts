import { JOB_COLUMNS } from "../jobs/job-row.ts";
import { LEASE_MS, MAX_REST_MS, MAX_RUNNING_JOBS, MAX_WAIT_MS, POSTPONED, TURN_MS } from "../jobs/job-store.ts";
import { CLAIM } from "../jobs/keys.ts";
import { statement } from "./connection.ts";
import { NOW } from "./database.ts";
import { type Statement } from "./messages.ts";
import { ADDRESSES, HOSTS, JOBS, KINDS, LANES, RESULTS } from "./jobs-schema.ts";

/** SQL: true. With it, a crash of the database's machine may undo the statement, whose commit does not wait for the disk. */
const IS_QUICK = "(SELECT set_config('synchronous_commit', 'off', true)) = 'off'";

/** SQL: whether a job has addresses left, and whether it ends, after the change of `total`. */
const IS_OPEN = "job.open + added - closed > 0";
const IS_OVER = `(job.delivered + total.delivered >= page_limit OR NOT ${IS_OPEN})`;

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
 * SQL: the addresses of the JSON in `$3` that are not known, for the row `job`, which has the columns number, known and
 * max_known. The known ones use no room then; others may add the same at the same time.
 */
const NEW = `
  new AS MATERIALIZED (
    SELECT new.*, job.number, job.known + row_number() OVER (ORDER BY place) - 1 AS place_of_all, job.max_known
    FROM job, json_to_recordset($3::json) AS new (key bigint, host bigint, task smallint, depth smallint, url text, place bigint)
    WHERE (SELECT true FROM ${ADDRESSES} AS old WHERE old.job = job.number AND old.key = new.key) IS NULL)`;
const ADD = `
  added AS (
    INSERT INTO ${ADDRESSES} (job, key, host, due, task, depth, url)
    SELECT number, key, host, place_of_all, task, depth, url FROM new
    WHERE place_of_all < max_known AND (SELECT count(*) FROM lane) >= 0 ORDER BY key
    ON CONFLICT DO NOTHING RETURNING 1),
  dropped AS (SELECT count(*) AS count FROM new WHERE place_of_all >= max_known)`;

/** The next time of a lane without work. */
const NEVER = "9e18::bigint";

/** SQL: tells the lanes, in the order of hosts, how many addresses each gets at which time. */
const lanes = (changes: string): string => `
  lane AS (
    INSERT INTO ${LANES} AS lane (job, host, open, next_at)
    SELECT job.number, host, sum(open), min(at) FROM job, (
      SELECT host, 1 AS open, ${NOW} AS at FROM new WHERE place_of_all < max_known ${changes}) AS change
    GROUP BY 1, 2 ORDER BY 2
    ON CONFLICT (job, host) DO UPDATE SET open = lane.open + excluded.open,
      next_at = CASE WHEN lane.next_at > excluded.next_at + ${TURN_MS} THEN excluded.next_at ELSE lane.next_at END
    RETURNING 1)`;

export const SEED = statement(`
  WITH job AS MATERIALIZED (SELECT number, known, max_known FROM ${JOBS} WHERE id = $2 AND ${IS_QUICK}), ${NEW}, ${lanes("")}, ${ADD}
  UPDATE ${JOBS} SET known = (SELECT count(*) FROM added), open = (SELECT count(*) FROM added) WHERE id = $2`);

/**
 * SQL: changes addresses that are known, as `UPDATE` would, by the primary key and in its order. The server cannot plan
 * another way, and two writers cannot wait for each other in a circle. `rows` has the columns job, key, due, lease and tries.
 */
const change = (rows: string, set: string, where: string): string => `
  INSERT INTO ${ADDRESSES} AS old (job, key, due, lease, tries, host, task, depth, url)
  SELECT job, key, due, lease, tries, 0, 0, 0, '' FROM (${rows}) AS changed ORDER BY key
  ON CONFLICT (job, key) DO UPDATE SET ${set} WHERE ${where}`;

const IS_LEASED = "old.tries = excluded.tries AND old.due IS NOT NULL";

/** SQL: an address of a host of `paced` can be taken. */
const IS_FREE = `job = $2::bigint AND host = paced.host AND due <= ${NOW} AND lease <= ${NOW}`;

/**
 * SQL: the next time of a lane that gave no address. A lane that a full share left out keeps its place before those that gave one.
 * If the lane got work after the snapshot of this statement, which does not see it, the next take looks again.
 */
const NEXT_AT = `
  CASE WHEN paced.open <> (SELECT open FROM ${LANES} WHERE job = $2::bigint AND host = paced.host) THEN ${NOW}
  ELSE coalesce((SELECT paced.due_at FROM ${ADDRESSES} WHERE ${IS_FREE} LIMIT 1), (
    SELECT min(greatest(due, lease)) FROM ${ADDRESSES} WHERE job = $2::bigint AND host = paced.host AND due IS NOT NULL), ${NEVER}) END`;

/**
 * Takes from the hosts that are due. The lanes are locked first, so that two takers get different hosts. Hosts that are
 * paced by another job move their lane to a later time. A host without a pace gets one request in each turn. The host that has
 * waited longest comes first.
 */
export const TAKE = statement(`
  WITH lane AS MATERIALIZED (
    SELECT host, open, next_at AS due_at FROM ${LANES} WHERE job = $2::bigint AND next_at <= ${NOW} AND ${IS_QUICK}
    ORDER BY next_at LIMIT $3::integer FOR UPDATE SKIP LOCKED),
  paced AS MATERIALIZED (
    SELECT lane.host, open, due_at, coalesce(hosts.next_at, 0) AS next_at, greatest(coalesce(hosts.pace, ${TURN_MS}), $5::bigint) AS pace
    FROM lane LEFT JOIN ${HOSTS} AS hosts USING (host)),
  page AS MATERIALIZED (
    SELECT host, pace, key, row_number() OVER (PARTITION BY host ORDER BY due) - 1 AS at FROM (
      SELECT paced.host, pace, key, due FROM paced CROSS JOIN LATERAL (
        SELECT key, due FROM ${ADDRESSES} WHERE ${IS_FREE} ORDER BY due
        LIMIT CASE WHEN pace = 0 THEN $4::integer ELSE greatest(1, least($4::integer, ${TURN_MS} / pace)) END) AS page
      WHERE next_at <= ${NOW} ORDER BY due_at, host, due LIMIT $4::integer) AS share),
  turn AS (
    INSERT INTO ${HOSTS} AS hosts (host, next_at, pace)
    SELECT host, ${NOW} + count(*) * pace, ${TURN_MS} FROM page GROUP BY host, pace ORDER BY host
    ON CONFLICT (host) DO UPDATE SET next_at = excluded.next_at WHERE hosts.next_at <= ${NOW}
    RETURNING host, next_at),
  moved AS (
    INSERT INTO ${LANES} AS old (job, host, open, next_at)
    SELECT $2::bigint, host, 0, coalesce(turn.next_at, nullif(greatest(paced.next_at, ${NOW}), ${NOW}), ${NEXT_AT})
    FROM paced LEFT JOIN turn USING (host) ORDER BY host
    ON CONFLICT (job, host) DO UPDATE SET next_at = excluded.next_at),
  taken AS (
    ${change(
      `SELECT $2::bigint AS job, key, 0 AS due, ${NOW} + ${LEASE_MS} AS lease, 0 AS tries FROM page JOIN turn USING (host)`,
      "lease = excluded.lease, tries = old.tries + 1",
      `old.due <= ${NOW} AND old.lease <= ${NOW}`,
    )}
    RETURNING key, host, url, task, depth, tries)
  SELECT taken.*, page.at * page.pace FROM taken JOIN page USING (key) ORDER BY page.at`);

const IS_LATE = `> ${NOW} + ${MAX_REST_MS}`;

/** Makes due what would wait for a clock that was set back. */
export const MEND = statement(`
  WITH late AS MATERIALIZED (
    SELECT host FROM ${LANES} WHERE job = $2::bigint AND next_at ${IS_LATE} AND next_at < ${NEVER} ORDER BY host
    FOR UPDATE SKIP LOCKED),
  rested AS (UPDATE ${HOSTS} AS hosts SET next_at = ${NOW} FROM late WHERE hosts.host = late.host AND next_at ${IS_LATE}),
  waiting AS (
    UPDATE ${ADDRESSES} AS old SET due = least(due, ${NOW}), lease = least(lease, ${NOW}) FROM late
    WHERE old.job = $2::bigint AND old.host = late.host AND due IS NOT NULL AND (due ${IS_LATE} OR lease ${IS_LATE}))
  UPDATE ${LANES} AS lane SET next_at = ${NOW} FROM late WHERE lane.job = $2::bigint AND lane.host = late.host`);

export const RENEW = statement(
  change(
    `SELECT $2::bigint AS job, key, 0 AS due, ${NOW} + ${LEASE_MS} AS lease, tries
     FROM json_to_recordset($3::json) AS held (key bigint, tries smallint) WHERE ${IS_QUICK}`,
    "lease = excluded.lease",
    IS_LEASED,
  ),
);

const NO_ADDRESSES = `
  added AS (SELECT 1 WHERE $3::text IS NULL),
  dropped AS (SELECT 0 AS count WHERE false)`;
/** SQL: `done`, the ends of leases. */
const DONE = `
  done AS MATERIALIZED (SELECT kind, again, body, saved, at FROM ended JOIN outcome USING (key)),
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
    SELECT coalesce(lost.kind, outcome.kind) AS kind, again, CASE WHEN lost.kind IS NULL THEN body END AS body, saved, at
    FROM ended JOIN outcome USING (key) LEFT JOIN lost ON true
    WHERE 1 / ((SELECT count(*) FROM free) = (SELECT count(*) FROM claimed))::integer = 1)`;
/** SQL: the results of pages get the next numbers of the job, which is locked for it. */
const RESULTS_OF_PAGES = `
  held AS MATERIALIZED (
    SELECT * FROM ${JOBS} WHERE number = $2::bigint AND state = 'running' AND (SELECT count(*) FROM done) >= 0 FOR UPDATE),
  numbered AS MATERIALIZED (
    SELECT row_number() OVER (ORDER BY at) AS number, body, kind = 'delivered' AS delivered, done.saved AS saving,
      held.saved + sum(done.saved) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) AS saved,
      held.delivered + sum((kind = 'delivered')::integer) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) AS pages,
      (held.page_limit - held.delivered) > coalesce(sum((kind = 'delivered')::integer) OVER (ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS fits
    FROM done, held WHERE again IS NULL AND body IS NOT NULL),
  kept AS (
    INSERT INTO ${RESULTS} (job, number, pages, saved, body)
    SELECT held.number, held.results + numbered.number, numbered.pages, numbered.saved, decode(body, 'base64') FROM numbered, held WHERE fits
    RETURNING length(body) AS bytes),
  result AS (
    SELECT count(*) FILTER (WHERE delivered) AS delivered, coalesce(sum(saving), 0) AS saved, (SELECT count(*) FROM kept) AS results,
      (SELECT coalesce(sum(bytes), 0) FROM kept) AS bytes FROM numbered WHERE fits)`;
const NO_RESULTS = `
  result AS (SELECT 0 AS delivered, 0 AS saved, 0 AS results, 0 AS bytes)`;

/**
 * Ends leases, and adds what was found. Locks are taken in one order: lanes by host, new addresses by key, those of the caller's
 * leases by key, claims, the job, its counts. The lock of the job comes late, because all its services need it. Parts that
 * an outcome does not need are left out, because the server takes time to begin each.
 */
const finish = (add: string, results: string, done = DONE): Statement =>
  statement(`
  WITH job AS MATERIALIZED (
    SELECT number, known, max_known FROM ${JOBS} WHERE number = $2::bigint AND state = 'running'),
  outcome AS MATERIALIZED (
    SELECT * FROM json_to_recordset($4::json) AS outcome (
      key bigint, host bigint, tries smallint, kind text, again bigint, body text, saved bigint, at bigint)),
  ${add},
  ended AS (
    ${change(
      `SELECT number AS job, key, ${NOW} + again AS due, 0 AS lease, tries FROM outcome, job WHERE (SELECT count(*) FROM added) >= 0`,
      `due = excluded.due, lease = 0, tries = old.tries + CASE WHEN excluded.due IS NULL THEN 0 ELSE ${POSTPONED} END`,
      IS_LEASED,
    )}
    RETURNING key), ${done}, ${results},
  total AS (
    SELECT result.*, (SELECT count(*) FROM added) AS added, (SELECT count(*) FROM done WHERE again IS NULL) AS closed FROM result),
  changed AS (
    UPDATE ${JOBS} AS job SET known = job.known + added, open = job.open + added - closed,
      delivered = job.delivered + total.delivered, saved = job.saved + total.saved, results = job.results + total.results, bytes = job.bytes + total.bytes,
      state = CASE WHEN ${IS_OVER} THEN 'completed' ELSE 'running' END,
      reason = CASE WHEN ${IS_OVER} AND ${IS_OPEN} THEN 'limit' ELSE '' END, ended_at = CASE WHEN ${IS_OVER} THEN ${NOW} ELSE 0 END
    FROM total WHERE job.number = $2::bigint AND job.state = 'running' AND ${results === NO_RESULTS ? IS_QUICK : "true"} RETURNING job.*),
  counted AS (
    INSERT INTO ${KINDS} AS kinds (job, kind, count)
    SELECT changed.number, kind, sum(count) FROM changed, (
      SELECT kind, 1 AS count FROM done WHERE again IS NULL AND kind <> 'delivered'
      UNION ALL SELECT 'frontier-full', count FROM dropped WHERE count > 0
      UNION ALL SELECT key, value::bigint FROM json_each_text($5::json)) AS counts GROUP BY 1, 2 ORDER BY 2
    ON CONFLICT (job, kind) DO UPDATE SET count = kinds.count + excluded.count RETURNING kind, count)
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
/** An address that is to be tried again gives its lane work at that time. */
const AGAIN = `UNION ALL SELECT host, 1, ${NOW} + again FROM outcome WHERE again IS NOT NULL`;
const FINISH = { lanes: finishes(`${NEW}, ${lanes(AGAIN)}, ${ADD}`), nothing: finishes(NO_ADDRESSES) };

/** The statement for an outcome that gives work to lanes or not, and has results, a result with claims, or none. */
export function finishing(givesWork: boolean, results: keyof typeof FINISH.lanes): Statement {
  return FINISH[givesWork ? "lanes" : "nothing"][results];
}

export const PACE = statement(`
  INSERT INTO ${HOSTS} AS hosts (host, next_at, pace)
  SELECT host, ${NOW} + pause, pace FROM json_to_recordset($2::json) AS new (host bigint, pause bigint, pace bigint) WHERE ${IS_QUICK} ORDER BY host
  ON CONFLICT (host) DO UPDATE SET pace = excluded.pace, next_at = greatest(hosts.next_at, excluded.next_at)`);

export const END = statement(
  `UPDATE ${JOBS} SET state = $3, reason = $4, ended_at = ${NOW} WHERE id = $2 AND state = 'running'`,
);
export const PAID = statement(`
  UPDATE ${JOBS} SET paid = CASE WHEN paid::numeric > $3::text::numeric THEN paid ELSE $3::text END,
    paid_through = greatest(paid_through, $2::bigint), tx = CASE WHEN $5 = '' THEN tx ELSE $5 END,
    payment = CASE WHEN $4::integer = 1 OR payment = 'closed' THEN 'closed' ELSE 'open' END WHERE id = $1`);
export const BEGIN = statement(`
  UPDATE ${JOBS} SET payment = 'none', ends_at = ends_at + greatest(${NOW} - created_at, 0)
  WHERE id = $2 AND payment = 'waiting' AND sale = ''`);
export const RENAME = statement(`UPDATE ${JOBS} SET secret_hash = $2, sale = $3 WHERE id = $1`);

/** All results of a page together are not much longer than the limit, except for a single long one. */
export const READ_RESULTS = statement(`
  SELECT number, pages, saved, encode(body, 'base64') FROM (
    SELECT *, sum(length(body)) OVER (ORDER BY number) AS bytes FROM (
      SELECT number, pages, saved, body FROM ${RESULTS} WHERE job = $1::bigint AND number > $2::bigint ORDER BY number LIMIT $3::integer
    ) AS next) AS summed WHERE bytes <= $4::bigint OR number = $2::bigint + 1 ORDER BY number`);

export const TIME_OUT = statement(
  `UPDATE ${JOBS} SET state = 'failed', reason = 'time', ended_at = ${NOW} WHERE state = 'running' AND ends_at <= ${NOW} AND ${IS_QUICK}`,
);
export const UNPAID = statement(`
  UPDATE ${JOBS} SET state = 'failed', reason = 'unpaid', payment = 'closed', ended_at = ${NOW}
  WHERE state = 'running' AND payment = 'waiting' AND sale <> '' AND created_at <= ${NOW} - ${MAX_WAIT_MS} AND ${IS_QUICK}`);
export const FORGET = statement(
  `DELETE FROM ${JOBS} WHERE state <> 'running' AND ended_at + kept_ms <= ${NOW} AND ${IS_QUICK}`,
);

/** Milliseconds after its last request for which the pace of a host is remembered: a day. @bound */
const KEPT_HOST_MS = 86_400_000;
export const FORGET_HOSTS = statement(`DELETE FROM ${HOSTS} WHERE next_at < ${NOW} - ${KEPT_HOST_MS} AND ${IS_QUICK}`);

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
