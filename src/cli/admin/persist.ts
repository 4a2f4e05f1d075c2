import { AdminRefused } from "./admin-refused.ts";
import { type AdminCommand, callForm, doneSchema, IF_MATCH, ifMatch } from "./admin-command.ts";
import { type FlagTable, flagTable } from "../common/flags.ts";

const FLAGS = {
  ...flagTable({ force: "also if the file was changed since the gateway read it; those changes are lost" }),
  ...IF_MATCH,
} as const satisfies FlagTable;

/** `turnpike persist`: makes a running gateway write its configuration to its file. */
export const PERSIST: AdminCommand = {
  about: "Writes the running configuration of a gateway to its file, completely or not at all.",
  flags: FLAGS,
  forms: {
    "": callForm({
      request: (_words, values) => ({
        method: "POST",
        path: `/config/persist${values["force"] === true ? "?force=true" : ""}`,
        headers: ifMatch(values),
      }),
      async send(client, request) {
        try {
          return await client.json(request);
        } catch (error) {
          if (!(error instanceof AdminRefused) || error.code !== "changed_on_disk") throw error;
          const message = `${error.message}; turnpike reload loads the file, --force overwrites it`;
          throw new Error(message, { cause: error });
        }
      },
      schema: doneSchema,
      text: () => "written to the configuration file",
    }),
  },
};
