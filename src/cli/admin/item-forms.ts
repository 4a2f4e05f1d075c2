import { type AdminClient, type AdminRequest, pathOf, queryOf } from "./admin-client.ts";
import {
  doneSchema,
  type Form,
  ifMatch,
  insistence,
  readAs,
  readObject,
  textFlag,
  told,
  type Values,
} from "./admin-command.ts";

/** The kind of items that `add`, `change` and `remove` are about. */
export interface Items {
  readonly noun: "route" | "upstream";
  readonly word: string;
  readonly flags: readonly string[];
  /** Flags of `change` and `remove` that select one of several items. They are query parameters too. */
  readonly selection?: readonly string[];
  /** Sends a request for one item. It may explain the error of the gateway. */
  readonly send?: (client: AdminClient, request: AdminRequest, name: string) => Promise<unknown>;
  /** The effect of a removal on others, for the usage text. */
  readonly gap?: string;
  /** More text about a removed item. */
  readonly afterRemoval?: (client: AdminClient, response: unknown) => string;
}

/** The forms that add, change and remove items. */
export function itemForms(items: Items): Readonly<Record<"add" | "change" | "remove", Form>> {
  const { noun, word, flags, selection = [], gap = "", send = (client, request) => client.json(request) } = items;
  const pathFor = (name: string, values: Values): string => {
    const selected = Object.fromEntries(selection.map((flag) => [flag, textFlag(values, flag)]));
    return pathOf(`${noun}s`, name) + queryOf({ ...selected, ...insistence(values) });
  };
  return {
    add: {
      about: `add one: FILE has an object as in ${noun}s[] of a configuration; "-" is standard input`,
      words: ["FILE"],
      flags,
      read([file = ""], values) {
        const headers = ifMatch(values);
        return async (client) => {
          const body = await readObject(file, noun);
          const path = `/${noun}s${queryOf(insistence(values))}`;
          const response = await client.json({ method: "POST", path, body, headers });
          return await told(values, response, `added ${String(readAs(client, doneSchema, response)["created"])}`);
        };
      },
    },
    change: {
      about: `change the ${noun} ${word} by the keys in FILE; null removes a key (JSON merge patch)`,
      words: [word, "FILE"],
      flags: [...selection, ...flags],
      read([name = "", file = ""], values) {
        const path = pathFor(name, values);
        const headers = { "content-type": "application/merge-patch+json", ...ifMatch(values) };
        return async (client) => {
          const body = await readObject(file, noun);
          const response = await send(client, { method: "PATCH", path, body, headers }, name);
          readAs(client, doneSchema, response);
          return await told(values, response, `changed ${name}`);
        };
      },
    },
    remove: {
      about: `remove the ${noun} ${word}${gap}`,
      words: [word],
      flags: [...selection, ...flags],
      read([name = ""], values) {
        const path = pathFor(name, values);
        const headers = ifMatch(values);
        return async (client) => {
          const response = await send(client, { method: "DELETE", path, headers }, name);
          readAs(client, doneSchema, response);
          return await told(values, response, `removed ${name}${items.afterRemoval?.(client, response) ?? ""}`);
        };
      },
    },
  };
}
