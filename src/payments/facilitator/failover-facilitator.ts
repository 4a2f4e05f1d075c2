import { type ChannelFacilitator } from "../x402/channel-facilitator.ts";
import {
  type Assignment,
  type Facilitator,
  type Kind,
  type Outcome,
  type Settlement,
  type Verification,
} from "../x402/facilitator.ts";
import { type KindsWatch } from "../x402/kinds.ts";
import { type PaymentPayload, type PaymentRequirements } from "../x402/messages.ts";
import { type Reason } from "../x402/reasons.ts";
import { findKind, maySettle } from "../x402/terms.ts";

export interface Member {
  readonly name: string;
  /** The name that it has where the configuration gives it none. */
  readonly alias: string;
  readonly facilitator: Facilitator;
  readonly kinds: Pick<KindsWatch, "current" | "failure" | "renew">;
  /** True while its circuit breaker is open. */
  readonly isAway: () => boolean;
}

export interface FailoverDeps {
  /** Looks up payments on their chains; undefined if no chain can be asked without a facilitator. */
  readonly chain?: Pick<Facilitator, "find"> | undefined;
  readonly log: (message: string) => void;
}

/** Reasons that say more about a facilitator than about the payment: another one may accept it. */
const UNSUITED: ReadonlySet<Reason> = new Set([
  "invalid_network",
  "invalid_scheme",
  "invalid_exact_evm_scheme",
  "invalid_exact_svm_unsupported_scheme",
  "invalid_upto_evm_scheme",
  "invalid_payment_requirements",
  "unsupported_payload_type",
  "eip6492_factory_not_allowed",
  "payment_refused",
]);

const NO_CHANNELS = "no facilitator knows channels";

/**
 * Facilitators in order of preference, with failover to the next one. Any of them may verify a payment. Only the one
 * that the ledger names may settle it from then on: another one could not tell a settlement with a lost response from a
 * foreign use of the nonce. The ledger may name another one only if nothing was sent (decision 0815).
 */
export class FailoverFacilitator implements Facilitator {
  readonly #members: readonly Member[];
  readonly #deps: FailoverDeps;
  #seen: readonly unknown[] = [];
  #kinds: readonly Kind[] | undefined;

  /** `members`: at least one. */
  constructor(members: readonly Member[], deps: FailoverDeps) {
    this.#members = members;
    this.#deps = deps;
  }

  /** For each scheme and network, the kind of the first facilitator that supports it and responds. The same object until it changes. */
  get current(): readonly Kind[] | undefined {
    const [only, second] = this.#members;
    if (second === undefined) return only?.kinds.current;
    const seen = this.#members.flatMap(({ kinds, isAway }) => [kinds.current, isAway()]);
    if (seen.length !== this.#seen.length || seen.some((value, i) => value !== this.#seen[i])) {
      this.#seen = seen;
      const known = this.#byHealth(this.#members).flatMap(({ kinds }) => kinds.current ?? []);
      this.#kinds = seen.every((value) => typeof value !== "object") ? undefined : known;
    }
    return this.#kinds;
  }

  /** The reasons why the last checks failed, for the log; undefined if none failed. */
  get failure(): string | undefined {
    const failures = this.#members.flatMap(({ name, kinds: { failure } }) =>
      failure === undefined ? [] : [this.#members.length === 1 ? failure : `${name}: ${failure}`],
    );
    return failures.length === 0 ? undefined : failures.join("; ");
  }

