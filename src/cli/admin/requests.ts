import * as z from "zod";
import { parsedJson } from "../../lib/parsed-json.ts";
import { visibleText } from "../../lib/text/visible-text.ts";
import { flagTable } from "../common/flags.ts";
import { sayNote } from "../common/terminal.ts";
import { timeText } from "../common/units.ts";
import { UsageError } from "../common/usage-error.ts";
import { queryOf } from "./admin-client.ts";
import { type AdminCommand, print, textFlag } from "./admin-command.ts";
import { followStream } from "./follow-stream.ts";

const FLAGS = flagTable({
  "text T":
    "only with this text in method, host, path, query, route, client, consumer, payer, user agent, request id or loss",
  "status D": "only of this class of status: 2 for 200 to 299",
  paid: "only with a payer",
});

const requestSchema = z.looseObject({
  kind: z.literal("request"),
  time_ms: z.number(),
  client: z.string(),
  consumer: z.string(),
  payer: z.string(),
  method: z.string(),
  host: z.string(),
  path: z.string(),
  query: z.string(),
  status: z.number(),
  loss: z.string().default(""),
  duration_ms: z.number(),
});
const unseenSchema = z.object({ missed: z.number().default(0), lost: z.number().default(0) });

/** `turnpike requests`: shows the requests of a running gateway as they end. */
export const REQUESTS: AdminCommand = {
  about:
    "Shows requests of all routes as they end, until the command is stopped. After the status of a request that was not sold stands its loss: why its payment did not buy the response (docs/usage.md).",
  json: "print one event per line; missed and lost events count requests that are not shown",
  flags: FLAGS,
  forms: {
    "": {
      read(_words, values) {
        const { json, paid } = values;
        const [text, status] = [textFlag(values, "text"), textFlag(values, "status")];
        if (status !== undefined && !/^[1-5]$/.test(status)) throw new UsageError("--status is a digit from 1 to 5");
        const path = `/requests${queryOf({ text, status, paid: paid === true ? "true" : undefined })}`;
        return (client) =>
          followStream(
            client,
            () => path,
            async ({ data }) => await (json === true ? print(data) : show(parsedJson(data))),
          );
      },
    },
  },
};

async function show(event: unknown): Promise<void> {
  const request = requestSchema.safeParse(event).data;
  if (request !== undefined) return await print(line(request));
  const { missed = 0, lost = 0 } = unseenSchema.safeParse(event).data ?? {};
  if (missed + lost > 0) sayNote(`${missed + lost} further requests are not shown: there were too many at once`);
}

function line({ client, consumer, payer, ...request }: z.output<typeof requestSchema>): string {
  const { time_ms: at, status, loss, duration_ms: duration, method, host, path, query } = request;
  const who = [...new Set([client, consumer, payer])].filter((name) => name !== "").join(" ");
  return visibleText(
    `${timeText(at)}  ${status}${loss === "" ? "" : ` ${loss}`}  ${method} ${host}${path}${query}  ${who}  ${Math.round(duration)} ms`,
  );
}
