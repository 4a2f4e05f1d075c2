import { TurnpikeError } from "../../../lib/errors.ts";
import { stale } from "../http/preconditions.ts";
import {
  type Busy,
  type ChangeOutcome,
  type CheckOutcome,
  type EditDiagnostic,
  type PersistOutcome,
  type ReloadOutcome,
  type Unreadable,
} from "../running-config/running-config.ts";

export interface ReportedDiagnostic {
  readonly path: string;
  readonly message: string;
  readonly pointer?: string;
  readonly notice?: true;
}

/** A diagnostic without the parts that only this program uses. */
export function reportedDiagnostic({ path, message, pointer, isNotice }: EditDiagnostic): ReportedDiagnostic {
  return { path, message, ...(pointer === undefined ? {} : { pointer }), ...(isNotice ? { notice: true } : {}) };
}

type Outcome = ChangeOutcome | ReloadOutcome | PersistOutcome;
type Done<O> = Extract<O, { readonly kind: "done" }>;
type Refused = Exclude<Outcome, { readonly kind: "done" | "failed" }>;

/** The change, if it was made. Throws the error for the client otherwise; `thing` names the object of the change. */
export function requireChange(outcome: ChangeOutcome, thing: string): Done<ChangeOutcome> {
  if (outcome.kind === "done") return outcome;
  if (outcome.kind !== "failed") throw refusal(outcome, thing);
  throw new TurnpikeError(
    "change-failed",
    `Cannot use the changed configuration: ${outcome.reason}; the old one stays in use`,
  );
}

/** The check, if it was made. Throws the error for the client otherwise. */
export function requireCheck(outcome: CheckOutcome | Unreadable | Busy): CheckOutcome {
  if (outcome.kind === "checked") return outcome;
  if (outcome.kind === "unreadable") throw refusal(outcome, "");
  throw new TurnpikeError("overloaded", "Cannot check the configuration now: too many checks are waiting; try again");
}

/** The reload, if the file was loaded. Throws the error for the client otherwise. */
export function requireReload(outcome: ReloadOutcome): Done<ReloadOutcome> {
  if (outcome.kind === "done") return outcome;
  if (outcome.kind !== "failed") throw refusal(outcome, "reload");
  throw new TurnpikeError(
    "change-failed",
    `Cannot use the file: ${outcome.reason}; the old configuration stays in use`,
  );
}

/** Error codes of system calls on a full disk. */
const FULL: readonly (string | undefined)[] = ["ENOSPC", "EDQUOT"];

/** Throws the error for the client unless the file has the configuration. */
export function requirePersist(outcome: PersistOutcome): void {
  if (outcome.kind === "done") return;
  if (outcome.kind !== "failed") throw refusal(outcome, "persist");
  const detail = `Cannot write the configuration file: ${outcome.reason}; the old file is unchanged`;
  throw new TurnpikeError(FULL.includes(outcome.code) ? "disk-full" : "persist-failed", detail);
}

/** The error for what was not tried. `thing` is the object of a change, or the action on the file. */
function refusal(outcome: Refused, thing: string): TurnpikeError {
  switch (outcome.kind) {
    case "invalid":
      return invalid(outcome.problems);
    case "guarded":
      return new TurnpikeError(
        "guard-lost",
        `Cannot change ${thing}: paths would lose guards or routes, or the admin interface would close; if this is intended, force the change (--force, ?force=true), or name the guards in routes[].without`,
        [...outcome.losses, ...outcome.warnings].map(reportedDiagnostic),
      );
    case "unreadable":
      return new TurnpikeError("bad-request", outcome.reason);
    case "absent":
      return new TurnpikeError("not-found", `Cannot find ${thing}`);
    case "duplicate":
      return new TurnpikeError("already-exists", `Cannot add ${thing}: it exists already; change it with PATCH`);
    case "ambiguous":
      return new TurnpikeError(
        "ambiguous-route",
        `Cannot tell which route is meant: ${thing} matches several routes; select one with ?host= and ?name= (empty: the route without a host or name)`,
        undefined,
        { hosts: outcome.hosts, names: outcome.names },
      );
    case "changed-on-disk":
      return new TurnpikeError(
        "changed-on-disk",
        "Cannot write the configuration file: another program has changed it since it was read; reload it, or overwrite it with ?force=true",
      );
    case "no-file":
      return new TurnpikeError(
        "no-config-file",
        `Cannot ${thing}: the gateway was started without a configuration file`,
      );
    case "stale":
      return stale();
    case "busy":
      break;
  }
  return new TurnpikeError(
    "overloaded",
    "Cannot change the configuration now: too many changes are waiting; try again",
  );
}

function invalid(problems: readonly EditDiagnostic[]): TurnpikeError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new TurnpikeError(
    "invalid-configuration",
    `Cannot use this configuration: it has ${count}`,
    problems.map(reportedDiagnostic),
  );
}
