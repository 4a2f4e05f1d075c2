/** The contestants of a case, and the load of each. */
import { join } from "node:path";
import { messageOf } from "../../src/lib/caught.ts";
import { LOCALHOST, TEST_CA } from "../../test/support/certificates.ts";
import { type Children } from "../support/children.ts";
import { type Groups } from "../support/pinned-groups.ts";
import { type Contestant } from "../support/rounds.ts";
import { type Load } from "../support/wrk.ts";
import { checkResponse } from "./responses.ts";
import { type Case } from "./cases.ts";
import { drive } from "./drive.ts";
import { type Origin } from "./origin.ts";
import { type Proxy, type RunningProxy } from "./proxy.ts";
import { type Setup, type SetupName, SETUPS } from "./setups.ts";

/** A set-up with running processes. */
export interface OpenSetup {
  readonly setup: Setup;
  readonly origin: Origin;
  readonly proxies: readonly RunningProxy[];
  /** Why a proxy does not run, by its name. */
  readonly failures: ReadonlyMap<string, string>;
}

/** Starts the origin of a set-up, and those of the proxies that have its features. */
export async function openSetup(
  { load, measured }: Groups,
  name: SetupName,
  proxies: readonly Proxy[],
): Promise<OpenSetup> {
  const setup = SETUPS[name];
  const file = async (kind: string, text: string): Promise<string> => {
    const path = join(measured.folder, `${kind}.pem`);
    await Bun.write(path, text);
    return path;
  };
  const pair = { cert: await file("cert", LOCALHOST.cert), key: await file("key", LOCALHOST.key) };
  const origin = await setup.start(load, pair);
  const site = { shape: setup.shape, originPort: origin.port, ...pair, ca: await file("ca", TEST_CA.cert) };
  const opened: RunningProxy[] = [];
  const failures = new Map<string, string>();
  for (const proxy of proxies.filter((candidate) => candidate.can(setup.shape))) {
    try {
      opened.push(await proxy.start(measured, site));
    } catch (error) {
      if (measured.closing) throw error;
      failures.set(proxy.name, messageOf(error));
    }
  }
  return { setup, origin, proxies: opened, failures };
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
