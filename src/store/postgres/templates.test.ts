import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { type LearnedTemplate } from "../template-store.ts";
import { hasPostgres, sharedPostgres, type SharedPostgres } from "../testing/postgres.ts";
import { openPostgresTemplates } from "./open-postgres-store.ts";

// The database starts slowly on a busy machine.
setDefaultTimeout(patient(30_000));

/** The limits as they are documented. */
const WEEK_MS = 7 * 24 * 3_600_000;
const MAX_TEMPLATES = 20_000;
const OVERLAP_MS = 60_000;

function template(key: string): LearnedTemplate {
  return { key, changes: true, equal: 1, page: "page", at: 0 };
}

describe.skipIf(!hasPostgres)("with a server", () => {
  let server: SharedPostgres;

  beforeAll(async () => {
    server = await sharedPostgres();
  });

  async function fleet() {
    const clock = { now: 1_800_000_000_000 };
    const user = await server.newUser();
    const stores = [1, 2].map(() => openPostgresTemplates(server.settings({ user }), () => clock.now));
    const exchange = async (service: number, ...keys: string[]) => {
      const found = await stores[service]?.exchange(keys.map(template));
      return found?.map(({ key }) => key).toSorted();
    };
    return {
      clock,
      exchange,
      [Symbol.asyncDispose]: async () => void (await Promise.all(stores.map((store) => store.close()))),
    };
  }

  test("a service reads the last minute again, because an older template may be committed later", async () => {
    await using at = await fleet();
    const { clock, exchange } = at;
    expect(await exchange(0, "a")).toEqual(["a"]);
    clock.now += OVERLAP_MS;
    expect(await exchange(1, "b")).toEqual(["a", "b"]);
    clock.now -= OVERLAP_MS - 1;
    expect(await exchange(0, "late")).toEqual(["a", "b", "late"]);
    clock.now += OVERLAP_MS;
    expect(await exchange(1, "c")).toEqual(["b", "c", "late"]);
  });

  test("a template that is added after the clock was set back is read, and one of a distant future is forgotten", async () => {
    await using at = await fleet();
    const { clock, exchange } = at;
    expect(await exchange(0, "a")).toEqual(["a"]);
    expect(await exchange(1)).toEqual(["a"]);
    clock.now -= WEEK_MS;
    await exchange(0, "b");
    expect(await exchange(1)).toEqual(["a", "b"]);
    clock.now -= 1;
    expect(await exchange(1)).toEqual(["b"]);
  });

  test("a template is forgotten a week after its last comparison", async () => {
    await using at = await fleet();
    const { clock, exchange } = at;
    await exchange(0, "a");
    clock.now += WEEK_MS;
    expect(await exchange(0)).toEqual(["a"]);
    clock.now += 1;
    expect(await exchange(0)).toEqual([]);
  });

  test("the templates that were compared longest ago are forgotten first if there are too many", async () => {
    await using at = await fleet();
    const { clock, exchange } = at;
    await exchange(0, "oldest", "old");
    clock.now += 1;
    await exchange(0, "old", ...Array.from({ length: MAX_TEMPLATES - 2 }, (_, n) => `n${n}`));
    expect(await exchange(1)).toContain("oldest");
    await exchange(0, "one more");
    const left = await exchange(1);
    expect(left).toHaveLength(MAX_TEMPLATES);
    expect(left).not.toContain("oldest");
  });
});
