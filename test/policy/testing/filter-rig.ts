/** Filters for the Turnpike ABI before an origin, over every protocol, with a sandbox for host calls. */
import { expect } from "bun:test";
import { ControlTransport } from "../../../src/gateway/filters/control/control-transport.ts";
import { reply, type Sandbox, startSandbox } from "../../../src/gateway/filters/control/testing/sandbox.ts";
import { createFilterPolicy } from "../../../src/gateway/filters/filter-policy.ts";
import { op } from "../../../src/gateway/filters/module/testing/assembler.ts";
import { loaded } from "../../../src/gateway/filters/module/testing/metered.ts";
import { callsOf } from "../../../src/gateway/filters/own-abi/testing/own-module.ts";
import { OwnFilter } from "../../../src/gateway/filters/own-filter.ts";
import { RouteFilters } from "../../../src/gateway/filters/route-filters.ts";
import { type FilterSettings } from "../../../src/gateway/filters/runtime/runtime.ts";
import { type TestRuntime, testRuntime, testSettings } from "../../../src/gateway/filters/testing/test-runtime.ts";
import { until } from "../../../src/lib/testing/until.ts";
import { RawOrigin } from "../../support/raw-origin.ts";
import { type ChainRig, startChainRig } from "./chain-rig.ts";

export class FilterRig {
  readonly origin: RawOrigin;
  readonly chain: ChainRig;
  readonly sandbox: Sandbox;
  readonly link: ControlTransport;
  runtime: TestRuntime = testRuntime();
  filters: OwnFilter[] = [];

  private constructor(parts: Pick<FilterRig, "origin" | "chain" | "sandbox" | "link">) {
    this.origin = parts.origin;
    this.chain = parts.chain;
    this.sandbox = parts.sandbox;
    this.link = parts.link;
  }

  static async start(): Promise<FilterRig> {
    const origin = await RawOrigin.start();
    const chain = await startChainRig(origin);
    const sandbox = await startSandbox();
    const options = { path: sandbox.path, connections: 1, commandMs: 60_000, firstRetryMs: 5 };
    const link = new ControlTransport({ ...options, log() {}, onReady() {} });
    await until(() => link.isReady);
    return new FilterRig({ origin, chain, sandbox, link });
  }

  /** Before each test. */
  reset(): void {
    this.origin.reset();
    this.sandbox.response = (line) => reply(`done: ${line}`);
    this.runtime = testRuntime();
    this.runtime.link = this.link;
    this.filters = [];
  }

  /** Puts filters of these modules before the origin, in place of the earlier ones. */
  async use(modules: readonly Uint8Array[], settings: Partial<FilterSettings> = {}): Promise<void> {
    const modulesLoaded = await Promise.all(modules.map((module) => loaded(module)));
    const before = this.filters;
    this.filters = modulesLoaded.map((module) => new OwnFilter(module, testSettings(settings), this.runtime));
    this.chain.policies = [createFilterPolicy(new RouteFilters(this.filters))];
    for (const filter of before) filter.close();
  }

  /** Cuts the control socket, and waits until it works again. */
  async reconnect(): Promise<void> {
    const { length } = this.sandbox.clients;
    this.sandbox.cut();
    await until(() => this.sandbox.clients.length > length && this.link.isReady);
  }

  /** After each test: no instance, park or memory is still in use, and nothing was thrown. */
  async verify(): Promise<void> {
    const { filters, runtime } = this;
    await until(() => filters.every(({ instances }) => instances.pinned === 0), undefined, "all instances are free");
    for (const filter of filters) filter.close();
    await until(() => runtime.memory.taken === 0, undefined, "the memory for bodies is free");
    expect(runtime.gauge).toEqual({ instances: 0, pinned: 0, parked: 0 });
    expect([runtime.errors, this.chain.errors, this.origin.errors]).toEqual([[], [], []]);
    runtime.wheel.close();
  }

  async stop(): Promise<void> {
    this.link.close();
    await this.sandbox.close();
    await this.chain.stop();
    await this.origin.stop();
  }
}

const NE = [0x47];

/** Code that returns `otherwise` unless function `index`, called with `parameters`, returns `value`. */
export function mustBe(value: number, index: number, parameters: readonly number[], otherwise = 1): number[] {
  const returns = [...op.if, ...op.i32(otherwise), ...op.return, ...op.end];
  return [...callsOf(index, ...parameters), ...op.i32(value), ...NE, ...returns];
}
