import { TurnpikeError } from "../../lib/errors.ts";

/** The error of a document that cannot be loaded. The reason ends the sentence. */
export function loadError(reason: string): TurnpikeError {
  return new TurnpikeError("page-failed", `Cannot load the page: ${reason}`);
}

/** The error of a document that is longer than a limit. */
export class TooLong extends TurnpikeError {
  constructor(reason: string) {
    super("page-failed", `Cannot load the page: ${reason}`);
    this.name = "TooLong";
  }
}

/** The error (`page-failed`) of a connection that closed in the middle of a response. */
export function brokeOff(): TurnpikeError {
  return loadError("its server closed the connection before the end");
}

/** The error (`page-failed`) of a connection that closed before a response began. */
export function noResponse(): TurnpikeError {
  return loadError("its server closed the connection without a response");
}

/** The error (`page-failed`) of a response that cannot be parsed as HTTP. */
export function notHttp(): TurnpikeError {
  return loadError("its server's response is not HTTP");
}
