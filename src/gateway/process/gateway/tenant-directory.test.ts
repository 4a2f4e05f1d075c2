import { expect, test } from "bun:test";
import { type TurnpikeError } from "../../../lib/errors.ts";
import { ownTenants, tenantsOf } from "./tenant-directory.ts";
import { type WarmTenant } from "../../tenants/warm-tenants.ts";
import { serveTenants, type TenantQuestion, TenantQuestions } from "./tenant-questions.ts";

/** A worker with these tenants. It records the questions that it received. */
class TestWorker {
  readonly asked: TenantQuestion[] = [];
  readonly questions: TenantQuestions;
  tenants: WarmTenant[];

  constructor(tenants: WarmTenant[], responses: "at once" | "never" | "is gone" = "at once", responseMs?: number) {
    this.tenants = tenants;
    this.questions = new TenantQuestions((question) => {
      this.asked.push(question);
      if (responses === "at once") queueMicrotask(() => this.questions.heard(serveTenants(question, this)));
      return responses !== "is gone";
    }, responseMs);
  }

  list(): never[] {
    // In the form of a worker's registry, with more fields.
    return this.tenants.map((tenant) => ({ ...tenant, upstream: () => {} })) as never[];
  }

  drop(key: string): boolean {
    const before = this.tenants.length;
    this.tenants = this.tenants.filter((tenant) => tenant.key !== key);
    return this.tenants.length < before;
  }
}

function warm(key: string, path: string, lastUsedMs: number): WarmTenant {
  return { key, path, lastUsedMs };
}

function directoryOf(...workers: TestWorker[]) {
  return tenantsOf(() => workers.map(({ questions }) => questions));
}

function problemOf(asked: Promise<unknown>): Promise<string> {
  return asked.then(String, ({ code, message }: TurnpikeError) => `${code}: ${message}`);
}

test("a tenant with one socket is one entry with the number of its workers; the tenant used last comes first", async () => {
  const first = new TestWorker([warm("a", "/vms/a", 10), warm("b", "/vms/b", 30), warm("a", "/vms/a", 5)]);
  const second = new TestWorker([warm("a", "/vms/a", 20), warm("b", "/vms/b2", 25)]);
  expect(await directoryOf(first, second).list()).toEqual([
    { key: "b", path: "/vms/b", last_used_ms: 30, workers: 1 },
    { key: "b", path: "/vms/b2", last_used_ms: 25, workers: 1 },
    { key: "a", path: "/vms/a", last_used_ms: 20, workers: 2 },
  ]);
  expect(await ownTenants(second).list()).toHaveLength(2);
});

test("a tenant is dropped in every worker before the call resolves", async () => {
  const workers = [new TestWorker([warm("a", "/a", 1)]), new TestWorker([]), new TestWorker([warm("a", "/a2", 1)])];
  const directory = directoryOf(...workers);
  expect(await directory.drop("a")).toBe(true);
  expect(workers.flatMap(({ tenants }) => tenants)).toEqual([]);
  expect(await directory.drop("a")).toBe(false);
  const own = new TestWorker([warm("a", "/a", 1)]);
  expect([await ownTenants(own).drop("a"), await ownTenants(own).drop("a")]).toEqual([true, false]);
});

test("a worker that is gone, ends meanwhile or does not serve yet has no tenants", async () => {
  const ending = new TestWorker([warm("a", "/a", 1)], "never");
  const listed = directoryOf(new TestWorker([warm("b", "/b", 1)]), new TestWorker([], "is gone"), ending).list();
  ending.questions.close();
  expect(await listed).toEqual([{ key: "b", path: "/b", last_used_ms: 1, workers: 1 }]);
  expect(serveTenants({ kind: "tenants", id: 3 }, undefined)).toEqual({
    kind: "tenants",
    id: 3,
    tenants: [],
    dropped: false,
  });
});

test("a worker that does not reply fails the question, and gets 64 open questions at most", async () => {
  const deaf = new TestWorker([], "never", 30);
  const directory = directoryOf(deaf);
  const problems = await Promise.all(Array.from({ length: 65 }, () => problemOf(directory.list())));
  expect(problems[64]).toContain(
    "overloaded: Cannot list the tenants of all workers: one worker has too many waiting requests",
  );
  expect(problems[0]).toContain(
    "overloaded: Cannot list the tenants of all workers: one worker did not respond within 30 ms",
  );
  expect(deaf.asked).toHaveLength(64);
  // A late reply, for which no question waits.
  deaf.questions.heard({ kind: "tenants", id: 1, tenants: [], dropped: true });
  expect(await problemOf(directory.drop("a"))).toStartWith("overloaded: ");
});
