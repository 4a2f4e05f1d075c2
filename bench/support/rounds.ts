import { cpuSeconds } from "./children.ts";
import { type Rounds } from "./options.ts";
import { type Running } from "./programs.ts";
import { type Sample } from "./report.ts";
import { type Load } from "./wrk.ts";

const WARM_UP_SECONDS = 1;

/** A program, and what drives it. */
export interface Contestant extends Running {
  drive(seconds: number): Promise<Load>;
}

/** Drives one after the other, in so many rounds after a warm-up; an Error where one ends meanwhile. */
export async function measureRounds(
  contestants: readonly Contestant[],
  { rounds, seconds }: Rounds,
): Promise<Sample[]> {
  for (const contestant of contestants) await measure(contestant, WARM_UP_SECONDS, 0);
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another one, so that none always runs after the same one.
    const first = round % contestants.length;
    for (const contestant of [...contestants.slice(first), ...contestants.slice(0, first)]) {
      samples.push(await measure(contestant, seconds, round));
    }
  }
  return contestants.flatMap(({ name }) => samples.filter(({ program }) => program === name));
}

async function measure(contestant: Contestant, seconds: number, round: number): Promise<Sample> {
  const before = cpuSeconds(contestant.pid);
  const found = await contestant.drive(seconds);
  const used = cpuSeconds(contestant.pid) - before;
  const ended = contestant.exited();
  if (ended !== undefined) throw new Error(`Cannot go on measuring: ${ended}`);
  const requestsPerCpuSecond = used > 0 ? found.requests / used : Number.NaN;
  return { ...found, program: contestant.name, round, requestsPerCpuSecond };
}
