import * as z from "zod";
import { counted } from "../common/counted.ts";
import { queryOf } from "./admin-client.ts";
import { type AdminCommand, insistence, jsonFlag, readAs, STRICT, told } from "./admin-command.ts";
import { ADMIN_FLAGS_TEXT } from "./admin-endpoint.ts";
import { patchLines } from "./change-text.ts";
import { flagsText } from "../common/flags.ts";

const USAGE = `usage: turnpike reload [--strict] [--json]

Makes a gateway read its configuration file again. It returns when all workers use it; an invalid file changes nothing.
Changes that were not persisted are discarded and listed.

${flagsText({ ...STRICT, ...jsonFlag() })}

${ADMIN_FLAGS_TEXT}`;

const reloadedSchema = z.looseObject({ ok: z.literal(true), discarded: z.array(z.unknown()) });

/** `turnpike reload`: makes a running gateway read its file again. */
export const RELOAD: AdminCommand = {
  usage: USAGE,
  flags: STRICT,
  forms: {
    "": {
      flags: ["strict"],
      read: (_words, values) => async (client) => {
        const response = await client.json({ method: "POST", path: `/reload${queryOf(insistence(values))}` });
        const { discarded } = readAs(client, reloadedSchema, response);
        const lines = [reloadedText(discarded.length), ...patchLines(discarded).map((line) => `  ${line}`)];
        return await told(values, response, lines.join("\n"));
      },
    },
  },
};

function reloadedText(discarded: number): string {
  return discarded === 0 ? "reloaded" : `reloaded; ${counted(discarded, "change")} in memory discarded:`;
}
