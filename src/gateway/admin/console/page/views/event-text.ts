import { type GatewayEvent } from "../api/shapes.ts";
import { type Tone } from "../parts/bits.tsx";

/** The actor of an event, for example "operator from 127.0.0.1"; empty if the gateway itself acted. */
export function actorOf({ by }: Pick<GatewayEvent, "by">): string {
  if (by === undefined) return "";
  return by.address === "" ? by.kind : `${by.kind} from ${by.address}`;
}

const NAMES: Readonly<Record<string, string>> = {
  server_health: "Server",
  discovery: "Discovery",
  reload: "Reload",
  change: "Change",
  persist: "Persist",
  drain: "Drain",
  worker: "Worker",
  payment: "Payment",
  session: "Session",
  config_file: "File",
  log_file: "Log file",
  control: "Sandbox",
  tenant: "Tenant",
  job: "Job",
  lost: "Lost",
};

export function kindName(kind: string): string {
  return NAMES[kind] ?? kind;
}

/** The outcome of an event, for its badge. */
export function toneOf({ kind, outcome, healthy, in_rotation: isIn }: GatewayEvent): Tone {
  if (healthy !== undefined || isIn !== undefined) return (healthy ?? isIn) === true ? "good" : "bad";
  if (outcome === "done") return "good";
  if (outcome === "failed") return "bad";
  return outcome === "refused" || kind === "lost" ? "warn" : "none";
}
