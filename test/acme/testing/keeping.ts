/** A certificate keeper in the test's own process, with a listener for HTTP-01 challenges. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpResponse } from "../../../src/gateway/acme/challenges.ts";
import { type Issued, NOTHING_ISSUED } from "../../../src/gateway/acme/issued.ts";
import { CertificateKeeper, type KeeperDeps } from "../../../src/gateway/acme/keeper.ts";
import { type AcmeSettings } from "../../../src/gateway/acme/settings.ts";
import { configSchema } from "../../../src/gateway/config/config.ts";
import { readAcme } from "../../../src/gateway/process/listeners/certificates.ts";
import { type NewEvent } from "../../../src/gateway/telemetry/event.ts";
import { FileCertificates } from "../../../src/store/file-certificates.ts";
import { until } from "../../support/program.ts";
import { type TestDirectory } from "./test-directory.ts";

export interface KeepingOptions {
  readonly directory: Pick<TestDirectory, "url" | "caPath">;
  /** The port at which the directory checks challenges. */
  readonly httpPort: number;
  /** Keys of `tls.acme`. */
  readonly acme: Readonly<Record<string, unknown>>;
  /** Absent: a temporary folder, removed at the end. */
  readonly folder?: string;
  readonly deps?: Partial<KeeperDeps>;
}

export class Keeping implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly events: NewEvent[] = [];
  readonly orders: string[] = [];
  readonly folder: string;
  readonly keeper: CertificateKeeper;
  issued: Issued = NOTHING_ISSUED;
  settings: AcmeSettings | undefined;
  readonly #own: boolean;
  #server: Bun.Server<undefined> | undefined;

  private constructor({ folder, deps }: KeepingOptions) {
    this.#own = folder === undefined;
    this.folder = folder ?? mkdtempSync(join(tmpdir(), "turnpike-keeping-"));
    const store = join(this.folder, "certificates");
    this.keeper = new CertificateKeeper({
      open: () => new FileCertificates(store, deps?.clock ?? Date.now),
      clock: Date.now,
      random: () => 0.5,
      log: (line) => void this.lines.push(line),
      onEvent: (event) => void this.events.push(event),
      ...deps,
    });
  }

  static async start(options: KeepingOptions): Promise<Keeping> {
    const keeping = new Keeping(options);
    const { httpPort } = options;
    keeping.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: httpPort,
      fetch: ({ url }) => new Response(httpResponse(keeping.issued.challenges, url.split("/").at(-1) ?? "") ?? "none"),
    });
    await keeping.use(settingsOf(options.directory, options.acme));
    return keeping;
  }

  async use(settings: AcmeSettings | undefined): Promise<void> {
    const issued = await this.keeper.prepare(settings);
    if (issued === undefined) return;
    this.issued = issued;
    this.settings = settings;
    this.keeper.use(settings, issued, {
      certify: async (next) => void (this.issued = next),
      counts: { add: (_metric, _amount, ...[result]) => void this.orders.push(String(result)), set() {} },
    });
  }

  /** Continues with these keys of `tls.acme`. */
  async change(keys: Partial<AcmeSettings["config"]>): Promise<void> {
    const { settings } = this;
    await this.use(settings && { ...settings, config: { ...settings.config, ...keys } });
  }

  /** Waits for a line of the log. */
  async says(pattern: RegExp): Promise<string> {
    return until(`${pattern} in ${JSON.stringify(this.lines)}`, () => this.lines.find((line) => pattern.test(line)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keeper.close();
    await this.#server?.stop(true);
    if (this.#own) rmSync(this.folder, { recursive: true, force: true });
  }
}

function settingsOf(directory: KeepingOptions["directory"], acme: object): AcmeSettings | undefined {
  const whole = { directory_url: directory.url, ca_path: directory.caPath, terms_agreed: true, ...acme };
  return readAcme(configSchema.parse({ tls: { acme: whole } }), process.env);
}
