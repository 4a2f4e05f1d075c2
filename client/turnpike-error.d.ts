/**
 * An error of the service or the gateway (RFC 9457): nothing was charged, unless `onPayment` was told so, as where a route is paid in
 * advance. With the code `settlement-pending` nobody knows, and another call is paid anew.
 */
export declare class TurnpikeProblem extends Error {
    readonly status: number;
    /** The last part of the problem's type, such as `page-timeout`; empty where the answer was no problem document. */
    readonly code: string;
    readonly title: string;
    readonly detail: string;
    /** The request's id, as in the service's logs. */
    readonly requestId: string | undefined;
    /** What is wrong with which field of the request. */
    readonly errors: readonly {
        readonly path: string;
        readonly message: string;
    }[];
    /** The HTTP status that the page's server answered; undefined where that is not what is wrong. */
    readonly pageStatus: number | undefined;
    /** Seconds to wait before another try; undefined where the answer does not say. */
    readonly retryAfter: number | undefined;
    constructor(status: number, problem: unknown, headers: Headers);
}
/** A payment that was not made, or one whose outcome is not known. */
export declare class TurnpikePaymentError extends Error {
    /** Whether money may have moved; false where nothing was signed. */
    readonly maybeCharged: boolean;
    constructor(message: string, maybeCharged: boolean, cause: unknown);
}
