import { Deadline } from "../../../lib/time/timer-wheel.ts";
import { VERSION } from "../../../lib/process/version.ts";
import { type UpstreamConfig } from "../../config/config.ts";
import { type Endpoint } from "../../wire/tcp.ts";
import { type DialSettings } from "../dial.ts";
import { serverKey } from "../member.ts";
import { type UpstreamProtocol } from "../server-pool.ts";
import { Ask, type AskDeps, type Reply } from "./ask.ts";
import { type ProbeReason } from "../probe-reason.ts";

/** The numbers of probe results in a row that change the state of a server. */
interface HealthThresholds {
  readonly healthyThreshold: number;
  readonly unhealthyThreshold: number;
}

/**
 * The health of a server as its probes show it. A server is healthy at first.
 *
 *   healthy ── unhealthyThreshold failures in a row ──▶ unhealthy
 *      ▲                                                   │
 *      └──────── healthyThreshold successes in a row ──────┘
 */
class HealthState {
  healthy: boolean;
  readonly #thresholds: HealthThresholds;
  /** The number of results in a row that contradict the state. */
  #against = 0;

  constructor(thresholds: HealthThresholds, healthy = true) {
    this.#thresholds = thresholds;
    this.healthy = healthy;
  }

  /** Takes the result of a probe. Returns true if it changes the state. */
  record(success: boolean): boolean {
    if (success === this.healthy) {
      this.#against = 0;
      return false;
    }
    const { healthyThreshold, unhealthyThreshold } = this.#thresholds;
    if (++this.#against < (success ? healthyThreshold : unhealthyThreshold)) return false;
    this.#against = 0;
    this.healthy = success;
    return true;
  }
}

/** Bytes of a probe's response that are searched for `expected_body`. */
const MAX_PROBE_BODY_BYTES = 65_536;
/** Attempts to connect to one server that still hang. At this number, a probe fails without another. */
const MAX_HANGING = 4;

type HealthCheckConfig = NonNullable<UpstreamConfig["health_check"]>;

/** A server to probe, and the settings for its probes. */
export interface CheckedServer {
  readonly upstream: string;
  readonly slot: number;
  readonly endpoint: Endpoint;
  readonly check: HealthCheckConfig;
  readonly dial: DialSettings;
  readonly protocol: UpstreamProtocol;
}

/** Decides when a server's probe may run, and receives its result. */
export interface CheckRunner {
  readonly deps: AskDeps;
  /** A probe is due. The runner calls `run` now, or as soon as there is room. */
  due(check: ServerCheck): void;
  /** A probe has ended, and the next one may be planned. `changed`: the server's state has changed. */
  probed(check: ServerCheck, changed: boolean): void;
}

/** The probes of one server, which run one at a time. */
export class ServerCheck extends Deadline {
  readonly server: CheckedServer;
  readonly state: HealthState;
  /** The reason why the last probe failed; undefined if it did not. */
  reason: ProbeReason | undefined;
  /** The wheel time at which the last probe began. */
  beganAt = 0;
  /** Unix milliseconds since when the server is healthy, or is not. */
  since: number;
  readonly #runner: CheckRunner;
  #ask: Ask | undefined;
  #hanging = 0;

  constructor(
    server: CheckedServer,
    runner: CheckRunner,
    { healthy, since }: { readonly healthy: boolean; readonly since: number },
  ) {
    super();
    this.server = server;
    this.#runner = runner;
    this.since = since;
    const { healthy_threshold: healthyThreshold, unhealthy_threshold: unhealthyThreshold } = server.check;
    this.state = new HealthState({ healthyThreshold, unhealthyThreshold }, healthy);
  }

  override onDeadline(): void {
    this.#runner.due(this);
  }

  run(): void {
    this.beganAt = this.#runner.deps.wheel.now();
    if (this.#hanging >= MAX_HANGING) {
      this.#done("timeout");
      return;
    }
    const { endpoint, check, dial, protocol } = this.server;
    const question = {
      endpoint,
      dial,
      protocol,
      host: hostOf(endpoint, dial),
      path: check.path,
      fields: `User-Agent: turnpike/${VERSION} (health check)\r\nAccept: */*\r\n${dial.credential ?? ""}`,
      timeoutMs: check.timeout_ms,
      maxBodyBytes: MAX_PROBE_BODY_BYTES,
    };
    this.#hanging++;
    this.#ask = new Ask(question, this.#runner.deps, (reply) => this.#done(verdict(reply, check)));
    void this.#ask.connected.then(() => this.#hanging--);
  }

  /** Cancels the probe that is under way, and plans no other. */
  stop(): void {
    this.#runner.deps.wheel.remove(this);
    this.#ask?.cancel();
    this.#ask = undefined;
  }

  #done(reason: ProbeReason | undefined): void {
    this.#ask = undefined;
    this.reason = reason;
    this.#runner.probed(this, this.state.record(reason === undefined));
  }
}

/** The reason why a response fails the probe; undefined if it passes. */
function verdict(reply: Reply, check: HealthCheckConfig): ProbeReason | undefined {
  if (reply.kind === "failure") return reply.reason;
  if (reply.status !== check.expected_status) return "status";
  if (check.expected_body !== undefined && !reply.body.includes(check.expected_body)) return "body";
  return undefined;
}

/** The `Host` of a probe: the server name for TLS, else the address, without the scheme's default port. */
function hostOf(endpoint: Endpoint, { tls }: DialSettings): string {
  if ("unix" in endpoint) return "localhost";
  const { port } = endpoint;
  const address = tls === undefined || tls.serverName === "" ? endpoint.address : tls.serverName;
  const text = serverKey({ address, port });
  return port === (tls === undefined ? 80 : 443) ? text.slice(0, text.lastIndexOf(":")) : text;
}
