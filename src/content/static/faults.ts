import { TurnpikeError } from "../../lib/errors.ts";

/** The error of a document that cannot be loaded. The reason ends the sentence. */
export function loadError(reason: string): TurnpikeError {
  return new TurnpikeError("page-failed", `Cannot load the page: ${reason}`);
}

export function brokeOff(): TurnpikeError {
  return loadError("its server closed the connection before the end");
}

export function noResponse(): TurnpikeError {
  return loadError("its server closed the connection without a response");
}

export function notHttp(): TurnpikeError {
  return loadError("its server's response is not HTTP");
}
