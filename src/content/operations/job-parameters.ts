import { array, oneOf, record, strictObject, string } from "../../lib/schema.ts";
import { EVENT_TYPES } from "../jobs/job-events.ts";
import { pageUrl } from "./page-parameters.ts";
import { matching, text } from "./text.ts";

/** Members of a webhook's metadata, and characters of a name and of a value. */
const MAX_METADATA = 20;
const MAX_NAME = 100;
const MAX_VALUE = 500;

const webUrl = matching(pageUrl, /^[Hh][Tt][Tt][Pp][Ss]?:/, "must be an http or https URL");

/** The generator of the description knows no rules of names. */
const DESCRIBED = {
  type: "object" as const,
  additionalProperties: { type: "string" as const, maxLength: MAX_VALUE },
  propertyNames: { minLength: 1, maxLength: MAX_NAME },
  maxProperties: MAX_METADATA,
};

const metadata = record(text(MAX_NAME, 1), text(MAX_VALUE, 0))
  .refine((members) => Object.keys(members).length <= MAX_METADATA, `must have at most ${MAX_METADATA} members`)
  .openapi(DESCRIBED);

export const receiver = strictObject({
  url: webUrl.describe("Receiver of the events, by POST"),
  events: array(oneOf(EVENT_TYPES))
    .min(1)
    .max(EVENT_TYPES.length)
    .optional()
    .describe("Types of events that are sent; absent for all"),
  metadata: metadata.optional().describe("Texts that each event repeats"),
}).openapi("Webhook", {
  description: "Sends the events of the job, signed with the `webhook_secret` of the response",
});

export const jobParameters = {
  max_price: string()
    .regex(/^(?:0|[1-9][0-9]{0,76})$/, "must be an amount in the smallest unit of the asset")
    .optional()
    .openapi({
      description:
        "The most that the job may cost, in the smallest unit of the asset; it ends with the reason max-price before that",
      example: "250000",
    }),
  webhook: receiver.optional(),
};
