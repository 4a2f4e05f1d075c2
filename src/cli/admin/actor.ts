import * as z from "zod";

export const actorSchema = z.looseObject({ kind: z.string(), address: z.string() });

/** The client in readable form: `operator 127.0.0.1`; empty if the change had no client. */
export function actorText(by: z.output<typeof actorSchema> | undefined): string {
  if (by === undefined) return "";
  return by.address === "" ? by.kind : `${by.kind} ${by.address}`;
}
