/** Events for changes, reloads and writes of the configuration. They contain no values of it. */
import { type Actor, type NewEvent } from "../../telemetry/event.ts";
import { type LastReload } from "../shapes/status.ts";
import {
  type ChangeOutcome,
  type Edit,
  type PersistOutcome,
  type ReloadOutcome,
  type RouteSelection,
} from "./running-config.ts";

/** Describes an edit, for example `add the upstream "api"`. */
function editText(edit: Edit): string {
  switch (edit.kind) {
    case "add-route":
      return `add the route ${nameIn(edit.route, "path_prefix")}`;
    case "patch-route":
      return `change the route ${routeText(edit)}`;
    case "add-key":
      return `issue an API key to ${nameIn(edit.key, "name")} for the route ${routeText(edit)}`;
    case "drop-key":
      return `revoke the API key ${edit.number} of ${JSON.stringify(edit.owner)} for the route ${routeText(edit)}`;
    case "delete-route":
      return `remove the route ${routeText(edit)}`;
    case "add-upstream":
      return `add the upstream ${nameIn(edit.upstream, "name")}`;
    case "patch-upstream":
      return `change the upstream ${JSON.stringify(edit.name)}`;
    case "delete-upstream":
      return `remove the upstream ${JSON.stringify(edit.name)}`;
    case "replace":
      break;
  }
  return "replace the configuration";
}

function routeText({ prefix, host, name }: RouteSelection): string {
  return `${JSON.stringify(prefix)}${name ? ` named ${JSON.stringify(name)}` : ""}${host ? ` of ${JSON.stringify(host)}` : ""}`;
}

/** The name of a new item, before its validation. */
function nameIn(item: unknown, key: string): string {
  const name: unknown = typeof item === "object" && item !== null ? Reflect.get(item, key) : undefined;
  return typeof name === "string" ? JSON.stringify(name.slice(0, MAX_NAME)) : "without a name";
}

/** Characters of a name in an event. The rest of a longer name is cut off. */
const MAX_NAME = 200;

type Outcome = ChangeOutcome | ReloadOutcome | PersistOutcome;

/** The reason why something was not done. */
export function whyNot(outcome: Exclude<Outcome, { kind: "done" }>): string {
  switch (outcome.kind) {
    case "invalid":
      return `it has ${outcome.problems.length} ${outcome.problems.length === 1 ? "problem" : "problems"}`;
    case "guarded":
      return "guards, routes or the admin interface would be lost";
    case "unreadable":
      return "the body is not a JSON document";
    case "absent":
      return "there is none";
    case "duplicate":
      return "there is one already";
    case "ambiguous":
      return "several routes have the prefix; name one";
    case "stale":
      return "the configuration has changed since it was read";
    case "busy":
      return "too many changes wait";
    case "no-file":
      return "there is no configuration file";
    case "changed-on-disk":
      return "another program has changed the file";
    case "failed":
      break;
  }
  return outcome.reason;
}

function outcomeOf({ kind }: Outcome): "done" | "failed" | "refused" {
  if (kind === "done" || kind === "failed") return kind;
  return "refused";
}

/** The outcome of a reload in words. */
export function detailOf(outcome: ReloadOutcome): string {
  if (outcome.kind !== "done") return whyNot(outcome);
  const { length } = outcome.discarded;
  return length === 0 ? "reloaded" : `reloaded; ${length} ${length === 1 ? "change" : "changes"} in memory discarded`;
}

function event(kind: NewEvent["kind"], by: Actor, what: string, outcome: Outcome): NewEvent {
  const message = outcome.kind === "done" ? what : `Cannot ${what}: ${whyNot(outcome)}`;
  return { kind, by, outcome: outcomeOf(outcome), message };
}

/** The event for an edit. An invalid edit is described by the paths and messages of its problems. */
export function changeEvent(edit: Edit, by: Actor, outcome: ChangeOutcome): NewEvent {
  const details = {
    edit: edit.kind,
    ...(outcome.kind === "done" ? { revision: outcome.revision, restart: outcome.restart } : {}),
    ...(outcome.kind === "invalid"
      ? { problems: outcome.problems.map(({ path, message }) => ({ path, message })) }
      : {}),
  };
  return { ...event("change", by, editText(edit), outcome), details };
}

/** The event for a reload of the file. An invalid file is described by the paths and messages of its problems. */
export function reloadEvent({ by, detail }: LastReload, outcome: ReloadOutcome): NewEvent {
  const details = {
    detail,
    ...(outcome.kind === "done" ? { revision: outcome.revision, discarded: outcome.discarded } : {}),
    ...(outcome.kind === "invalid"
      ? { problems: outcome.problems.map(({ path, message }) => ({ path, message })) }
      : {}),
  };
  return { ...event("reload", by, "reload the file", outcome), details };
}

/** The event for a write of the configuration to its file. */
export function persistEvent(by: Actor, outcome: PersistOutcome): NewEvent {
  return event("persist", by, "write the configuration to its file", outcome);
}
