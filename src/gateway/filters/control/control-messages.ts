/** What a worker asks of the process that has the control socket. Every call is answered once, a forgotten one too. */
export type ControlCall =
  | { readonly kind: "control_call"; readonly id: number; readonly command: Uint8Array }
  /** Nobody waits for the response any more. */
  | { readonly kind: "control_forget"; readonly id: number };

/** What that process tells a worker. */
export type ControlReply =
  | { readonly kind: "control_reply"; readonly id: number; readonly bytes: Uint8Array }
  /** `detail` is for the log. */
  | { readonly kind: "control_failed"; readonly id: number; readonly detail: string }
  /** The sandbox takes commands, or does not any more. */
  | { readonly kind: "control_state"; readonly isReady: boolean };
