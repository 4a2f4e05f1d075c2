import { type CallOptions, type FetchOptions, type OperationPlace, type TurnpikeFile } from "./call.js";
import { Operations } from "./operations.js";
export { TurnpikePaymentError, TurnpikeProblem } from "./turnpike-error.js";
export type { CallOptions, FetchOptions, TurnpikeFile } from "./call.js";
export type * from "./operations.js";
/** What was paid for a call. */
export interface Payment {
    /** The path that was paid for; for `fetch` the whole URL. */
    readonly path: string;
    /** In dollars, such as "$0.005". */
    readonly price: string;
    /** The network in CAIP-2, such as "eip155:8453". */
    readonly network: string;
    /** The transaction's hash. */
    readonly transaction: string;
}
export interface TurnpikeOptions {
    /** Where the gateway is; http://127.0.0.1:8080by default. */
    readonly url?: string | URL | undefined;
    /** The key that pays: 32 bytes, or 64 hexadecimal digits with or without 0x. */
    readonly privateKey?: string | Uint8Array | undefined;
    /** A wallet file, as `turnpike wallet` makes it; made on first use where it is not there. In place of a key. */
    readonly wallet?: string | undefined;
    /** The most that one call may cost, such as `0.05`, `0.05 USDC` or `$0.05`; 1 USDC if it is left out. */
    readonly maxPrice?: string | undefined;
    /** Sends the requests; the global fetchby default. */
    readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
    /** Is told of each payment that went through. */
    readonly onPayment?: ((payment: Payment) => void) | undefined;
}
/**
 * The web content API of a gateway. Each call pays for itself. It fails with a TurnpikeProblem where the service answers
 * with an error, a TurnpikePaymentError where it was not or perhaps paid, and what fetch throws where nothing is reached.
 */
export declare class Turnpike extends Operations {
    #private;
    /** Throws where the URL, the key or the price is none. */
    constructor(options?: TurnpikeOptions);
    /** The address that pays; undefined where there is neither key nor wallet. */
    get address(): string | undefined;
    protected json<T>(place: OperationPlace, body: unknown, options?: CallOptions): Promise<T>;
    protected file(place: OperationPlace, body: unknown, options?: CallOptions): Promise<TurnpikeFile>;
    /**
     * Like the global fetch, for any URL on any x402 server, and pays what is asked within `maxPrice`. The answer may have any
     * status. The request may be sent more than once, so a body cannot be a stream. A relative URL is one of the gateway.
     */
    fetch(url: string | URL, init?: FetchOptions): Promise<Response>;
}
