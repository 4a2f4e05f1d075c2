import { type Actor } from "../../gateway/admin/shapes/common.ts";

/** The client in readable form: `operator 127.0.0.1`; empty if the change had no client. */
export function actorText(by: Actor | undefined): string {
  if (by === undefined) return "";
  return by.address === "" ? by.kind : `${by.kind} ${by.address}`;
}
