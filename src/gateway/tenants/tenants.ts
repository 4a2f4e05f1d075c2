import { type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { ColdStarts } from "./cold-starts.ts";
import {
  type Mapping,
  type WarmTenant,
  WarmTenants,
  type WarmTenantsLimits,
  type WarmTenantsOptions,
} from "./warm-tenants.ts";

/** The data that all tenant routes of a worker share. It survives reloads. */
export class Tenants {
  readonly wheel: TimerWheel;
  readonly warm: WarmTenants;
  readonly starts = new ColdStarts<Mapping>();

  constructor(options: WarmTenantsOptions, limits: WarmTenantsLimits) {
    this.wheel = options.wheel;
    this.warm = new WarmTenants(options, limits);
  }

  list(): WarmTenant[] {
    return this.warm.list();
  }

  /** Forgets the tenants with this key; false if it was unknown. Their VMs continue. */
  drop(key: string): boolean {
    return this.warm.drop(key);
  }

  close(): void {
    this.warm.close();
  }
}
