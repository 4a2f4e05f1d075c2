import { AdminRefused } from "./admin-refused.ts";
import { type AdminCommand, doneSchema, IF_MATCH, ifMatch, jsonFlag, readAs, told } from "./admin-command.ts";
import { ADMIN_FLAGS_TEXT } from "./admin-endpoint.ts";
import { flagsText, type FlagTable } from "../common/flags.ts";

const FLAGS = {
  force: { type: "boolean", text: "also if the file was changed since the gateway read it; those changes are lost" },
  ...IF_MATCH,
} as const satisfies FlagTable;

const USAGE = `usage: turnpike persist [--force] [--if-match R] [--json]

Writes the running configuration of a gateway to its file, completely or not at all.

${flagsText({ ...FLAGS, ...jsonFlag() })}

${ADMIN_FLAGS_TEXT}`;

/** `turnpike persist`: makes a running gateway write its configuration to its file. */
export const PERSIST: AdminCommand = {
  usage: USAGE,
  flags: FLAGS,
  forms: {
    "": {
      flags: ["force", "if-match"],
      read(_words, values) {
        const path = `/config/persist${values["force"] === true ? "?force=true" : ""}`;
        const headers = ifMatch(values);
        return async (client) => {
          try {
            const response = await client.json({ method: "POST", path, headers });
            readAs(client, doneSchema, response);
            return await told(values, response, "written to the configuration file");
          } catch (error) {
            if (!(error instanceof AdminRefused) || error.code !== "changed_on_disk") throw error;
            const message = `${error.message}; turnpike reload loads the file, --force overwrites it`;
            throw new Error(message, { cause: error });
          }
        };
      },
    },
  },
};
