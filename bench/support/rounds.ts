import { messageOf } from "../../src/lib/caught.ts";
import { type Child, used } from "./children.ts";
import { type Rounds } from "./options.ts";
import { type Running } from "./programs.ts";
import { type Sample } from "./report.ts";
import { errorOf, type Load } from "./wrk.ts";

const WARM_UP_SECONDS = 1;
/** The number of a warm-up round. */
const WARM_UP = -1;

/** A program with the load for it. */
export interface Contestant extends Running {
  drive(seconds: number): Promise<Load>;
}

/** A program with a load by wrk, in which no response may fail. */
export function drivenByWrk(
  { name, child }: { readonly name: string; readonly child: Child },
  run: (seconds: number) => Promise<Load>,
): Contestant {
  return {
    name,
    pid: child.pid,
    exited: () => child.exited(),
    async drive(seconds) {
      const load = await run(seconds);
      const error = errorOf(load);
      if (error !== undefined) throw new Error(`Cannot measure ${name}: ${error}`);
      return load;
    },
  };
}

/** The runtime compiles code while it serves its first 50,000 requests, which takes 0.5 to 0.7 s of CPU time. */
const COMPILED_AFTER = 60_000;
/** Seconds of one drive of `warmUp`, and its drives at most: a busy machine serves few requests in a second. */
const DRIVE_SECONDS = 4;
const MOST_DRIVES = 10;

/** Drives a program until its code is compiled. */
export async function warmUp(contestant: Contestant): Promise<void> {
  let requests = 0;
  for (let drives = 0; drives < MOST_DRIVES && requests < COMPILED_AFTER; drives++)
    requests += (await contestant.drive(DRIVE_SECONDS)).requests;
}

/** Drives the contestants in turn, for some rounds after a warm-up. Fails with an Error if one ends meanwhile. */
export async function measureRounds(contestants: readonly Contestant[], rounds: Rounds): Promise<Sample[]> {
  const { samples, failures } = await measureSurvivors(contestants, rounds);
  for (const reason of failures.values()) throw new Error(`Cannot continue the measurement: ${reason}`);
  return samples;
}

/** Why a program has no figures, by its name. */
export type Failures = ReadonlyMap<string, string>;

/** Like `measureRounds`, but a contestant that ends, or whose drive throws, is dropped with all its measurements. */
export async function measureSurvivors(
  contestants: readonly Contestant[],
  { rounds, seconds }: Rounds,
): Promise<{ samples: Sample[]; failures: Failures }> {
  const failures = new Map<string, string>();
  const samples: Sample[] = [];
  const drive = async (contestant: Contestant, time: number, round: number): Promise<void> => {
    if (failures.has(contestant.name)) return;
    try {
      const sample = await measure(contestant, time, round);
      if (round !== WARM_UP) samples.push(sample);
    } catch (error) {
      failures.set(contestant.name, contestant.exited() ?? messageOf(error));
    }
  };
  for (const contestant of contestants) await drive(contestant, WARM_UP_SECONDS, WARM_UP);
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another contestant, so that none always runs after the same one.
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      await drive(contestant, seconds, round);
    }
  }
  const survivors = contestants.filter(({ name }) => !failures.has(name));
  return { samples: survivors.flatMap(({ name }) => samples.filter(({ program }) => program === name)), failures };
}

async function measure(contestant: Contestant, seconds: number, round: number): Promise<Sample> {
  const before = used(contestant.pid);
  const found = await contestant.drive(seconds);
  const after = used(contestant.pid);
  const userSeconds = after.userSeconds - before.userSeconds;
  const systemSeconds = after.systemSeconds - before.systemSeconds;
  const cpuSeconds = userSeconds + systemSeconds;
  const ended = contestant.exited();
  if (ended !== undefined) throw new Error(ended);
  const requestsPerCpuSecond = cpuSeconds > 0 ? found.requests / cpuSeconds : Number.NaN;
  const pageFaults = after.pageFaults - before.pageFaults;
  return { ...found, program: contestant.name, round, requestsPerCpuSecond, userSeconds, systemSeconds, pageFaults };
}
