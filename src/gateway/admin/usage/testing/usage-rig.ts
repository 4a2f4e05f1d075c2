import { SharedZone } from "../../../../lib/memory/shared-zone.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { zoneShape } from "../../../telemetry/metrics/layout.ts";
import { UpstreamCounters } from "../../../telemetry/upstream-usage.ts";
import { UsageCounters } from "../../../telemetry/usage.ts";
import { type UsageReading } from "../../shapes/usage.ts";

/** For tests only: any number of workers that count into one zone. */
export class Counters {
  readonly zone: SharedZone;
  #requests = 0;

  constructor(workers = 2) {
    this.zone = SharedZone.local(zoneShape(workers));
  }

  /** Counts `times` requests of a consumer at a worker, each with 1 byte received and 10 bytes sent. */
  count(consumer: string, times = 1, worker = 1, route = "/"): void {
    const counter = new UsageCounters(this.zone, worker).route(route);
    const upstream = new UpstreamCounters(this.zone, worker).upstream("origin");
    for (let i = 0; i < times; i++) {
      // The only members that the counters read.
      counter.count({ isAuthorized: true, consumer, status: 200, bytesReceived: 1, bytesSent: 10 } as Exchange);
      upstream.requested();
      upstream.responded(200);
      upstream.carried(1, 10);
    }
    this.#requests += times;
  }

  /** All counted requests. */
  get requests(): number {
    return this.#requests;
  }
}

/** Requests of one consumer, or of all consumers. */
export function requestsOf({ body }: UsageReading, name?: string): number {
  const own = body.consumers.filter((consumer) => name === undefined || consumer.name === name);
  return own.reduce((sum, { requests }) => sum + requests, 0);
}
