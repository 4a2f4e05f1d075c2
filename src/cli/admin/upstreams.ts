import {
  deletedUpstream,
  type ListedUpstreams,
  listedUpstreams,
  type ServerFigures,
} from "../../gateway/admin/shapes/common.ts";
import { type Column } from "../common/table.ts";
import { visibleText } from "../../lib/text/visible-text.ts";
import { UsageError } from "../common/usage-error.ts";
import { type AdminClient, pathOf } from "./admin-client.ts";
import {
  type AdminAction,
  type AdminCommand,
  doneSchema,
  IF_MATCH,
  readAs,
  showForm,
  STRICT,
  tableText,
  textFlag,
  told,
  type Values,
} from "./admin-command.ts";
import { itemForms } from "./item-forms.ts";
import { ageText } from "../../lib/time/age-text.ts";
import { type FlagTable, flagTable } from "../common/flags.ts";
import { pollUntil } from "../../lib/time/poll-until.ts";

const FLAGS = {
  ...flagTable({ "wait S": "wait until a drained server has no request in flight, S seconds at most" }),
  ...IF_MATCH,
  ...STRICT,
} as const satisfies FlagTable;

interface ServerRow {
  readonly upstream: string;
  readonly balancer: string;
  readonly server: ServerFigures | undefined;
  /** The routes that name it; undefined unless it is deleted. */
  readonly waiting: readonly string[] | undefined;
}

/** `now` is in Unix milliseconds. */
const columnsAt = (now: number): readonly Column<ServerRow>[] => [
  { title: "UPSTREAM", cell: ({ upstream }) => upstream },
  { title: "BALANCER", cell: ({ balancer }) => balancer },
  { title: "SERVER", cell: ({ server, waiting }) => server?.server ?? (waiting ? "(deleted)" : "(none)") },
  { title: "HEALTH", cell: ({ server }) => server?.health ?? "" },
  { title: "ROTATION", cell: rotationText },
  { title: "IN FLIGHT", cell: ({ server }) => text(server?.requests_in_flight), right: true },
  { title: "CONNECTIONS", cell: ({ server }) => text(server?.connections), right: true },
  { title: "FAILURES", cell: ({ server }) => text(server?.failures), right: true },
  { title: "REASON", cell: (row) => reasonText(row, now), short: (row) => reasonText(row, now, MAX_NAMED) },
];

/** Routes that wait for a deleted upstream, in a line of a terminal. */
const MAX_NAMED = 5;

/** Milliseconds between two checks of a draining server, and the maximum of `--wait` in seconds. */
const LOOK_MS = 200;
const MAX_WAIT_S = 86_400;

const list = showForm("/upstreams", listedUpstreams, (data, now) =>
  tableText<ServerRow>(columnsAt(now), rowsOf(data), "no upstreams"),
);
const SERVER = ["NAME", "SERVER"];

/** `turnpike upstreams`: lists, adds, changes and removes upstreams of a running gateway, and drains servers. */
export const UPSTREAMS: AdminCommand = {
  about: "Lists and changes the upstreams of a running gateway, and drains their servers.",
  notes:
    "A change is in memory until turnpike persist. That a server is drained is not written to the file, and it outlasts reloads.",
  flags: FLAGS,
  forms: {
    list: { about: "list every server, with its health", ...list },
    ...itemForms({
      noun: "upstream",
      word: "NAME",
      flags: ["if-match", "strict"],
      afterRemoval: gapText,
      gap: "; routes that name it respond with 503 until it is added again",
    }),
    drain: {
      about: "send no new requests to SERVER (its name in the list); requests in flight end normally",
      words: SERVER,
      flags: ["wait"],
      read: (words, values) => drain("drain", words, values),
    },
    undrain: {
      about: "send requests to SERVER again",
      words: SERVER,
      read: (words, values) => drain("undrain", words, values),
    },
  },
};

function gapText(client: AdminClient, response: unknown): string {
  const { waiting } = readAs(client, deletedUpstream, response);
  return waiting.length === 0 ? "" : `; until it is added again, ${waitingText(waiting, MAX_NAMED)}`;
}

function rowsOf({ upstreams: all }: ListedUpstreams): ServerRow[] {
  return all.flatMap(({ name, load_balancer: balancer, servers, waiting }) =>
    (servers.length === 0 ? [undefined] : servers).map((server) => ({ upstream: name, balancer, server, waiting })),
  );
}

function drain(
  form: "drain" | "undrain",
  [upstream = "", server = ""]: readonly string[],
  values: Values,
): AdminAction {
  const path = pathOf("upstreams", upstream, "servers", server, form);
  const waitMs = waitOf(textFlag(values, "wait"));
  return async (client) => {
    const response = await client.json({ method: "POST", path });
    readAs(client, doneSchema, response);
    const done = form === "drain" ? "drained" : "back in rotation";
    if (waitMs === undefined) return await told(values, response, `${server} of ${upstream} is ${done}`);
    const left = await untilIdle(client, { upstream, server }, waitMs);
    if (left > 0) throw new Error(`${server} of ${upstream} is drained, and still has ${left} requests in flight`);
    return await told(values, response, `${server} of ${upstream} is drained, and has no request in flight`);
  };
}

function waitOf(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  const value = /^\d{1,5}$/.test(seconds) ? Number(seconds) : MAX_WAIT_S + 1;
  if (value <= MAX_WAIT_S) return value * 1000;
  throw new UsageError(`--wait "${seconds}" is not a number of seconds up to ${MAX_WAIT_S}`);
}

/** Waits until a server has no requests in flight, or for the time. Returns their number; 0 if it was removed. */
async function untilIdle(
  client: AdminClient,
  { upstream, server }: { readonly upstream: string; readonly server: string },
  waitMs: number,
): Promise<number> {
  let left = 0;
  const isIdle = async (): Promise<boolean> => {
    const response = readAs(client, listedUpstreams, await client.json({ path: "/upstreams" }));
    const found = response.upstreams.find(({ name }) => name === upstream);
    left = found?.servers.find((member) => member.server === server)?.requests_in_flight ?? 0;
    return left === 0;
  };
  await pollUntil(isIdle, { everyMs: LOOK_MS, mostMs: waitMs });
  return left;
}

function rotationText({ server }: ServerRow): string {
  if (server === undefined) return "";
  if (server.drained) return "drained";
  return server.in_rotation ? "in" : "out";
}

function waitingText(waiting: readonly string[], most: number): string {
  const more = waiting.length > most ? `, and ${waiting.length - most} more` : "";
  return `503 for ${visibleText(waiting.slice(0, most).join(", "))}${more}`;
}

function reasonText({ server, waiting }: ServerRow, now: number, most = Infinity): string {
  if (waiting !== undefined) return waitingText(waiting, most);
  if (server === undefined || server.reason === "") return "";
  const at = server.last_failure_ms;
  return at === undefined ? server.reason : `${server.reason} (${ageText(now - at)} ago)`;
}

function text(value: number | undefined): string {
  return value === undefined ? "" : String(value);
}
