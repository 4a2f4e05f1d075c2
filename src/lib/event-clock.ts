/** The event is being handled that the runtime called us for: what a socket brought, or that it has room again. */
let inEvent = false;
/** When it began; 0: nobody has asked. */
let began = 0;
/** The same as Unix milliseconds. */
let beganDate = 0;

/** An event's handler begins; `endEvent` is called when it is through. Events are handled one after the other. */
export function beginEvent(): void {
  inEvent = true;
  began = 0;
  beganDate = 0;
}

export function endEvent(): void {
  inEvent = false;
}

/**
 * Monotonic milliseconds, read from the clock once an event: what one event does is done at one time. A look at the clock costs
 * 30 ns, and a request wants several.
 */
export function eventTime(): number {
  if (!inEvent) return performance.now();
  if (began === 0) began = performance.now();
  return began;
}

/** Unix milliseconds, likewise read once an event. */
export function eventDate(): number {
  if (!inEvent) return Date.now();
  if (beganDate === 0) beganDate = Date.now();
  return beganDate;
}
