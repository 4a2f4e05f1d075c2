import { TurnpikeError } from "../../../lib/errors.ts";
import { stale } from "../http/preconditions.ts";
import {
  type Busy,
  type ChangeOutcome,
  type CheckOutcome,
  type Unreadable,
  type EditDiagnostic,
  type PersistOutcome,
  type ReloadOutcome,
} from "../running-config/running-config.ts";

/** A diagnostic as in responses. */
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

type Done<O> = Extract<O, { readonly kind: "done" }>;
type Refused<O> = Exclude<O, { readonly kind: "done" }>;

const BUSY = "Cannot change the configuration now: too many changes are waiting; try again";

/** The change, if it was made. Throws the error for the client otherwise; `thing` names the object of the change. */
export function requireChange(outcome: ChangeOutcome, thing: string): Done<ChangeOutcome> {
  if (outcome.kind === "done") return outcome;
  throw changeRefusal(outcome, thing);
}

function changeRefusal(outcome: Refused<ChangeOutcome>, thing: string): TurnpikeError {
  switch (outcome.kind) {
    case "invalid":
      return invalid(outcome.problems);
    case "guarded":
      return new TurnpikeError(
        "guard-lost",
        `Cannot change ${thing}: paths would lose guards; if this is intended, force the change (--force, ?force=true), or name the guards in routes[].without`,
        [...outcome.losses, ...outcome.warnings].map(reportedDiagnostic),
      );
    case "unreadable":
      return unreadable(outcome);
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
    case "stale":
      return stale();
    case "busy":
      return new TurnpikeError("overloaded", BUSY);
    case "failed":
      break;
  }
  return new TurnpikeError(
    "change-failed",
    `Cannot use the changed configuration: ${outcome.reason}; the old one stays in use`,
  );
}

/** The error for a body that is not a document. */
function unreadable({ reason }: Unreadable): TurnpikeError {
  return new TurnpikeError("bad-request", reason);
}

/** The check, if it was made. Throws the error for the client otherwise. */
export function requireCheck(outcome: CheckOutcome | Unreadable | Busy): CheckOutcome {
  if (outcome.kind === "checked") return outcome;
  if (outcome.kind === "unreadable") throw unreadable(outcome);
  throw new TurnpikeError("overloaded", "Cannot check the configuration now: too many checks are waiting; try again");
}

/** The reload, if the file was loaded. Throws the error for the client otherwise. */
export function requireReload(outcome: ReloadOutcome): Done<ReloadOutcome> {
  if (outcome.kind === "done") return outcome;
  throw reloadRefusal(outcome);
}

function reloadRefusal(outcome: Refused<ReloadOutcome>): TurnpikeError {
  switch (outcome.kind) {
    case "invalid":
      return invalid(outcome.problems);
    case "no-file":
      return noFile("reload");
    case "busy":
      return new TurnpikeError("overloaded", BUSY);
    case "failed":
      break;
  }
  return new TurnpikeError(
    "change-failed",
    `Cannot use the file: ${outcome.reason}; the old configuration stays in use`,
  );
}

/** Error codes of system calls on a full disk. */
const FULL: readonly (string | undefined)[] = ["ENOSPC", "EDQUOT"];

/** The write, if the file has the configuration. Throws the error for the client otherwise. */
export function requirePersist(outcome: PersistOutcome): Done<PersistOutcome> {
  if (outcome.kind === "done") return outcome;
  throw persistRefusal(outcome);
}

function persistRefusal(outcome: Refused<PersistOutcome>): TurnpikeError {
  switch (outcome.kind) {
    case "changed-on-disk":
      return new TurnpikeError(
        "changed-on-disk",
        "Cannot write the configuration file: another program has changed it since it was read; reload it, or overwrite it with ?force=true",
      );
    case "no-file":
      return noFile("persist");
    case "stale":
      return stale();
    case "busy":
      return new TurnpikeError("overloaded", BUSY);
    case "failed":
      break;
  }
  const detail = `Cannot write the configuration file: ${outcome.reason}; the old file is unchanged`;
  return new TurnpikeError(FULL.includes(outcome.code) ? "disk-full" : "persist-failed", detail);
}

function noFile(what: string): TurnpikeError {
  return new TurnpikeError("no-config-file", `Cannot ${what}: the gateway was started without a configuration file`);
}

function invalid(problems: readonly EditDiagnostic[]): TurnpikeError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new TurnpikeError(
    "invalid-configuration",
    `Cannot use this configuration: it has ${count}`,
    problems.map(reportedDiagnostic),
  );
}
