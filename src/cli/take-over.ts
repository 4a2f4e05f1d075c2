/** `turnpike --take-over PID`: one gateway replaces another of the same user on the same ports, without a lost request. */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { codeOf } from "../lib/caught.ts";
import { type AdministeredGateway } from "../gateway/process/administered-gateway.ts";
import { leaveParent } from "./detach.ts";
import { notifySystemd } from "./notify.ts";
import { StartError } from "./start-error.ts";
import { type StopReason } from "./stop-signal.ts";
import { say } from "./terminal.ts";

/**
 * Milliseconds that requests in flight have when the gateway stops. Beyond them the gateway closes their connections.
 * @bound
 */
const DRAIN_MS = 30_000;

/** The gateway that is replaced. */
export interface Predecessor {
  readonly pid: number;
}

/** Reads the flag; undefined if it is absent. Throws StartError if the process is not a gateway that can hand over. */
export function takeOverFlag(value: string | undefined): Predecessor | undefined {
  if (value === undefined) return undefined;
  const pid = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (pid < 2 || pid === process.pid)
    throw new StartError(`Cannot use --take-over "${value}": it is not a process number`);
  const why = whyNot(pid);
  if (why !== "") throw new StartError(`Cannot take over from process ${pid}: ${why}`);
  return { pid };
}

/** Why a process cannot hand over; empty if it can. */
function whyNot(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM" ? "it belongs to another user" : "there is no such process";
  }
  // By default SIGUSR2 ends a process: one that does not handle it would be killed.
  return catchesHandOver(pid) ? "" : "it cannot hand over its ports; only a gateway of this version or a newer one can";
}

function catchesHandOver(pid: number): boolean {
  try {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "0";
    return ((BigInt(`0x${caught}`) >> BigInt(constants.signals.SIGUSR2 - 1)) & 1n) === 1n;
  } catch {
    return false;
  }
}

/**
 * Tells the old gateway to drain, and takes over the listeners that it releases. The new gateway accepts connections
 * already.
 */
async function takeOver(gateway: AdministeredGateway, { pid }: Predecessor): Promise<void> {
  try {
    process.kill(pid, "SIGUSR2");
  } catch {
    // The old gateway has ended meanwhile: its ports are free.
  }
  if (await gateway.takeRest()) say(`took over from process ${pid}`);
}

/** Waits for the requests in flight, then stops the gateway. */
async function endGateway(gateway: AdministeredGateway, reason: StopReason): Promise<void> {
  if (reason === "stop") {
    await gateway.close(DRAIN_MS);
    return;
  }
  say("another gateway takes over");
  await gateway.handOver(DRAIN_MS);
}

/**
 * Takes over from the predecessor if there is one, tells systemd that the gateway serves, and ends the gateway once
 * `stopped` resolves. Resolves when the gateway has ended.
 */
export async function serveUntilStopped(
  gateway: AdministeredGateway,
  stopped: Promise<StopReason>,
  predecessor: Predecessor | undefined,
): Promise<void> {
  await leaveParent();
  // First, while the old process serves: systemd stops a unit whose main process ends, with all of its processes.
  notifySystemd(predecessor === undefined ? "READY=1" : `MAINPID=${process.pid}\nREADY=1`);
  const taken = predecessor === undefined ? undefined : takeOver(gateway, predecessor);
  const reason = await stopped;
  // The unit continues with the other gateway.
  if (reason === "stop") notifySystemd("STOPPING=1");
  await endGateway(gateway, reason);
  await taken;
}
