import {
  addPaid,
  COUNT_ROWS,
  type FunnelUse,
  type HourUse,
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
import { Columns, each, asNumber, asText } from "./columns.ts";
import { type Row } from "./connection.ts";
import { type Database, type Run } from "./database.ts";
import { PostgresError } from "./postgres-error.ts";
import * as sql from "./usage-statements.ts";

interface State {
  readonly epoch: number;
  readonly since: number;
}

const STATE = new Columns<State>({ epoch: asNumber, since: asNumber });
const COUNTS = each(asNumber, "requests", "requestBytes", "responseBytes", "clientErrors", "serverErrors", "lastSeen");
const ROUTE_USE = new Columns<RouteUse>({ consumer: asText, route: asText, ...COUNTS });
const UPSTREAM_USE = new Columns<UpstreamUse>({ upstream: asText, ...COUNTS });
const HOUR_USE = new Columns<HourUse>(each(asNumber, "hour", "requests", "clientErrors", "serverErrors"));
const FUNNEL_USE = new Columns<FunnelUse>({
  ...each(asText, "route", "client", "step"),
  ...each(asNumber, "day", "count"),
});
const PAID_USE = new Columns<PaidUse>({
  ...each(asText, "consumer", "route", "network", "asset", "amount"),
  payments: asNumber,
});

/** All statements of the transaction read the same snapshot. */
const ONE_MOMENT = "ISOLATION LEVEL REPEATABLE READ READ ONLY";

/** Usage in PostgreSQL, beside the ledger, of all gateways that use the database. */
export class PostgresUsage implements UsageStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(batch: UsageBatch): Promise<void> {
    await this.#database.transaction("", (run) => this.#add(run, batch));
    // Payments are counted in small transactions of their own, so that writes of new payments can run between them.
    while ((await this.#database.transaction("", countSettled)) === COUNT_ROWS);
  }

  async read(gateway: string): Promise<UsageTotals> {
    return this.#database.transaction(ONE_MOMENT, async (run) => {
      const [state] = await run(sql.STATE);
      const totals = await totalsOf(run, toState(state), gateway);
      const uncounted = (await run(sql.UNCOUNTED_PAYMENTS)).map(PAID_USE.read);
      return { ...totals, paid: addPaid([...totals.paid, ...uncounted]) };
    });
  }

  async reset(id: string, gateway: string): Promise<UsageTotals> {
    return this.#database.transaction("", async (run) => {
      const open = await lock(run);
      const [closed] = await run(sql.CLOSED, [id]);
      if (closed !== undefined) return totalsOf(run, toState(closed), gateway);
      while ((await countPayments(run, open.epoch)) === COUNT_ROWS);
      await run(sql.CLOSE, [id]);
      await run(sql.BEGIN_NEXT, [this.#database.clock]);
      for (const forget of sql.FORGET_EPOCHS) await run(forget, [open.epoch]);
      return totalsOf(run, open, gateway);
    });
  }

  async hours(): Promise<readonly HourUse[]> {
    return (await this.#database.read(sql.HOURS, [this.#database.clock])).rows.map(HOUR_USE.read);
  }

  async funnel(since: number): Promise<FunnelUse[]> {
    const rows = await this.#database.transaction(ONE_MOMENT, (run) => run(sql.READ_FUNNEL, [since]));
    return rows.map(FUNNEL_USE.read);
  }

  async #add(run: Run, { gateway, sequence, routes, upstreams, funnel }: UsageBatch): Promise<void> {
    const { epoch } = await lock(run);
    if ((await sequenceOf(run, gateway)) >= sequence) return;
    await run(sql.ADD_ROUTES, [epoch, JSON.stringify(await within(run, routes, "routes", epoch))]);
    await run(sql.ADD_UPSTREAMS, [epoch, JSON.stringify(await within(run, upstreams, "upstreams", epoch))]);
    for (const [day, added = []] of Map.groupBy(funnel, (use) => use.day)) {
      await run(sql.ADD_FUNNEL, [JSON.stringify(await within(run, added, "funnel", day))]);
      await run(sql.FORGET_DAYS, [day]);
    }
    const { requests, clientErrors, serverErrors } = sumOfUses(routes);
    if (requests > 0) await run(sql.ADD_HOUR, [this.#database.clock, requests, clientErrors, serverErrors]);
    await run(sql.FORGET_HOURS, [this.#database.clock]);
    await run(sql.NOTE_SEQUENCE, [this.#database.clock, gateway, sequence]);
    await run(sql.FORGET_GATEWAYS);
  }
}

async function lock(run: Run): Promise<State> {
  const [state] = await run(sql.LOCK);
  return toState(state);
}

async function sequenceOf(run: Run, gateway: string): Promise<number> {
  const [row] = await run(sql.SEQUENCE, [gateway]);
  return Number(row?.[0] ?? 0);
}

async function countSettled(run: Run): Promise<number> {
  return countPayments(run, (await lock(run)).epoch);
}

/** Adds settled payments to the counters of an epoch. Returns how many there were. */
async function countPayments(run: Run, epoch: number): Promise<number> {
  const settled = await run(sql.COUNT_PAYMENTS);
  if (settled.length === 0) return 0;
  const uses = await within(run, addPaid(settled.map(PAID_USE.read)), "payments", epoch);
  await run(sql.ADD_PAID, [epoch, JSON.stringify(uses)]);
  return settled.length;
}

/** Limits a table's rows. Once it is full, uses without a row are counted under an empty name. */
async function within<T extends PaidUse | RouteUse | UpstreamUse | FunnelUse>(
  run: Run,
  uses: readonly T[],
  table: UseTable,
  period: number,
): Promise<T[]> {
  const { most, names } = USE_TABLES[table];
  const [row] = await run(sql.selectOf("count(*)", table), [period]);
  const count = Number(row?.[0]);
  if (count + uses.length <= most) return [...uses];
  const known = await run(sql.selectOf(names.join(", "), table), [period]);
  const keys = known.map((values) => useKey(Object.fromEntries(names.map((name, i) => [name, values[i] ?? ""]))));
  return withinRoom(uses, new Set(keys), most);
}

async function totalsOf(run: Run, { epoch, since }: State, gateway: string): Promise<UsageTotals> {
  return {
    since,
    sequence: await sequenceOf(run, gateway),
    routes: (await run(sql.READ_ROUTES, [epoch])).map(ROUTE_USE.read),
    upstreams: (await run(sql.READ_UPSTREAMS, [epoch])).map(UPSTREAM_USE.read),
    paid: (await run(sql.READ_PAID, [epoch])).map(PAID_USE.read),
  };
}

function toState(row: Row | undefined): State {
  if (row === undefined) throw new PostgresError("protocol", "its table of the usage's state is empty");
  return STATE.read(row);
}
