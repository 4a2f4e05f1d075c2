/** The contestants of a case, and the load of each. */
import { type Children } from "../support/children.ts";
import { type Contestant } from "../support/rounds.ts";
import { type Load } from "../support/wrk.ts";
import { checkResponse } from "./responses.ts";
import { type Case } from "./cases.ts";
import { drive } from "./drive.ts";
import { type Origin } from "./origin.ts";
import { type RunningProxy } from "./proxy.ts";
import { type Setup } from "./setups.ts";

/** A set-up with running processes. */
export interface OpenSetup {
  readonly setup: Setup;
  readonly origin: Origin;
  readonly proxies: readonly RunningProxy[];
  /** Why a proxy does not run, by its name. */
  readonly failures: ReadonlyMap<string, string>;
}

export function contestantsOf(children: Children, load: Case, open: OpenSetup): Contestant[] {
  const { setup, origin } = open;
  return open.proxies.map((proxy) => ({
    ...proxy,
    drive: (seconds) => checkedDrive(children, { load, setup, origin }, proxy.port, seconds),
  }));
}

/** Loads a port for `seconds`. Throws if a response was wrong, or if a cache fetched a resource again. */
async function checkedDrive(
  children: Children,
  { load: { client }, setup, origin }: { load: Case; setup: Setup; origin: Origin },
  port: number,
  seconds: number,
): Promise<Load> {
  await checkResponse(client, port);
  const before = await setup.asked?.(origin);
  await checkResponse(client, port);
  const found = await drive(children, client, port, seconds);
  const after = await setup.asked?.(origin);
  if (before !== after)
    throw new Error(`the origin was asked ${(after ?? 0) - (before ?? 0)} times for what was cached`);
  return found;
}
