import { type CertificateKeeper, type KeeperDeps } from "./keeper.ts";
import { type Issued } from "./issued.ts";
import { type AcmeSettings } from "./settings.ts";

/** The `CertificateKeeper` of a gateway. It is loaded when a configuration first has `tls.acme` (bench start). */
export class OptionalKeeper {
  readonly #deps: KeeperDeps;
  loaded: CertificateKeeper | undefined;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  async prepare(settings: AcmeSettings | undefined): Promise<Issued | undefined> {
    if (settings !== undefined) this.loaded ??= await this.#load();
    return await this.loaded?.prepare(settings);
  }

  async #load(): Promise<CertificateKeeper> {
    const keepers = await import("./keeper.ts");
    return new keepers.CertificateKeeper(this.#deps);
  }
}
