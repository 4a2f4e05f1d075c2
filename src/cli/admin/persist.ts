import { AdminRefused } from "./admin-refused.ts";
import {
  type AdminCommand,
  doneSchema,
  IF_MATCH,
  ifMatch,
  readAs,
  runAdminCommand,
  takeWords,
  told,
} from "./admin-command.ts";
import { ADMIN_FLAGS_TEXT } from "./admin-endpoint.ts";

const USAGE = `usage: turnpike persist [--force] [--if-match R] [--json]

Writes the running configuration of a gateway to its file, completely or not at all.

  --force         also if the file was changed since the gateway read it; those changes are lost
  --if-match R    only if the configuration still has revision R, which turnpike status shows
  --json          print the response as JSON

${ADMIN_FLAGS_TEXT}`;

const COMMAND: AdminCommand = {
  usage: USAGE,
  forms: { "": ["force", "if-match"] },
  flags: { force: { type: "boolean" }, ...IF_MATCH },
  read(_, rest, values) {
    takeWords(rest, []);
    const path = `/config/persist${values["force"] === true ? "?force=true" : ""}`;
    const headers = ifMatch(values);
    return async (client) => {
      try {
        const response = await client.json({ method: "POST", path, headers });
        readAs(client, doneSchema, response);
        return await told(values, response, "written to the configuration file");
      } catch (error) {
        if (!(error instanceof AdminRefused) || error.code !== "changed_on_disk") throw error;
        throw new Error(`${error.message}; turnpike reload loads the file, --force overwrites it`, { cause: error });
      }
    };
  },
};

/** `turnpike persist`: makes a running gateway write its configuration to its file. Returns the exit code. */
export function persist(args: readonly string[]): Promise<number> {
  return runAdminCommand(COMMAND, args);
}
