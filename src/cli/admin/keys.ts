import * as z from "zod";
import { type ListedKeys, listedKeys } from "../../gateway/admin/shapes/common.ts";
import { type FlagTable } from "../common/flags.ts";
import { type Column } from "../common/table.ts";
import { UsageError } from "../common/usage-error.ts";
import { pathOf, queryOf } from "./admin-client.ts";
import {
  type AdminCommand,
  callForm,
  doneSchema,
  FORCE,
  IF_MATCH,
  ifMatch,
  insistence,
  showForm,
  STRICT,
  tableText,
  textFlag,
  type Values,
} from "./admin-command.ts";
import { askOfOne, SELECTION } from "./routes.ts";

const FLAGS = { ...SELECTION, ...IF_MATCH, ...STRICT, ...FORCE } as const satisfies FlagTable;

const issuedSchema = doneSchema.extend({ key: z.string() });

type KeyRow = Omit<ListedKeys["routes"][number], "keys"> & {
  readonly number: number | "-";
  readonly owner: string;
};

const NO_KEY = { number: "-", owner: "(no key)" } as const;

const COLUMNS: readonly Column<KeyRow>[] = [
  { title: "PREFIX", cell: ({ path_prefix: prefix }) => prefix },
  { title: "HOST", cell: ({ host = "" }) => host },
  { title: "NAME", cell: ({ name = "" }) => name },
  { title: "NUMBER", cell: ({ number }) => String(number), right: true },
  { title: "OWNER", cell: ({ owner }) => owner },
];

const list = showForm("/keys", listedKeys, ({ routes }) => {
  const rows = routes.flatMap(({ keys, ...route }) =>
    (keys.length === 0 ? [NO_KEY] : keys).map((key) => ({ ...route, ...key })),
  );
  return tableText(COLUMNS, rows, "no route accepts API keys");
});

function queryFor(values: Values, more: Readonly<Record<string, string>> = {}): string {
  return queryOf({ ...more, host: textFlag(values, "host"), name: textFlag(values, "name"), ...insistence(values) });
}

/** `turnpike keys`: lists, issues and revokes the API keys of the routes of a running gateway. */
export const KEYS: AdminCommand = {
  about: "Lists, issues and revokes the API keys of the routes of a running gateway.",
  notes: "A change is in use when the command ends. It is in memory until turnpike persist.",
  flags: FLAGS,
  forms: {
    list: { about: "list the owners of all keys, by route", ...list },
    issue: callForm({
      about: "issue a key for the route of PREFIX; prints the key, which is not shown again",
      words: ["PREFIX", "OWNER"],
      flags: Object.keys(FLAGS),
      request: ([prefix = "", owner = ""], values) => ({
        method: "POST",
        path: pathOf("routes", prefix, "keys") + queryFor(values),
        body: JSON.stringify({ name: owner }),
        headers: ifMatch(values),
      }),
      send: askOfOne,
      schema: issuedSchema,
      text: ({ key }) => `${key}\n`,
    }),
    revoke: callForm({
      about: "revoke the key that the list shows with this number and this owner",
      words: ["PREFIX", "NUMBER", "OWNER"],
      flags: Object.keys(FLAGS),
      request([prefix = "", number = "", owner = ""], values) {
        if (!/^[1-9]\d{0,5}$/.test(number)) throw new UsageError(`"${number}" is not the number of a key`);
        const path = pathOf("routes", prefix, "keys", number) + queryFor(values, { owner });
        return { method: "DELETE", path, headers: ifMatch(values) };
      },
      send: askOfOne,
      schema: doneSchema,
      text: (_done, [, number = "", owner = ""]) => `revoked key ${number} of ${owner}`,
    }),
  },
};
