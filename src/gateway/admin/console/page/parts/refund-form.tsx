import { type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { call } from "../api/client.ts";
import { decimal } from "../format/money.ts";
import { useMayChange } from "./access.ts";
import { ask } from "./ask.tsx";
import { SmallForm, TextInput } from "./small-form.tsx";
import { tell } from "./told.tsx";

interface Outcome {
  readonly state: string;
  readonly reason: string;
}

interface RefundFormProps {
  /** The path of the admin interface to which the refund is posted. */
  readonly path: string;
  /** The money that can be given back, in atomic units. */
  readonly rest: string;
  readonly decimals: number | undefined;
  /** The name of the token. */
  readonly unit: string;
  /** The name of those who get the money. */
  readonly recipient: ComponentChildren;
  readonly onRefund: () => void;
}

/** Names one refund, so that a second try in the same dialog is the same refund. `randomUUID` needs TLS. */
function newId(): string {
  return `console-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function outcomeText(outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return "The refund is recorded.";
  return outcomes
    .map(({ state, reason }) => `The refund is ${state}${reason === "" ? "" : `: ${reason}`}.`)
    .filter((text, at, all) => all.indexOf(text) === at)
    .join(" ");
}

/** Sends money back, or records that it was sent by other means. Empty without the rights, or if no money is left. */
export function RefundForm({ path, rest, decimals, unit, recipient, onRefund }: RefundFormProps) {
  const mayChange = useMayChange();
  const [typed, setTyped] = useState("");
  const [reference, setReference] = useState("");
  if (!mayChange || rest === "0") return null;
  const [amount, transaction] = [typed.trim(), reference.trim()];
  const isSent = transaction === "";
  const shown = amount === "" ? `${decimal(rest, decimals)} ${unit}` : amount;
  const refund = (): void => {
    const body = { ...(amount === "" ? {} : { amount }), ...(isSent ? { id: newId() } : { transaction }) };
    ask({
      title: isSent ? `Send ${shown} back?` : `Record a refund of ${shown}?`,
      isDangerous: true,
      action: isSent ? "Refund" : "Record refund",
      body: (
        <p>
          {isSent ? "It is sent from the seller's key to " : "Nothing is sent. It belongs to "}
          {recipient}.
        </p>
      ),
      async run() {
        const { body: done } = await call<Outcome | { readonly refunds: readonly Outcome[] }>(path, {
          method: "POST",
          body,
        });
        tell(outcomeText("refunds" in done ? done.refunds : [done]));
        setTyped("");
        setReference("");
        onRefund();
      },
    });
  };
  return (
    <details class="fold">
      <summary>Refund</summary>
      <SmallForm action="Refund…" run={() => Promise.resolve(refund())}>
        <TextInput
          label="Amount"
          value={typed}
          onType={setTyped}
          help={`As $0.01, or atomic units. Empty: all of ${decimal(rest, decimals)}`}
        />
        <TextInput
          label="Made elsewhere"
          value={reference}
          onType={setReference}
          help="The transaction of a refund by other means: nothing is sent"
        />
      </SmallForm>
    </details>
  );
}
