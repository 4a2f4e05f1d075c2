import { array, oneOf, type Output, string, union } from "../../lib/schema.ts";
import { whole } from "./text.ts";

const MIN_STATUS = 400;
/** Some servers send statuses that no RFC defines, such as 999. */
const MAX_STATUS = 999;
/** Maximum number of entries of a list. */
const MAX_ENTRIES = 20;

const RANGE = /^([4-9]\d\d)-([4-9]\d\d)$/;

const status = whole(MIN_STATUS, MAX_STATUS);
const range = string().regex(RANGE, 'must be a range of statuses such as "500-599"');

/** Error statuses with which a page is still content: a list of statuses and ranges, or all. */
export const acceptStatus = union(
  [
    oneOf(["any"]),
    array(union([status, range]))
      .min(1)
      .max(MAX_ENTRIES),
  ],
  {
    error: `must be "any", or a list of 1 to ${MAX_ENTRIES} statuses such as 404 and ranges such as "500-599", from 400 to 999`,
  },
)
  .optional()
  .openapi({
    description:
      'Statuses from 400 on with which the page is content and no error: a list such as [404, "500-599"], or "any"',
    example: [404, "500-599"],
  });

/** True if a page with this status is content. Every status below 400 is. */
export function acceptsStatus(accepted: Output<typeof acceptStatus>, code: number): boolean {
  if (code < MIN_STATUS || accepted === "any") return true;
  return (accepted ?? []).some((entry) => {
    const bounds = typeof entry === "number" ? [entry] : entry.split("-").map(Number);
    return Math.min(...bounds) <= code && code <= Math.max(...bounds);
  });
}
