/** What can happen that operators are told of. `lost` stands for events that a reader of the stream has missed. */
export const EVENT_KINDS = [
  "server_health",
  "discovery",
  "reload",
  "change",
  "persist",
  "drain",
  "worker",
  "payment",
  "session",
  "config_file",
  "log_file",
  "control",
  "tenant",
  "certificate",
  "log",
  "lost",
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** Who asked for a change. The key itself is never part of it. */
export interface Actor {
  readonly kind: "operator" | "signal" | "console" | "read-only operator";
  readonly key: "api_key" | "read_api_key" | "-";
  /** Where the request came from; empty for a signal. */
  readonly address: string;
}

/** What an event tells beside its message: numbers, names and lists, and no secrets. */
export type EventDetails = Readonly<Record<string, unknown>>;

/** Something that has happened. */
export interface NewEvent {
  readonly kind: Exclude<EventKind, "log" | "lost">;
  /** One line of plain text. */
  readonly message: string;
  readonly by?: Actor;
  readonly outcome?: "done" | "failed" | "refused";
  /** Further members of the event's JSON. */
  readonly details?: EventDetails;
}

/** Takes events; it returns at once, and never throws. */
export type OnEvent = (event: NewEvent) => void;

/** Takes what happens in a process, and the lines of its log; it returns at once, and never throws. */
export interface EventSink {
  add(event: NewEvent): void;
  /** `worker` is the row of the worker that logged it; left out: this process did. */
  addLine(text: string, worker?: number): void;
}
