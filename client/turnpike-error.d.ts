/**
 * An error response of the service or the gateway (RFC 9457). Nothing was charged, unless `onPayment` was called, as on
 * routes that are paid in advance. With the code `settlement-pending` the outcome is unknown, and another call pays
 * again.
 */
export declare class TurnpikeProblem extends Error {
    readonly status: number;
    /** The last part of the problem's type, such as `page-timeout`; empty if the response was not a problem document. */
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    /** The request's id, as in the service's logs. */
    readonly requestId: string | undefined;
    /** The errors in the request's fields. */
    readonly errors: readonly {
        readonly path: string;
        readonly message: string;
    }[];
    /** The HTTP status of the page's server; undefined if it is not the reason for the error. */
    readonly pageStatus: number | undefined;
    /** Seconds to wait before another try; undefined if the response does not contain them. */
    readonly retryAfter: number | undefined;
    constructor(status: number, problem: unknown, headers: Headers);
}
/** A payment that was not made, or whose outcome is unknown. */
export declare class TurnpikePaymentError extends Error {
    /** True if money may have moved; false if nothing was signed. */
    readonly maybeCharged: boolean;
    constructor(message: string, maybeCharged: boolean, cause: unknown);
}
