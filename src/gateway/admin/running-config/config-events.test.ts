import { expect, test } from "bun:test";
import { type Actor } from "../../telemetry/event.ts";
import { changeEvent, detailOf, persistEvent, reloadEvent } from "./config-events.ts";
import { type ChangeOutcome, type Edit, type PersistOutcome, type ReloadOutcome } from "./running-config.ts";

const BY: Actor = { kind: "operator", key: "api_key", address: "127.0.0.1" };
const DONE = { kind: "done", revision: "r.1", warnings: [], restart: ["server.port"] } as const;
const PROBLEM = { path: "routes[0]", message: "is wrong", line: 3 };
const SELECTION = { prefix: "/a", host: "a.test", name: "one" };

const EDITS: readonly [edit: Edit, expected: string][] = [
  [{ kind: "add-route", route: { path_prefix: "/a" } }, 'add the route "/a"'],
  [{ kind: "add-route", route: { path_prefix: 7 } }, "add the route without a name"],
  [{ kind: "add-route", route: null }, "add the route without a name"],
  [{ kind: "add-route", route: "text" }, "add the route without a name"],
  [{ kind: "patch-route", ...SELECTION, patch: {} }, 'change the route "/a" named "one" of "a.test"'],
  [{ kind: "patch-route", prefix: "/a", host: "", name: "", patch: {} }, 'change the route "/a"'],
  [{ kind: "add-key", key: { name: "bob" }, prefix: "/a" }, 'issue an API key to "bob" for the route "/a"'],
  [{ kind: "drop-key", number: 2, owner: "bob", prefix: "/a" }, 'revoke the API key 2 of "bob" for the route "/a"'],
  [{ kind: "delete-route", prefix: "/a" }, 'remove the route "/a"'],
  [{ kind: "add-upstream", upstream: { name: "u".repeat(201) } }, `add the upstream "${"u".repeat(200)}"`],
  [{ kind: "patch-upstream", name: "u", patch: {} }, 'change the upstream "u"'],
  [{ kind: "delete-upstream", name: "u" }, 'remove the upstream "u"'],
  [{ kind: "replace", bytes: new Uint8Array() }, "replace the configuration"],
];

test("the event for a change names what was changed, and nothing else of it", () => {
  for (const [edit, message] of EDITS) {
    const details = { edit: edit.kind, revision: "r.1", restart: ["server.port"] };
    expect(changeEvent(edit, BY, DONE)).toStrictEqual({ kind: "change", by: BY, outcome: "done", message, details });
  }
});

const REFUSALS: readonly [outcome: ChangeOutcome, why: string][] = [
  [{ kind: "invalid", problems: [PROBLEM], warnings: [] }, "it has 1 problem"],
  [{ kind: "invalid", problems: [PROBLEM, PROBLEM], warnings: [] }, "it has 2 problems"],
  [{ kind: "guarded", losses: [PROBLEM], warnings: [] }, "guards, routes or the admin interface would be lost"],
  [{ kind: "unreadable", reason: "a secret" }, "the body is not a JSON document"],
  [{ kind: "absent" }, "there is none"],
  [{ kind: "duplicate" }, "there is one already"],
  [{ kind: "ambiguous", hosts: [], names: [] }, "several routes have the prefix; name one"],
  [{ kind: "stale" }, "the configuration has changed since it was read"],
  [{ kind: "busy" }, "too many changes wait"],
];

test("the event for a refused change says why", () => {
  for (const [outcome, why] of REFUSALS) {
    const event = changeEvent({ kind: "delete-upstream", name: "u" }, BY, outcome);
    expect(event).toMatchObject({ outcome: "refused", message: `Cannot remove the upstream "u": ${why}` });
    const problems = outcome.kind === "invalid" ? outcome.problems.map(({ path, message }) => ({ path, message })) : [];
    expect(event.details).toStrictEqual({ edit: "delete-upstream", ...(problems.length > 0 ? { problems } : {}) });
  }
  const failed = changeEvent({ kind: "delete-upstream", name: "u" }, BY, { kind: "failed", reason: "a worker ended" });
  expect(failed).toMatchObject({ outcome: "failed", message: 'Cannot remove the upstream "u": a worker ended' });
});

test("the event for a write of the file says why it was not written", () => {
  const outcomes: readonly [outcome: PersistOutcome, result: string, message: string][] = [
    [{ kind: "done", path: "/etc/t.json" }, "done", "write the configuration to its file"],
    [{ kind: "no-file" }, "refused", "there is no configuration file"],
    [{ kind: "changed-on-disk" }, "refused", "another program has changed the file"],
    [{ kind: "failed", reason: "the disk is full", code: "ENOSPC" }, "failed", "the disk is full"],
  ];
  for (const [outcome, result, message] of outcomes) {
    const event = persistEvent(BY, outcome);
    expect(event).toMatchObject({ kind: "persist", by: BY, outcome: result });
    expect(event.message).toEndWith(message);
    expect(event.message.startsWith("Cannot write the configuration to its file: ")).toBe(result !== "done");
  }
});

test("the event for a reload counts the changes in memory that it discards, and lists the problems of the file", () => {
  const remove = { op: "remove", path: "/routes/1" } as const;
  const outcomes: readonly [outcome: ReloadOutcome, detail: string][] = [
    [{ ...DONE, discarded: [] }, "reloaded"],
    [{ ...DONE, discarded: [remove] }, "reloaded; 1 change in memory discarded"],
    [{ ...DONE, discarded: [remove, remove] }, "reloaded; 2 changes in memory discarded"],
    [{ kind: "invalid", problems: [PROBLEM], warnings: [] }, "it has 1 problem"],
  ];
  for (const [outcome, expected] of outcomes) {
    const detail = detailOf(outcome);
    expect(detail).toBe(expected);
    const isDone = outcome.kind === "done";
    const last = { time_ms: 1, by: BY, ok: isDone, detail, discarded: [] };
    expect(reloadEvent(last, outcome)).toStrictEqual({
      kind: "reload",
      by: BY,
      outcome: isDone ? "done" : "refused",
      message: isDone ? "reload the file" : `Cannot reload the file: ${detail}`,
      details: isDone
        ? { detail, revision: "r.1", discarded: outcome.discarded }
        : { detail, problems: [{ path: "routes[0]", message: "is wrong" }] },
    });
  }
});
