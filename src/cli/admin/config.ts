import { checked, type Diagnostic } from "../../gateway/admin/shapes/common.ts";
import { status } from "../../gateway/admin/shapes/status.ts";
import { counted } from "../common/counted.ts";
import { visibleText } from "../../lib/text/visible-text.ts";
import { sayError, sayWarning } from "../common/terminal.ts";
import { type AdminClient, queryOf } from "./admin-client.ts";
import {
  type AdminAction,
  type AdminCommand,
  doneSchema,
  FORCE,
  type Form,
  IF_MATCH,
  ifMatch,
  insistence,
  print,
  printJson,
  readAs,
  readObject,
  STRICT,
  told,
  type Values,
} from "./admin-command.ts";
import { patchLines } from "./change-text.ts";
import { type FlagTable } from "../common/flags.ts";

const FLAGS = { ...IF_MATCH, ...STRICT, ...FORCE } as const satisfies FlagTable;

function printForm(path: string, about: string): Form {
  return {
    about,
    read: () => async (client) => {
      await printJson(await client.json({ path }));
      return 0;
    },
  };
}

/** `turnpike config`: shows, compares, checks and replaces the configuration of a running gateway. */
export const CONFIG: AdminCommand = {
  about: "Shows, checks and replaces the configuration of a running gateway.",
  notes: "turnpike check FILE looks through a file without a gateway.",
  flags: FLAGS,
  forms: {
    show: printForm("/config", 'print all of it, as JSON; "<secret>" replaces each secret'),
    diff: {
      about: "print the changes in memory that the file does not have",
      read: (_words, values) => async (client) => await diff(client, values),
    },
    check: {
      about: 'print what FILE would change, and its problems; it changes nothing. "-" is standard input',
      words: ["FILE"],
      flags: ["strict"],
      read: check,
    },
    replace: {
      about: 'use FILE from now on; "<secret>" in it keeps the current secret',
      words: ["FILE"],
      flags: ["if-match", "strict", "force"],
      read: replace,
    },
    schema: printForm("/config/schema", "print the JSON schema of configurations"),
  },
};

async function diff(client: AdminClient, values: Values): Promise<number> {
  const { config: state } = readAs(client, status, await client.json({ path: "/status" }));
  const { difference, path } = state;
  const text =
    difference.length === 0 ? `no difference from ${path ?? "the defaults"}` : patchLines(difference).join("\n");
  return await told(values, difference, text);
}

function check([file = ""]: readonly string[], { json, strict }: Values): AdminAction {
  return async (client) => {
    const body = await readObject(file, "configuration");
    const response = await client.json({ method: "POST", path: "/config/check", body });
    const { ok, problems, warnings, difference, restart } = readAs(client, checked, response);
    const errors = strict === true ? warnings.filter(({ notice }) => notice !== true).length : 0;
    const code = ok && errors === 0 ? 0 : 1;
    if (json === true) {
      await printJson(response);
      return code;
    }
    const name = file === "-" ? "standard input" : file;
    for (const found of warnings) sayWarning(`${name}: warning: ${diagnosticText(found)}`);
    for (const found of problems) sayError(`${name}: ${diagnosticText(found)}`);
    if (ok && code > 0) sayError(`${name}: ${counted(errors, "warning")}, which --strict does not accept`);
    if (code > 0) return code;
    const later = restart.length === 0 ? "" : `; effective at the next start: ${restart.map(visibleText).join(", ")}`;
    const changes = difference.length === 0 ? "no change" : counted(difference.length, "change");
    await print([`${name}: ok, ${changes}${later}`, ...patchLines(difference).map((line) => `  ${line}`)].join("\n"));
    return code;
  };
}

function replace([file = ""]: readonly string[], values: Values): AdminAction {
  const headers = ifMatch(values);
  return async (client) => {
    const body = await readObject(file, "configuration");
    const response = await client.json({ method: "PUT", path: `/config${queryOf(insistence(values))}`, body, headers });
    readAs(client, doneSchema, response);
    return await told(values, response, "replaced; turnpike persist writes it to the file");
  };
}

function diagnosticText({ path, message }: Diagnostic): string {
  return visibleText(path === "" ? message : `${path}: ${message}`);
}
