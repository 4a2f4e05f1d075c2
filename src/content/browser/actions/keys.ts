import { type ActionHost, StepError } from "./host.ts";

/** Keys by their names, with their virtual codes (UI Events, Windows). */
const CODES: Readonly<Record<string, number>> = {
  Backspace: 8,
  Tab: 9,
  Enter: 13,
  Escape: 27,
  " ": 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
  Insert: 45,
  Delete: 46,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, 112 + at])),
};

const ALIASES: Readonly<Record<string, string>> = { Space: " ", Return: "Enter", Esc: "Escape", Del: "Delete" };

/** The bits of modifiers in the DevTools protocol, and their virtual codes. */
const MODIFIERS: Readonly<Record<string, number>> = { Alt: 1, Control: 2, Ctrl: 2, Meta: 4, Shift: 8 };

/** Presses a key and releases it: `Enter`, `a`, `Control+a`. */
export async function press(host: ActionHost, combination: string): Promise<void> {
  const parts = combination.length > 1 ? combination.split(/(?<!^)\+(?!$)/) : [combination];
  const last = parts.pop() ?? "";
  const key = ALIASES[last] ?? last;
  const modifiers = parts.reduce((bits, name) => bits | (MODIFIERS[name] ?? unknown(name)), 0);
  const isPrinted = Array.from(key).length === 1;
  const code = CODES[key] ?? (isPrinted ? key.toUpperCase().charCodeAt(0) : unknown(key));
  const printed = key === "Enter" ? "\r" : key;
  const text = (isPrinted || key === "Enter") && (modifiers & ~8) === 0 ? { text: printed } : {};
  const common = { key, windowsVirtualKeyCode: code, modifiers, ...(isPrinted ? {} : { code: key }) };
  const commands = key.toLowerCase() === "a" && modifiers === 2 ? { commands: ["selectAll"] } : {};
  await host.call("Input.dispatchKeyEvent", { type: "keyDown", ...common, ...text, ...commands });
  await host.call("Input.dispatchKeyEvent", { type: "keyUp", ...common });
}

function unknown(name: string): never {
  throw new StepError(`there is no key "${name.slice(0, 30)}"`);
}
