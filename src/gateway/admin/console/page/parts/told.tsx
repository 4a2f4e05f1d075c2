import { warned } from "../api/client.ts";
import { Diagnostics } from "./states.tsx";
import { Store, useStore } from "../api/store.ts";
import { Button } from "./button.tsx";

/** Milliseconds: long enough to read a sentence twice. */
const SHOWN_MS = 8_000;

const told = new Store<string>("");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message at the foot of the page and announces it to screen readers. */
export function tell(text: string): void {
  clearTimeout(timer);
  told.set(text);
  timer = setTimeout(() => told.set(""), SHOWN_MS);
}

/** The place for messages. It is drawn once, before the first message. */
export function Told() {
  const text = useStore(told);
  return (
    <div class="told" role="status">
      {text === "" ? null : (
        <p>
          <span>{text}</span>
          <Button label="Dismiss" kind="quiet small" onClick={() => told.set("")} />
        </p>
      )}
    </div>
  );
}

/** The warnings of the last change, until they are dismissed. */
export function Warnings() {
  const warnings = useStore(warned);
  if (warnings.length === 0) return null;
  return (
    <div class="notice warn" role="alert">
      <p>The configuration is in use, with {warnings.length === 1 ? "a warning" : `${warnings.length} warnings`}:</p>
      <Diagnostics diagnostics={warnings} />
      <Button label="Dismiss" kind="small" onClick={() => warned.set([])} />
    </div>
  );
}
