import { type Job } from "../../store/jobs/job-store.ts";
import { stateOf } from "./job-state.ts";

/** The types of events: of the start of a job, of each result, and of each end. */
export const EVENT_TYPES = ["started", "page", "completed", "failed", "cancelled"] as const;

/** Something that happened in a job. Its start has the number 0, a result its own number, and the end the last one. */
export interface JobEvent {
  readonly number: number;
  readonly type: (typeof EVENT_TYPES)[number];
  /** The result, or the state of the job, as JSON text. */
  readonly data: string;
}

/** An event as JSON text. `more` are further members, as text that begins with a comma. */
export function eventText({ id }: Pick<Job, "id">, { number, type, data }: JobEvent, more = ""): string {
  return `{"number":${number},"type":"${type}","job":"${id}"${more},"data":${data}}`;
}

/** Whether it is the end of its job: the last event. */
export function isEnd({ type }: JobEvent): boolean {
  return type !== "started" && type !== "page";
}

/** The event of the start. It is the same whenever it is read. */
export function startOf({ limit, createdAt }: Job): JobEvent {
  return { number: 0, type: "started", data: JSON.stringify({ limit, created_at: new Date(createdAt).toISOString() }) };
}

/** The event of the end of a job that has ended. */
export function endOf(job: Job): JobEvent {
  const { state, results } = job;
  if (state === "running") throw new Error("Cannot tell the end of a job: it runs");
  return { number: results + 1, type: state, data: JSON.stringify(stateOf(job)) };
}
