import { RedirectError, DownloadError } from "../page/page-errors.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type EgressSession, egressError } from "../egress/guard.ts";
import { CdpClosed, CdpError } from "./program/cdp.ts";
import { portOf } from "../../lib/http/url-host.ts";

/**
 * The caller's error for a document that failed to load. The egress guard knows the reason better than the browser
 * does.
 */
export function loadError(egress: EgressSession, errorText: string, unreachable: string | undefined): TurnpikeError {
  const url = unreachable !== undefined && URL.canParse(unreachable) ? new URL(unreachable) : undefined;
  const failure = url === undefined ? egress.lastFailure : egress.failureOf(url.hostname, portOf(url));
  if (failure !== undefined) return egressError(failure);
  if (errorText === "net::ERR_TOO_MANY_REDIRECTS") {
    return new RedirectError("redirects without end");
  }
  if (errorText === "net::ERR_ABORTED") {
    return new DownloadError("Cannot load the page: it is a download, or has no content");
  }
  return new TurnpikeError("page-failed", `Cannot load the page: ${explain(errorText)}`);
}

/** The browser's error names are public and stable ("net::ERR_CERT_DATE_INVALID"), so callers can look them up. */
function explain(errorText: string): string {
  const name = /^net::(ERR_[A-Z0-9_]+)$/.exec(errorText)?.[1];
  if (name === "ERR_EMPTY_RESPONSE") return "its server closed the connection without a response";
  if (name?.startsWith("ERR_CERT_") === true) return `its certificate is not valid (${name})`;
  return name === undefined ? "the browser reports an unknown error" : `the browser reports ${name}`;
}

/** Converts errors of the protocol into errors for the caller, and returns other errors unchanged. */
export function tabError(error: unknown): unknown {
  if (error instanceof CdpClosed) return browserStopped();
  if (error instanceof CdpError) return new TurnpikeError("page-failed", `Cannot read the page: ${error.message}`);
  return error;
}

/** The error (`browser-unavailable`) of a visit whose browser ended. */
export function browserStopped(): TurnpikeError {
  return new TurnpikeError("browser-unavailable", "Cannot load the page: the browser stopped; try again");
}
