import { resolve } from "node:path";
import { type JobState } from "../../../client/operations.ts";
import { TurnpikeProblem } from "../../../client/turnpike-error.ts";
import { messageOf } from "../../../lib/caught.ts";
import { readJsonResponse } from "../../../lib/http/response-bytes.ts";
import { sendPaid } from "../../../payments/client/send-paid.ts";
import { visibleJson } from "../../../lib/text/visible-text.ts";
import { atBoundary } from "../../common/boundary.ts";
import { flagsText, flagTable, parseFlags } from "../../common/flags.ts";
import { writeStandard } from "../../common/standard-output.ts";
import { alignedTable, type Column, detailList, tabTable } from "../../common/table.ts";
import { say } from "../../common/terminal.ts";
import { fetchTrusting } from "../../common/trust.ts";
import { timeText } from "../../common/units.ts";
import { unknownSubcommand, UsageError } from "../../common/usage-error.ts";
import { followJob, jobOf } from "./follow-job.ts";
import { describeFailure } from "../../common/paid-response.ts";
import { costText } from "./job-text.ts";
import { idOf, type KeptJob, KeptJobs, type OrderedJob, startedJobOf } from "./kept-jobs.ts";
import { refuseUsed, standardSink } from "./result-sink.ts";

const FLAGS = flagTable({
  "o, out PATH":
    "resume: a new folder for the pages, or a new file with a line of JSON for each result if it ends in .ndjson",
  "after N": "results, resume: only results with larger numbers (0)",
  json: "print JSON",
  "ca FILE": "trust this CA too, or this self-signed certificate",
});

const USAGE = `usage: turnpike jobs [list] [--json] [--ca FILE]
       turnpike jobs show ID [--json] [--ca FILE]
       turnpike jobs results ID [--after N] [--json] [--ca FILE]
       turnpike jobs resume ID [--out PATH] [--after N] [--json] [--ca FILE]
       turnpike jobs cancel ID [--json] [--ca FILE]
       turnpike jobs forget ID ...

The jobs that "turnpike call crawl" and "turnpike call batch" have started. The first letters of an ID are enough.

  list      list them with their states (also without a subcommand)
  show      print the state of one
  results   print the results that it has
  resume    write its results, until it ends, where they were written before; if the gateway's response to a paid order did
            not come ("no response"), send the same order again, which the gateway does not charge twice
  cancel    cancel it; its results stay
  forget    remove it from the list, with the secret that gives access to it

${flagsText(FLAGS)}

The list is in $TURNPIKE_HOME or ~/.turnpike, readable only by its owner. These requests are free.`;

type Values = ReturnType<typeof parse>["values"];

/** Jobs whose states are asked for at one time. */
const PARALLEL = 8;
/** Milliseconds for which the list waits for the state of a job. @bound */
const MAX_STATE_MS = 10_000;

function parse(args: readonly string[]) {
  const { values, positionals } = parseFlags(args, FLAGS);
  const [command = "list", ...ids] = positionals;
  if (values.after !== undefined && !/^\d{1,15}$/.test(values.after))
    throw new UsageError("--after takes a whole number");
  return { command, ids, values };
}

/** `turnpike jobs`: the jobs of this user. Returns 0 done, 1 failed, 2 wrong usage, 130 after Ctrl-C. */
export function jobs(args: readonly string[]): Promise<number> {
  return atBoundary(USAGE, async () => {
    const { command, ids, values } = parse(args);
    const [id, ...more] = ids;
    if (command === "list" && id !== undefined) throw new UsageError(`Unexpected argument "${id}"`);
    if (command === "list") return await list(values);
    if (command === "forget" && id !== undefined) return forget(ids);
    const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (run === undefined && command !== "forget")
      throw unknownSubcommand(command, ["list", ...Object.keys(COMMANDS), "forget"]);
    if (run === undefined || id === undefined || more.length > 0)
      throw new UsageError(`${command} takes the ID of one job`);
    const kept = new KeptJobs().find(id);
    if ("job" in kept) return await run(kept, values);
    if (command === "resume") return await run(await confirmed(kept, values), values);
    throw new UsageError(`The gateway's response did not come: turnpike jobs resume ${kept.order.id}`);
  });
}

/** Sends a paid request again, whose response was lost. The gateway does not take the payment twice. */
async function confirmed(ordered: OrderedJob, { ca }: Values): Promise<KeptJob> {
  const { order, ...about } = ordered;
  const { url, headers, body } = order;
  const send = fetchTrusting(ca);
  const init = { method: "POST", headers, body, redirect: "manual" } as const;
  const { response } = await sendPaid(() => send(url, init));
  if (!response.ok) {
    const paid = { response, choice: undefined, receipt: undefined, isOpen: false, isFree: false };
    throw new Error(`${await describeFailure(paid)}\nturnpike jobs forget ${order.id} removes the order`);
  }
  const all = new KeptJobs();
  const kept = all.keep({ ...about, job: startedJobOf(await readJsonResponse(response)) });
  all.forget(ordered);
  return kept;
}

