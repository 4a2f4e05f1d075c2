import { messageOf } from "../../../lib/caught.ts";

/** Whether an error says that the engine could not allocate memory. */
export function isMemoryError(error: unknown): boolean {
  return /out of memory|allocate memory/i.test(messageOf(error));
}
