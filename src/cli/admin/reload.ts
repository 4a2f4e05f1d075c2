import * as z from "zod";
import { counted } from "../common/counted.ts";
import { queryOf } from "./admin-client.ts";
import { type AdminCommand, callForm, insistence, STRICT } from "./admin-command.ts";
import { patchLines } from "./change-text.ts";

const reloadedSchema = z.looseObject({ ok: z.literal(true), discarded: z.array(z.unknown()) });

/** `turnpike reload`: makes a running gateway read its file again. */
export const RELOAD: AdminCommand = {
  about:
    "Makes a gateway read its configuration file again. It returns when all workers use it; an invalid file changes nothing. Changes that were not persisted are discarded and listed.",
  flags: STRICT,
  forms: {
    "": callForm({
      request: (_words, values) => ({ method: "POST", path: `/reload${queryOf(insistence(values))}` }),
      schema: reloadedSchema,
      text: ({ discarded }) =>
        [reloadedText(discarded.length), ...patchLines(discarded).map((line) => `  ${line}`)].join("\n"),
    }),
  },
};

function reloadedText(discarded: number): string {
  return discarded === 0 ? "reloaded" : `reloaded; ${counted(discarded, "change")} in memory discarded:`;
}
