import { afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { openPostgresTemplates } from "../../store/postgres/open-postgres-store.ts";
import { type LearnedTemplate } from "../../store/template-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../../store/testing/postgres.ts";
import { SharedTemplates } from "./shared-templates.ts";

// The database starts slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const DAY_MS = 24 * 3_600_000;
const clock = { now: Date.UTC(2026, 10, 27) };

function template(key: string, changes = true): LearnedTemplate {
  return { key, changes, equal: changes ? 0 : 2, page: "page", at: 0 };
}

describe.skipIf(!hasPostgres)("with a database", () => {
  let server: SharedPostgres;
  let user: string;
  const logged: string[] = [];
  const open: SharedTemplates[] = [];

  beforeAll(async () => {
    server = await sharedPostgres();
    user = await server.newUser();
  });
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  function service() {
    const store = openPostgresTemplates(server.settings({ user }), () => clock.now);
    const shared = new SharedTemplates(store, (message) => logged.push(message));
    open.push(shared);
    const learned = new Map<string, LearnedTemplate>();
    const exchange = () => shared.exchange((templates) => templates.forEach((one) => learned.set(one.key, one)));
    return { shared, learned, exchange };
  }

  test("services of a fleet learn from one another, the last comparison counts, and a week is remembered", async () => {
    const [one, other] = [service(), service()];
    one.shared.add(template("news"));
    one.shared.add(template("shop", false));
    await one.exchange();
    await other.exchange();
    expect([...other.learned.values()]).toEqual([
      { ...template("news"), at: clock.now },
      { ...template("shop", false), at: clock.now },
    ]);
    clock.now += DAY_MS;
    other.shared.add(template("news", false));
    await other.exchange();
    await one.exchange();
    expect(one.learned.get("news")).toEqual({ ...template("news", false), at: clock.now });
    clock.now += 6.5 * DAY_MS;
    const late = service();
    await late.exchange();
    expect([...late.learned.keys()]).toEqual(["news"]);
  });

  test("what is not a template is not stored", async () => {
    const one = service();
    one.shared.add({ ...template("k'; --"), page: "page" });
    one.shared.add({ ...template("much"), equal: -1 });
    one.shared.add(template("x".repeat(65)));
    await one.exchange();
    expect([...one.learned.keys()].filter((key) => key !== "news")).toEqual([]);
  });

  test("a database that cannot be reached is logged once", async () => {
    const store = openPostgresTemplates({ ...server.settings({ user: "nobody_known" }), password: "wrong" });
    const shared = new SharedTemplates(store, (message) => logged.push(message));
    open.push(shared);
    await shared.exchange(() => {});
    await shared.exchange(() => {});
    expect(logged).toEqual([expect.stringContaining("cannot share what was learned")]);
  });
});
