import {
  addPaid,
  COUNT_ROWS,
  FUNNEL_DAYS,
  type FunnelUse,
  HOUR_MS,
  type HourUse,
  KEPT_EPOCHS,
  KEPT_HOURS,
  MAX_GATEWAYS,
  type PaidUse,
  type RouteUse,
  sumOfUses,
  type UpstreamUse,
  type UsageBatch,
  USE_TABLES,
  useKey,
  type UsageStore,
  type UsageTotals,
  type UseTable,
  withinRoom,
} from "../usage-store.ts";
import { type SqliteConnection } from "./sqlite-connection.ts";

/** Columns of the counters, in the order of `VALUES`. */
const COUNTS = ["requests", "request_bytes", "response_bytes", "client_errors", "server_errors"];
const VALUES = ["requests", "requestBytes", "responseBytes", "clientErrors", "serverErrors"];

/** The columns by the names of their members in `UseCounts`. */
const COUNTED = `requests, request_bytes AS requestBytes, response_bytes AS responseBytes,
  client_errors AS clientErrors, server_errors AS serverErrors, last_seen AS lastSeen`;

/** SQL that adds the uses in `$rows` (JSON) to the counters of the open epoch. */
function addTo(table: string, names: readonly string[]): string {
  return `
  INSERT INTO ${table} (epoch, ${names.join(", ")}, ${COUNTS.join(", ")}, last_seen)
  SELECT $epoch, ${names.map((name) => `value ->> '${name}' AS ${name}`).join(", ")},
    ${VALUES.map((name) => `sum(value ->> '${name}')`).join(", ")}, max(value ->> 'lastSeen')
  FROM json_each($rows) WHERE true GROUP BY ${names.map((_, i) => i + 2).join(", ")}
  ON CONFLICT DO UPDATE SET ${COUNTS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")},
    last_seen = max(last_seen, excluded.last_seen)`;
}

const ADD_ROUTES = addTo("usage_routes", ["consumer", "route"]);
const ADD_UPSTREAMS = addTo("usage_upstreams", ["upstream"]);

const ADD_FUNNEL = `
  INSERT INTO usage_funnel (day, route, client, step, count)
  SELECT value ->> 'day', value ->> 'route', value ->> 'client', value ->> 'step', sum(value ->> 'count')
  FROM json_each($rows) WHERE true GROUP BY 1, 2, 3, 4
  ON CONFLICT DO UPDATE SET count = count + excluded.count`;

const ADD_HOUR = `
  INSERT INTO usage_hours VALUES ($hour, $requests, $clientErrors, $serverErrors)
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
    client_errors = client_errors + excluded.client_errors, server_errors = server_errors + excluded.server_errors`;

const ADD_PAID = `
  INSERT INTO usage_payments (epoch, consumer, route, network, asset, payments, amount)
  VALUES ($epoch, $consumer, $route, $network, $asset, $payments, $amount)
  ON CONFLICT DO UPDATE SET payments = excluded.payments, amount = excluded.amount`;

const UNCOUNTED = "state = 'settled' AND counted = 0";

const COUNT_PAYMENTS = `
  UPDATE payments SET counted = 1 WHERE (network, asset, payer_from, nonce) IN (
    SELECT network, asset, payer_from, nonce FROM payments WHERE ${UNCOUNTED} LIMIT ${COUNT_ROWS})
  RETURNING consumer, route, network, token AS asset, amount, 1 AS payments`;

/** Payments of the same amount are one row: `amount` is the amount of each. */
const UNCOUNTED_PAYMENTS = `
  SELECT consumer, route, network, token AS asset, amount, count(*) AS payments FROM payments WHERE ${UNCOUNTED}
  GROUP BY 1, 2, 3, 4, 5`;

const FORGET_GATEWAYS = `
  DELETE FROM usage_flushes WHERE gateway IN (
    SELECT gateway FROM usage_flushes ORDER BY flushed_at DESC LIMIT -1 OFFSET ${MAX_GATEWAYS})`;

const TABLES = ["usage_routes", "usage_upstreams", "usage_payments"] as const;

interface State {
  readonly epoch: number;
  readonly since: number;
}

/** Usage in memory or in an SQLite file, beside the ledger. */
export class SqliteUsage implements UsageStore {
  readonly #file: SqliteConnection;

  constructor(file: SqliteConnection) {
    this.#file = file;
  }

  async add(batch: UsageBatch): Promise<void> {
    await this.#file.transaction(() => this.#add(batch));
    // Payments are counted in small transactions of their own, so that writes of new payments can run between them.
    const count = (): number => this.#countPayments(this.#state().epoch);
    while ((await this.#file.transaction(count)) === COUNT_ROWS) await new Promise(setImmediate);
  }

  async read(gateway: string): Promise<UsageTotals> {
    return this.#file.snapshot(() => {
      const totals = this.#totals(this.#state(), gateway);
      const alike = this.#file.all<PaidUse>(UNCOUNTED_PAYMENTS);
      const uncounted = alike.map((use) => ({ ...use, amount: String(BigInt(use.amount) * BigInt(use.payments)) }));
      return { ...totals, paid: addPaid([...totals.paid, ...uncounted]) };
    });
  }

  reset(id: string, gateway: string): Promise<UsageTotals> {
    return this.#file.transaction(() => this.#reset(id, gateway));
  }

