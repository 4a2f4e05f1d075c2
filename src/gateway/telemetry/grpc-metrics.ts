import { add, COLUMN, GRPC_STATUSES } from "./metrics/layout.ts";
import { at, type Page, type Snapshot } from "./metrics/page.ts";

const OTHER = GRPC_STATUSES - 1;

/** Counts a gRPC call that has ended with this status. */
export function countGrpc(row: Float64Array, status: number): void {
  add(row, COLUMN.grpcResponses + (status < OTHER ? status : OTHER), 1);
}

/** Writes gRPC calls by their status. */
export function writeGrpc(page: Page, { totals }: Snapshot): void {
  page.metric(
    "turnpike_grpc_responses_total",
    "counter",
    "gRPC calls by status; 1 includes clients that left before the response.",
  );
  for (let status = 0; status < GRPC_STATUSES; status++) {
    page.sample(at(totals, COLUMN.grpcResponses + status), { code: status === OTHER ? "other" : status });
  }
}
