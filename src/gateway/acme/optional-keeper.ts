import { type CertificateKeeper, type KeeperDeps, type Shown } from "./keeper.ts";
import { type Issued } from "./issued.ts";
import { type AcmeSettings } from "./settings.ts";

/** The `CertificateKeeper` of a gateway. It is loaded when a configuration first has `tls.acme` (bench start). */
export class OptionalKeeper {
  readonly #deps: KeeperDeps;
  #keeper: CertificateKeeper | undefined;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  async prepare(settings: AcmeSettings | undefined): Promise<Issued | undefined> {
    if (settings !== undefined) this.#keeper ??= await this.#load();
    return await this.#keeper?.prepare(settings);
  }

  use(settings: AcmeSettings | undefined, issued: Issued, shown: Shown): void {
    this.#keeper?.use(settings, issued, shown);
  }

  get pairs(): Issued["pairs"] {
    return this.#keeper?.pairs ?? [];
  }

  async attempted(ms: number): Promise<void> {
    await this.#keeper?.attempted(ms);
  }

  async close(): Promise<void> {
    await this.#keeper?.close();
  }

  async #load(): Promise<CertificateKeeper> {
    const keepers = await import("./keeper.ts");
    return new keepers.CertificateKeeper(this.#deps);
  }
}