const COMMANDS: Readonly<Record<string, (kept: KeptJob, values: Values) => Promise<number>>> = {
  show: async (kept, { json, ca }) => await print(kept, await jobOf(kept, fetchTrusting(ca)).state(), json),
  cancel: async (kept, { json, ca }) => await print(kept, await jobOf(kept, fetchTrusting(ca)).cancel(), json),
  results,
  resume,
};

async function results(kept: KeptJob, { after, json, ca }: Values): Promise<number> {
  const job = jobOf(kept, fetchTrusting(ca));
  const sink = standardSink({ json: json === true }, say);
  for (let from: number | undefined = Number(after ?? 0); from !== undefined; ) {
    const page = await job.ready({ after: from });
    for (const result of page.results) await sink.put(result);
    from = page.next;
  }
  return 0;
}

async function resume(kept: KeptJob, { out, after, json, ca }: Values): Promise<number> {
  const path = out === undefined ? kept.out : resolve(out);
  const goesOn = path === kept.out;
  if (path !== undefined && (json === true || after !== undefined))
    throw new UsageError("--json and --after are for results on standard output");
  if (path !== undefined && !goesOn) refuseUsed(path);
  const now = path === undefined ? kept : { ...kept, out: path };
  if (!goesOn) new KeptJobs().keep(now);
  return await followJob(now, fetchTrusting(ca), { goesOn, json: json === true, after: Number(after ?? 0) });
}

function forget(ids: readonly string[]): number {
  const kept = new KeptJobs();
  for (const id of ids) kept.forget(kept.find(id));
  return 0;
}

interface JobRow {
  readonly kept: KeptJob | OrderedJob;
  readonly state: JobState | undefined;
  /** `running`, or why the state is not known. */
  readonly text: string;
}

const COLUMNS: readonly Column<JobRow>[] = [
  { title: "ID", cell: ({ kept }) => idOf(kept), short: ({ kept }) => idOf(kept).slice(0, 8) },
  { title: "STATE", cell: ({ text }) => text },
  {
    title: "PAGES",
    cell: ({ state }) => (state === undefined ? "-" : `${state.delivered}/${state.limit}`),
    right: true,
  },
  { title: "FAILED", cell: ({ state }) => String(state?.failed ?? "-"), right: true },
  { title: "STARTED", cell: ({ kept }) => timeText(kept.started_at) },
  { title: "JOB", cell: ({ kept }) => kept.what },
];

async function list({ json, ca }: Values): Promise<number> {
  const send = fetchTrusting(ca);
  const kept = new KeptJobs().list();
  const rows: JobRow[] = [];
  for (let at = 0; at < kept.length; at += PARALLEL)
    rows.push(...(await Promise.all(kept.slice(at, at + PARALLEL).map((one) => rowOf(one, send)))));
  if (json === true) {
    const all = rows.map(({ kept: one, state, text }) => ({
      id: idOf(one),
      gateway: one.gateway,
      what: one.what,
      ...(one.out === undefined ? {} : { out: one.out }),
      ...(state ?? { state: text }),
    }));
    await writeStandard(`${visibleJson(all, 2)}\n`);
  } else if (rows.length === 0) say("no jobs");
  else await writeStandard(process.stdout.isTTY ? alignedTable(COLUMNS, rows) : tabTable(COLUMNS, rows));
  return 0;
}

async function rowOf(kept: KeptJob | OrderedJob, send: ReturnType<typeof fetchTrusting>): Promise<JobRow> {
  if (!("job" in kept)) return { kept, state: undefined, text: "no response" };
  try {
    const state = await jobOf(kept, send).state(AbortSignal.timeout(MAX_STATE_MS));
    return { kept, state, text: state.state };
  } catch (error) {
    const isGone = error instanceof TurnpikeProblem && error.status === 404;
    return { kept, state: undefined, text: isGone ? "gone" : `unknown: ${messageOf(error)}` };
  }
}

async function print(kept: KeptJob, state: JobState, json: boolean | undefined): Promise<number> {
  if (json === true) {
    await writeStandard(`${visibleJson(state, 2)}\n`);
    return 0;
  }
  const { not_delivered: kinds, cost, ...counts } = state;
  const pairs = Object.entries({
    job: kept.what,
    gateway: kept.gateway,
    out: kept.out,
    ...counts,
    paid: costText(cost),
  });
  for (const [kind, count] of Object.entries(kinds)) pairs.push([`not delivered: ${kind}`, count]);
  await writeStandard(
    detailList(
      pairs.flatMap(([name, value]) =>
        value === undefined
          ? []
          : [[name.replaceAll("_", " "), typeof value === "object" ? JSON.stringify(value) : String(value)] as const],
      ),
    ),
  );
  return 0;
}
