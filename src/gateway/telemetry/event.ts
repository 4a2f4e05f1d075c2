/** Kinds of events for operators. `lost` stands for events that a reader of the stream has missed. */
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
  "job",
  "certificate",
  "log",
  "lost",
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** The person or program that requested a change. The key itself is never included. */
export interface Actor {
  readonly kind: "operator" | "signal" | "console" | "read-only operator";
  readonly key: "api_key" | "read_api_key" | "-";
  /** The address that sent the request; empty for a signal. */
  readonly address: string;
}

/** Details of an event beside its message: numbers, names and lists, but no secrets. */
export type EventDetails = Readonly<Record<string, unknown>>;

export interface NewEvent {
  readonly kind: Exclude<EventKind, "log" | "lost">;
  /** One line of plain text. */
  readonly message: string;
  readonly by?: Actor;
  readonly outcome?: "done" | "failed" | "refused";
  /** Further members of the event's JSON. */
  readonly details?: EventDetails;
}

/** Takes events. It does not block, and never throws. */
export type OnEvent = (event: NewEvent) => void;

/** Takes the events of a process, and the lines of its log. It does not block, and never throws. */
export interface EventSink {
  add(event: NewEvent): void;
  /** `worker` is the row of the worker that logged the line. Absent: this process logged it. */
  addLine(text: string, worker?: number): void;
}