  /** Resolves when the current checks of all facilitators have ended. */
  async renew(): Promise<void> {
    await Promise.all(this.#members.map(({ kinds }) => kinds.renew()));
  }

  async supported(): Promise<readonly Kind[]> {
    return this.current ?? [];
  }

  /** Asks one facilitator after the other until one judges the payment. */
  async verify(payment: PaymentPayload, requirements: PaymentRequirements): Promise<Verification> {
    let last: Verification = { kind: "unavailable", cause: "there is no facilitator" };
    let isFirst = true;
    for (const { name, facilitator } of this.#fit(requirements)) {
      const verification = await facilitator.verify(payment, requirements);
      if (verification.kind === "valid") return { ...verification, by: name };
      if (verification.kind === "refused" && !UNSUITED.has(verification.reason)) return verification;
      // One that gives no judgement may accept the payment later.
      if (isFirst || last.kind === "refused") last = verification;
      isFirst = false;
    }
    return last;
  }

  assign(_: PaymentPayload, requirements: PaymentRequirements, verifiedBy: string): string {
    const fit = this.#byHealth(this.#fit(requirements));
    const verifier = fit.find(({ name, isAway }) => name === verifiedBy && !isAway());
    return (verifier ?? fit[0])?.name ?? "";
  }

  has(name: string): boolean {
    return this.#named(name) !== undefined;
  }

  async settle(payment: PaymentPayload, requirements: PaymentRequirements, to?: Assignment): Promise<Settlement> {
    const name = to?.name || this.assign(payment, requirements, "");
    let member = this.#named(name);
    if (member === undefined) {
      return { kind: "unknown", cause: `its facilitator, ${name}, is no longer configured`, transaction: "" };
    }
    const rest = this.#byHealth(this.#fit(requirements).filter((other) => other !== member));
    for (;;) {
      const settlement = await member.facilitator.settle(payment, requirements);
      if (settlement.kind === "refused") return await this.#checked(settlement, payment, requirements);
      if (settlement.kind === "settled" || settlement.isUnsent !== true) return settlement;
      const next = rest.shift();
      if (next === undefined || to?.reassign === undefined || !(await to.reassign(next.name))) return settlement;
      this.#deps.log(`payment: ${next.name} settles in place of ${member.name}: ${settlement.cause}`);
      member = next;
    }
  }

  /** The chain decides. Else only the facilitator `by` is asked; if it is unknown or no longer configured, all are. */
  async find(payment: PaymentPayload, requirements: PaymentRequirements, by = ""): Promise<Outcome> {
    let outcome = await this.#deps.chain?.find(payment, requirements);
    if (outcome !== undefined && outcome.kind !== "unknown") return outcome;
    const own = this.#named(by);
    for (const { facilitator } of own === undefined ? this.#members : [own]) {
      outcome = await facilitator.find(payment, requirements);
      if (outcome.kind !== "unknown") break;
    }
    return outcome ?? { kind: "unknown", cause: "there is no facilitator" };
  }

  /** Any facilitator may work on a channel: the contract takes an order once, and the seller's own key permits it. */
  readonly channels: ChannelFacilitator = {
    verify: async (payment, requirements) => {
      const channels = this.#ofChannels(requirements);
      return (await channels?.verify(payment, requirements)) ?? { kind: "unavailable", cause: NO_CHANNELS };
    },
    settle: async (order, requirements) => {
      const channels = this.#ofChannels(requirements);
      return (
        (await channels?.settle(order, requirements)) ?? {
          kind: "unknown",
          cause: NO_CHANNELS,
          transaction: "",
          isUnsent: true,
        }
      );
    },
  };

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ facilitator }) => facilitator.close()));
  }

  /** A refusal, unless the chain shows that the money has moved: a new payment would be the second one. */
  async #checked(refusal: Settlement, ...call: Parameters<Facilitator["find"]>): Promise<Settlement> {
    const outcome = await this.#deps.chain?.find(...call);
    return outcome?.kind === "settled" ? outcome : refusal;
  }

  #ofChannels(requirements: PaymentRequirements): ChannelFacilitator | undefined {
    const fit = this.#byHealth(this.#fit(requirements));
    return fit.find(({ facilitator }) => facilitator.channels !== undefined)?.facilitator.channels;
  }

  #named(name: string): Member | undefined {
    return this.#members.find((member) => member.name === name || member.alias === name);
  }

  #byHealth(members: readonly Member[]): Member[] {
    return members.toSorted((a, b) => Number(a.isAway()) - Number(b.isAway()));
  }

  /** Those that support these requirements; else those whose kinds are unknown; else all. */
  #fit(requirements: PaymentRequirements): readonly Member[] {
    const [, second] = this.#members;
    if (second === undefined) return this.#members;
    const supporting = this.#members.filter(({ kinds }) => supports(kinds.current ?? [], requirements));
    if (supporting.length > 0) return supporting;
    const unknown = this.#members.filter(({ kinds }) => kinds.current === undefined);
    return unknown.length > 0 ? unknown : this.#members;
  }
}

/** Some payers have named the only facilitator that may settle. */
function supports(kinds: readonly Kind[], requirements: PaymentRequirements): boolean {
  const kind = findKind(kinds, requirements);
  return kind !== undefined && maySettle(requirements, kind);
}
