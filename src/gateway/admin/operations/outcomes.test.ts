import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../lib/errors.ts";
import { reportedDiagnostic, requireChange, requireCheck, requirePersist, requireReload } from "./outcomes.ts";

/** The code, the text and the other members of the error for a client; or what is returned. */
function errorOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof TurnpikeError)) throw error;
    const { code, message, errors, members } = error;
    return [code, message, ...(errors === undefined ? [] : [errors]), ...Object.values(members)];
  }
}

const PROBLEM = { path: "routes[0].a", message: "unknown key" };
const FAILED = { kind: "failed", reason: "a worker has ended" } as const;
const BUSY = ["overloaded", "Cannot change the configuration now: too many changes are waiting; try again"];
const STALE = ["precondition-failed", expect.stringContaining("it has changed since it was read")];

test.each<[outcome: Parameters<typeof requireChange>[0], error: unknown]>([
  [FAILED, ["change-failed", "Cannot use the changed configuration: a worker has ended; the old one stays in use"]],
  [
    { kind: "invalid", problems: [PROBLEM], warnings: [] },
    ["invalid-configuration", "Cannot use this configuration: it has 1 problem", [PROBLEM]],
  ],
  [
    { kind: "invalid", problems: [{ ...PROBLEM, pointer: "/a" }, PROBLEM], warnings: [PROBLEM] },
    [
      "invalid-configuration",
      "Cannot use this configuration: it has 2 problems",
      [{ ...PROBLEM, pointer: "/a" }, PROBLEM],
    ],
  ],
  [
    { kind: "guarded", losses: [PROBLEM], warnings: [{ path: "", message: "a warning", isNotice: true }] },
    [
      "guard-lost",
      expect.stringMatching(/^Cannot change the route "\/": paths would lose guards/),
      [PROBLEM, { path: "", message: "a warning", notice: true }],
    ],
  ],
  [{ kind: "unreadable", reason: "it is not JSON" }, ["bad-request", "it is not JSON"]],
  [{ kind: "absent" }, ["not-found", 'Cannot find the route "/"']],
  [{ kind: "duplicate" }, ["already-exists", 'Cannot add the route "/": it exists already; change it with PATCH']],
  [
    { kind: "ambiguous", hosts: ["", "a.test"], names: ["", "b"] },
    ["ambiguous-route", expect.stringContaining('the route "/" matches several routes'), ["", "a.test"], ["", "b"]],
  ],
  [{ kind: "stale" }, STALE],
  [{ kind: "busy" }, BUSY],
])("a change with the outcome %j is an error for its client", (outcome, error) => {
  expect(errorOf(() => requireChange(outcome, 'the route "/"'))).toEqual(error);
});

test("an operation that was done has no error", () => {
  const done = { kind: "done", revision: "1", warnings: [], restart: [] } as const;
  expect(errorOf(() => requireChange(done, "it"))).toEqual(done);
  const reloaded = { ...done, discarded: [] };
  expect(errorOf(() => requireReload(reloaded))).toEqual(reloaded);
  expect(errorOf(() => requirePersist({ kind: "done", path: "/a.json" }))).toBeUndefined();
  const checked = { kind: "checked", ok: false, problems: [], warnings: [], difference: [], restart: [] } as const;
  expect(errorOf(() => requireCheck(checked))).toEqual(checked);
});

test("a check that was not made is an error for its client", () => {
  expect(errorOf(() => requireCheck({ kind: "unreadable", reason: "it is not JSON" }))).toEqual([
    "bad-request",
    "it is not JSON",
  ]);
  expect(errorOf(() => requireCheck({ kind: "busy" }))).toEqual([
    "overloaded",
    "Cannot check the configuration now: too many checks are waiting; try again",
  ]);
});

test("a reload that was not made is an error for its client", () => {
  expect(errorOf(() => requireReload(FAILED))).toEqual([
    "change-failed",
    "Cannot use the file: a worker has ended; the old configuration stays in use",
  ]);
  const missing = "Cannot reload: the gateway was started without a configuration file";
  expect(errorOf(() => requireReload({ kind: "no-file" }))).toEqual(["no-config-file", missing]);
});

test.each([
  ["ENOSPC", "disk-full"],
  ["EDQUOT", "disk-full"],
  ["EACCES", "persist-failed"],
  [undefined, "persist-failed"],
])("a file that cannot be written because of %p is the error %s", (code, expected) => {
  const reason = "the reason";
  expect(errorOf(() => requirePersist({ kind: "failed", reason, code }))).toEqual([
    expected,
    "Cannot write the configuration file: the reason; the old file is unchanged",
  ]);
});

test("a file that another program has changed, a missing one and an old revision are errors of a write", () => {
  const missing = "Cannot persist: the gateway was started without a configuration file";
  expect(errorOf(() => requirePersist({ kind: "no-file" }))).toEqual(["no-config-file", missing]);
  expect(errorOf(() => requirePersist({ kind: "changed-on-disk" }))).toEqual([
    "changed-on-disk",
    expect.stringContaining("another program has changed it"),
  ]);
  expect(errorOf(() => requirePersist({ kind: "stale" }))).toEqual(STALE);
});

test("a reported diagnostic has its place in the request, and says if it is a notice", () => {
  expect(reportedDiagnostic(PROBLEM)).toEqual(PROBLEM);
  expect(reportedDiagnostic({ ...PROBLEM, pointer: "", isNotice: true })).toEqual({
    ...PROBLEM,
    pointer: "",
    notice: true,
  });
});
