import { Store, useStore } from "../live/store.ts";

/** Long enough to read a sentence twice. */
const SHOWN_MS = 8_000;

const told = new Store<string>("");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says what was done, at the foot of the page and to screen readers. */
export function tell(text: string): void {
  clearTimeout(timer);
  told.set(text);
  timer = setTimeout(() => told.set(""), SHOWN_MS);
}

/** Where it is said; drawn once, and there before anything is said. */
export function Told() {
  const text = useStore(told);
  return (
    <div class="told" role="status">
      {text === "" ? null : (
        <p>
          <span>{text}</span>
          <button class="button quiet small" type="button" onClick={() => told.set("")}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
