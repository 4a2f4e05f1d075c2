import { type JobList, type ListedJob } from "../api/shapes.ts";
import { decimal } from "../format/money.ts";
import { count, NONE } from "../format/numbers.ts";
import { useResource } from "../live/resource.ts";
import { askToCall } from "../parts/ask.tsx";
import { agoCell, Badge, Head, Panel, type Tone } from "../parts/bits.tsx";
import { Button } from "../parts/button.tsx";
import { ShortHex } from "../parts/payment-bits.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, numberColumn, Table } from "../parts/table.tsx";
import { Token } from "../parts/token.tsx";

const READ_MS = 3_000;
/** Reasons for which pages were not delivered that a row names. */
const MOST_KINDS = 4;

const TONES: Readonly<Record<string, Tone>> = {
  running: "accent",
  completed: "good",
  cancelled: "warn",
  failed: "bad",
};

/** The jobs of the content service: crawls, and batches of many pages. */
export function Jobs() {
  const jobs = useResource<JobList>("/v1/jobs", { everyMs: READ_MS, on: ["job"] });
  return (
    <>
      <Head title="Jobs" lead="Crawls and large batches, which go on after the response to their request." />
      <Loaded resource={jobs}>
        {(list) =>
          list.available ? (
            <Panel title="Newest jobs" isFlush>
              <JobTable jobs={list.jobs} onChange={jobs.reload} />
            </Panel>
          ) : (
            <Empty title="The jobs cannot be read">{list.reason}</Empty>
          )
        }
      </Loaded>
    </>
  );
}

interface JobTableProps {
  readonly jobs: readonly ListedJob[];
  readonly onChange: () => void;
}

function JobTable({ jobs, onChange }: JobTableProps) {
  const columns: readonly Column<ListedJob>[] = [
    {
      name: "Job",
      cell: (job) => (
        <span>
          {nameOf(job)}
          <br />
          <span class="soft">
            {job.operation} <code>{job.id.slice(0, 8)}</code>
            {job.payer === "" ? null : (
              <>
                {" "}
                of <ShortHex text={job.payer} />
              </>
            )}
          </span>
        </span>
      ),
    },
    {
      name: "State",
      sort: ({ state }) => state,
      cell: ({ state, reason }) => (
        <span>
          <Badge tone={TONES[state] ?? "none"}>{state}</Badge> {reason}
        </span>
      ),
    },
    numberColumn(
      "Pages",
      ({ delivered }) => delivered,
      (delivered, { limit, waiting }) => (
        <span title={`${count(waiting)} addresses wait`}>
          {count(delivered)} of {count(limit)}
        </span>
      ),
    ),
    numberColumn("Failed", ({ failed }) => failed),
    { name: "Not delivered", cell: (job) => kindsText(job) },
    { name: "Paid", isNumber: true, cell: ({ cost }) => <Cost cost={cost} /> },
    numberColumn("Started", (job) => Date.parse(job.created_at), agoCell),
  ];
  return (
    <Table
      caption="Jobs"
      rows={jobs}
      keyOf={({ id }) => id}
      columns={columns}
      actions={(job) =>
        job.state === "running" ? (
          <Button label="Cancel" of={nameOf(job)} kind="small danger" onClick={() => cancel(job, onChange)} />
        ) : null
      }
      empty={
        <Empty title="No jobs">
          <code>turnpike call crawl URL</code> starts one. A job is listed until its results expire.
        </Empty>
      }
    />
  );
}

function nameOf({ start, starts, id }: ListedJob): string {
  const name = start === "" ? id : start;
  return starts > 1 ? `${name} and ${count(starts - 1)} more` : name;
}

function kindsText({ not_delivered: kinds }: ListedJob): string {
  const sorted = Object.entries(kinds).toSorted(([, a], [, b]) => b - a);
  const texts = sorted.slice(0, MOST_KINDS).map(([kind, times]) => `${kind} ${count(times)}`);
  const rest = sorted.length - texts.length;
  return texts.length === 0 ? NONE : [...texts, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** The paid amount and its transaction, with the most that a job costs in its tooltip; nothing if its request was paid, or is free. */
function Cost({ cost }: Pick<ListedJob, "cost">) {
  if (cost === undefined) return <>{NONE}</>;
  const { paid, quote, decimals, transaction } = cost;
  return (
    <span title={`of at most ${decimal(quote, decimals)}`}>
      {decimal(paid, decimals)} <Token {...cost} />
      {transaction === undefined ? null : (
        <>
          <br />
          <span class="soft">
            <ShortHex text={transaction} />
          </span>
        </>
      )}
    </span>
  );
}

function cancel(job: ListedJob, onChange: () => void): void {
  askToCall({
    title: "Cancel this job?",
    action: "Cancel job",
    body: (
      <p>
        The job of <code>{nameOf(job)}</code> loads no further pages. Its results stay, and pages that were delivered
        are charged.
      </p>
    ),
    path: `/v1/jobs/${encodeURIComponent(job.id)}`,
    done: "The job is cancelled.",
    onChange,
  });
}
