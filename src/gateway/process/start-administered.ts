import { OptionalAdmin } from "../admin/optional-admin.ts";
import { countedLine, RepeatedLines } from "../telemetry/repeated-lines.ts";
import { AuditFile } from "../admin/events/audit-file.ts";
import { EventLog } from "../admin/events/event-log.ts";
import { type OpenedConfig } from "../admin/running-config/config-source.ts";
import { cpus } from "node:os";
import { type Config } from "../config/config.ts";
import { OptionalKeeper } from "../acme/optional-keeper.ts";
import { openConfiguredCertificates } from "../../store/open/configured-store.ts";
import { readPair } from "../wire/read-certificates.ts";
import { readAcme } from "./listeners/certificates.ts";
import { type Gateway, type GatewayOptions } from "./gateway/gateway-interface.ts";
import { firstShare, shareOf } from "./gateway/take-over.ts";
import { AdminViews } from "./admin-views.ts";
import { AdministeredGateway, auditPath } from "./administered-gateway.ts";

/** Milliseconds that a start waits for the first certificates. */
const FIRST_CERTIFICATES_MS = 10_000;

export interface AdministeredOptions extends Omit<GatewayOptions, "config" | "events"> {
  /** The gateway runs in one process, whatever the configuration says. */
  readonly isSingle?: true;
  /** The Unix socket of this program's content service; left out without one. */
  readonly contentSocket?: string;
  /** Called with the URL of the admin interface when that has changed, or with undefined before it goes off. Never throws. */
  readonly onAdminMoved?: (url: string | undefined) => void;
}

/** The log of a server: repeated lines are counted, and `events` has the same lines as `print`. */
function countingLog(print: (line: string) => void, events: EventLog): GatewayOptions["log"] {
  const lines = new RepeatedLines((text, repeats) => {
    const line = countedLine(text, repeats);
    print(line);
    events.addLine(line, repeats.worker);
  });
  return (text, count, worker) => lines.add(text, count, worker);
}

/** Starts a gateway by a configuration without problems. Rejects if that fails; then nothing stays bound. */
export async function startAdministered(
  opened: OpenedConfig,
  given: AdministeredOptions,
): Promise<AdministeredGateway> {
  const { config } = opened.loaded;
  if (config === undefined) throw new Error("Cannot start: the configuration has problems");
  const events = new EventLog();
  const options = { ...given, log: countingLog(given.log, events) };
  const { log } = options;
  const admin = createAdmin(events, log);
  const audit = new AuditFile(events, log);
  const keeper = createKeeper(config.postgres, options, events);
  try {
    await audit.use(auditPath(config));
    // The admin port is bound before there are workers, so that a port in use fails early. The interface responds 503
    // until all is ready.
    const share = firstShare(config, options.takesOver);
    const started = shareOf(config, share);
    await admin.prepare(started);
    admin.loaded?.commit(started);
    const workers = options.isSingle === true ? 1 : config.server.workers || cpus().length;
    const isSingle = options.isSingle === true || config.server.workers === 1;
    const settings = readAcme(config, process.env);
    const issued = await keeper.prepare(settings);
    const gateway = await (await starter(isSingle))({
      ...options,
      config: started,
      issued,
      events,
      awaitsAdmin: config.admin.enabled,
    });
    const { onAdminMoved = ignore } = options;
    if (issued !== undefined) keeper.loaded?.use(settings, issued, gateway);
    const views = createViews(gateway, options, config.postgres);
    const parts = { opened, gateway, admin, events, audit, views, workers, keeper, onAdminMoved };
    const administered = new AdministeredGateway({ ...parts, config, share, log });
    // Clients that learn of the listeners afterwards find certificates, if the directory is fast. The gateway is ready
    // meanwhile, because a directory may reach it through a balancer that asks.
    if (issued !== undefined) await keeper.loaded?.attempted(FIRST_CERTIFICATES_MS);
    return administered;
  } catch (error) {
    await keeper.loaded?.close();
    await admin.loaded?.close();
    await audit.close();
    throw error;
  }
}

// The functions below are outside `startAdministered`: functions made in it would keep the configuration at the start in
// memory.

function ignore(): void {}

function createAdmin(events: EventLog, log: (message: string) => void): OptionalAdmin {
  return new OptionalAdmin({
    environment: process.env,
    readCertificate: ({ cert_path, key_path }) => readPair({ cert_path, key_path }),
    onEvent: (event) => events.add(event),
    onError: (error) =>
      log(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`),
  });
}

function createViews(
  { figures }: Gateway,
  { storePath, log, contentSocket }: AdministeredOptions,
  postgres: Config["postgres"],
): AdminViews {
  return new AdminViews({ figures, storePath, postgres, startedAtMs: Date.now(), contentSocket, log });
}

function createKeeper(
  postgres: Config["postgres"],
  { storePath, log }: AdministeredOptions,
  events: EventLog,
): OptionalKeeper {
  return new OptionalKeeper({
    open() {
      if (storePath === ":memory:" && (postgres.url ?? "") === "") {
        throw new Error("Cannot get certificates by tls.acme: there is no folder for them; set state_path");
      }
      return openConfiguredCertificates(postgres, storePath);
    },
    clock: Date.now,
    random: Math.random,
    log,
    onEvent: (event) => events.add(event),
  });
}

/** A supervisor does not serve, a single process does not supervise: each loads its own modules (bench start). */
async function starter(isSingle: boolean): Promise<(options: GatewayOptions) => Promise<Gateway>> {
  return isSingle
    ? (await import("./gateway/gateway.ts")).startGateway
    : (await import("./workers/supervisor.ts")).superviseGateway;
}