  async hours(): Promise<readonly HourUse[]> {
    return this.#file.all(
      `SELECT hour * ${HOUR_MS} AS hour, requests, client_errors AS clientErrors, server_errors AS serverErrors
       FROM usage_hours WHERE hour > $last ORDER BY 1`,
      { last: Math.floor(this.#file.now() / HOUR_MS) - KEPT_HOURS },
    );
  }

  async funnel(since: number): Promise<FunnelUse[]> {
    return this.#file.all("SELECT * FROM usage_funnel WHERE day >= $since", { since });
  }

  #add({ gateway, sequence, routes, upstreams, funnel }: UsageBatch): void {
    if (this.#sequence(gateway) >= sequence) return;
    const { epoch } = this.#state();
    const add = (sql: string, rows: readonly unknown[]): void => {
      if (rows.length > 0) this.#file.run(sql, { epoch, rows: JSON.stringify(rows) });
    };
    add(ADD_ROUTES, this.#within(routes, "routes", epoch));
    add(ADD_UPSTREAMS, this.#within(upstreams, "upstreams", epoch));
    for (const [day, uses = []] of Map.groupBy(funnel, (use) => use.day)) {
      this.#file.run(ADD_FUNNEL, { rows: JSON.stringify(this.#within(uses, "funnel", day)) });
      this.#file.run("DELETE FROM usage_funnel WHERE day <= $last", { last: day - FUNNEL_DAYS });
    }
    const sums = sumOfUses(routes);
    const hour = Math.floor(this.#file.now() / HOUR_MS);
    if (sums.requests > 0) this.#file.run(ADD_HOUR, { hour, ...sums });
    this.#file.run("DELETE FROM usage_hours WHERE hour <= $last", { last: hour - KEPT_HOURS });
    const flush = { gateway, sequence, now: this.#file.now() };
    this.#file.run("INSERT OR REPLACE INTO usage_flushes VALUES ($gateway, $sequence, $now)", flush);
    this.#file.run(FORGET_GATEWAYS);
  }

  #reset(id: string, gateway: string): UsageTotals {
    const closed = this.#file.get<State>("SELECT epoch, since FROM usage_resets WHERE id = $id", { id });
    if (closed !== undefined) return this.#totals(closed, gateway);
    const open = this.#state();
    const { epoch } = open;
    while (this.#countPayments(epoch) === COUNT_ROWS);
    this.#file.run("INSERT INTO usage_resets VALUES ($id, $epoch, $since)", { id, ...open });
    this.#file.run("UPDATE usage_state SET epoch = epoch + 1, since = $now", { now: this.#file.now() });
    for (const table of [...TABLES, "usage_resets"]) {
      this.#file.run(`DELETE FROM ${table} WHERE epoch <= $last`, { last: epoch - KEPT_EPOCHS });
    }
    return this.#totals(open, gateway);
  }

  /** Adds settled payments to the counters of an epoch. Returns how many there were. */
  #countPayments(epoch: number): number {
    const settled = this.#file.all<PaidUse>(COUNT_PAYMENTS);
    for (const use of this.#within(addPaid(settled), "payments", epoch)) {
      const standing = this.#file.get<PaidUse>(
        `SELECT consumer, route, network, asset, payments, amount FROM usage_payments
         WHERE epoch = $epoch AND consumer = $consumer AND route = $route AND network = $network AND asset = $asset`,
        { ...use, epoch },
      );
      const [sum = use] = addPaid(standing === undefined ? [use] : [standing, use]);
      this.#file.run(ADD_PAID, { ...use, epoch, payments: sum.payments, amount: sum.amount });
    }
    return settled.length;
  }

  #totals({ epoch, since }: State, gateway: string): UsageTotals {
    const all = <Row>(columns: string, table: (typeof TABLES)[number]): Row[] =>
      this.#file.all(`SELECT ${columns} FROM ${table} WHERE epoch = $epoch`, { epoch });
    return {
      since,
      sequence: this.#sequence(gateway),
      routes: all<RouteUse>(`consumer, route, ${COUNTED}`, "usage_routes"),
      upstreams: all<UpstreamUse>(`upstream, ${COUNTED}`, "usage_upstreams"),
      paid: all<PaidUse>("consumer, route, network, asset, payments, amount", "usage_payments"),
    };
  }

  /** Limits a table's rows. Once it is full, uses without a row are counted under an empty name. */
  #within<T extends PaidUse | RouteUse | UpstreamUse | FunnelUse>(
    uses: readonly T[],
    table: UseTable,
    period: number,
  ): T[] {
    const { most, names } = USE_TABLES[table];
    const from = `FROM usage_${table} WHERE ${table === "funnel" ? "day" : "epoch"} = $period`;
    const { count } = this.#file.get<{ count: number }>(`SELECT count(*) AS count ${from}`, { period }) ?? { count: 0 };
    if (count + uses.length <= most) return [...uses];
    const known = this.#file.all<Partial<PaidUse>>(`SELECT ${names.join(", ")} ${from}`, { period });
    return withinRoom(uses, new Set(known.map(useKey)), most);
  }

  #state(): State {
    const state = this.#file.get<State>("SELECT epoch, since FROM usage_state");
    if (state === undefined) throw new Error("Cannot keep the usage: its table usage_state is empty");
    return state;
  }

  #sequence(gateway: string): number {
    const sql = "SELECT sequence FROM usage_flushes WHERE gateway = $gateway";
    return this.#file.get<{ sequence: number }>(sql, { gateway })?.sequence ?? 0;
  }
}
