/** Messages from a worker to the process with the control socket. Each call gets one reply, even if cancelled. */
export type ControlCall =
  | { readonly kind: "control_call"; readonly id: number; readonly command: Uint8Array }
  /** The caller has cancelled the call. */
  | { readonly kind: "control_forget"; readonly id: number };

/** Messages from that process to a worker. */
export type ControlReply =
  | { readonly kind: "control_reply"; readonly id: number; readonly bytes: Uint8Array }
  /** `detail` is for the log. */
  | { readonly kind: "control_failed"; readonly id: number; readonly detail: string }
  | { readonly kind: "control_full"; readonly id: number }
  /** Whether the sandbox accepts commands. */
  | { readonly kind: "control_state"; readonly isReady: boolean };
