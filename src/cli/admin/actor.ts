import * as z from "zod";

/** Who asked for a change. */
export const actorSchema = z.looseObject({ kind: z.string(), address: z.string() });

/** The same for people: `operator 127.0.0.1`; empty where it was nobody. */
export function actorText(by: z.output<typeof actorSchema> | undefined): string {
  if (by === undefined) return "";
  return by.address === "" ? by.kind : `${by.kind} ${by.address}`;
}
