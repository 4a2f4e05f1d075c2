/** `turnpike --take-over PID`: one gateway replaces another of the same user on the same ports, without a lost request. */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { codeOf, messageOf } from "../../lib/caught.ts";
import { hostAndPort } from "../../lib/http/url-host.ts";
import { type Config } from "../../gateway/config/config.ts";
import { type AdministeredGateway } from "../../gateway/process/administered-gateway.ts";
import { listenersOf } from "../../gateway/process/listeners/listener-plan.ts";
import { checkTakeOver, type Replaced } from "../../gateway/process/gateway/take-over.ts";
import { type Reply, replyToTakeOver, Claim, type Successor } from "./take-over-channel.ts";
import { takeOver as takeOverSignal } from "./held-signals.ts";
import { leaveParent } from "./detach.ts";
import { notifySystemd } from "./notify.ts";
import { StartError } from "../common/start-error.ts";
import { sayLog } from "../common/terminal.ts";

/**
 * Milliseconds that requests in flight have when the gateway stops. Beyond them the gateway closes their connections.
 * @bound
 */
const DRAIN_MS = 30_000;

/** The gateway that is replaced. */
export class Predecessor {
  readonly pid: number;
  #claim: Claim | undefined;

  /** Throws StartError if the value of the flag is not the process of a gateway that can hand over. */
  constructor(value: string) {
    this.pid = /^\d{1,10}$/.test(value) ? Number(value) : 0;
    if (this.pid < 2 || this.pid === process.pid)
      throw new StartError(`Cannot use --take-over "${value}": it is not a process number`);
    const why = whyNot(this.pid);
    if (why !== "") throw new StartError(`Cannot take over from process ${this.pid}: ${why}`);
  }

  /**
   * Asks it whether a gateway with this configuration may replace it. It goes on to serve. Rejects with StartError if it
   * refuses, or if another process takes over from it.
   */
  async ask(config: Config): Promise<Replaced> {
    checkTakeOver(config);
    this.#claim = Claim.open(this.pid, portsOf(listenersOf(config)));
    return { adminPort: await this.#claim.ask() };
  }

  /** Makes it release its ports, and serves what it releases. The gateway accepts connections already. */
  async replace(gateway: AdministeredGateway): Promise<void> {
    this.#claim?.say("take");
    if (!(await gateway.takeRest())) return;
    this.#claim?.say("served");
    sayLog(`took over from process ${this.pid}`);
  }

  /** Call this before an orderly exit, so that the old gateway does not serve again. */
  close(): void {
    this.#claim?.close();
  }
}

/** Reads the flag; undefined if it is absent. Throws StartError if the process is not a gateway that can hand over. */
export function takeOverFlag(value: string | undefined): Predecessor | undefined {
  return value === undefined ? undefined : new Predecessor(value);
}

function portsOf(listeners: readonly { readonly address: string; readonly port: number }[]): string[] {
  return listeners.map(({ address, port }) => hostAndPort(address, port)).toSorted();
}

/** Why a process cannot hand over; empty if it can. */
function whyNot(pid: number): string {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM" ? "it belongs to another user" : "there is no such process";
  }
  // SIGUSR2 ends a process that does not handle it, and npm, which handles it only to clean up.
  const { name, catchesHandOver } = statusOf(pid);
  if (!/^(?:bun|turnpike)/.test(name) && name !== statusOf(process.pid).name)
    return `it is ${JSON.stringify(name)}, and not a gateway; name the process that npm or a shell has started`;
  return catchesHandOver ? "" : "it cannot hand over its ports; only a gateway of this version or a newer one can";
}

function statusOf(pid: number): { readonly name: string; readonly catchesHandOver: boolean } {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    // It has ended meanwhile.
    return { name: "", catchesHandOver: false };
  }
  const valueOf = (key: string): string => new RegExp(`^${key}:\\s*(.+)$`, "m").exec(status)?.[1] ?? "";
  const caught = BigInt(`0x${valueOf("SigCgt") || "0"}`);
  return { name: valueOf("Name"), catchesHandOver: ((caught >> BigInt(constants.signals.SIGUSR2 - 1)) & 1n) === 1n };
}

function replyOf(gateway: AdministeredGateway, ports: readonly string[], isEnding: boolean): Reply {
  if (isEnding) return { refusal: "it ends already" };
  const own = portsOf(gateway.listeners);
  if (isDeepStrictEqual(own, ports)) return { adminPort: gateway.adminPort ?? null };
  return {
    refusal: `it listens on ${own.join(", ")}, and this configuration on ${ports.join(", ")}; make them the same by a reload`,
  };
}

/**
 * Takes over from the predecessor if there is one, tells systemd that the gateway serves, and ends the gateway once
 * `stopped` resolves or another gateway has taken over. Resolves when the gateway has ended.
 */
export async function serveUntilStopped(
  gateway: AdministeredGateway,
  stopped: Promise<void>,
  predecessor: Predecessor | undefined,
): Promise<void> {
  await leaveParent();
  // First, while the old process serves: systemd stops a unit whose main process ends, with all of its processes.
  notifySystemd(predecessor === undefined ? "READY=1" : `MAINPID=${process.pid}\nREADY=1`);
  const ended = Promise.withResolvers<void>();
  let isEnding = false;
  const handOver = async (successor: Successor): Promise<void> => {
    isEnding = true;
    sayLog("another gateway takes over");
    try {
      if (await gateway.handOver(DRAIN_MS, successor)) {
        ended.resolve();
        return;
      }
      sayLog("the gateway that took over has ended; this one serves again");
      notifySystemd(`MAINPID=${process.pid}\nREADY=1`);
    } catch (error) {
      sayLog(`Cannot release the ports: ${messageOf(error)}; this gateway serves on`);
    }
    isEnding = false;
  };
  takeOverSignal.heed(() => {
    replyToTakeOver(
      (ports) => replyOf(gateway, ports, isEnding),
      (successor) => void handOver(successor),
    ).catch(() => sayLog("SIGUSR2 is ignored: no gateway takes over"));
  });
  const taken = predecessor?.replace(gateway);
  const stop = async (): Promise<void> => {
    await stopped;
    // If another gateway takes over, the unit continues with it.
    if (!isEnding) notifySystemd("STOPPING=1");
    isEnding = true;
    await gateway.close(DRAIN_MS);
    ended.resolve();
  };
  void stop();
  await ended.promise;
  await taken;
  predecessor?.close();
}
