import { type CallOptions, type FetchOptions, type OperationTarget, type TurnpikeFile } from "./call.js";
import { Operations } from "./operations.js";
export { TurnpikePaymentError, TurnpikeProblem } from "./turnpike-error.js";
export type { CallOptions, FetchOptions, TurnpikeFile } from "./call.js";
export type * from "./operations.js";
/** The payment of a call. */
export interface Payment {
    /** The path of the paid request; for `fetch` the whole URL. */
    readonly path: string;
    /** In dollars, such as "$0.005". */
    readonly price: string;
    /** The network's CAIP-2 identifier, such as "eip155:8453". */
    readonly network: string;
    /** The transaction's hash. */
    readonly transaction: string;
}
/** The settings of a `Turnpike`. Without `privateKey` and `wallet` it cannot pay. */
export interface TurnpikeOptions {
    /** The gateway's URL. Default: http://127.0.0.1:8080. */
    readonly url?: string | URL | undefined;
    /** The private key that pays: 32 bytes, or 64 hexadecimal digits with or without 0x. */
    readonly privateKey?: string | Uint8Array | undefined;
    /**
     * The path of a wallet file of `turnpike wallet`, in place of a key. The file is created on first use if it does not
     * exist.
     */
    readonly wallet?: string | undefined;
    /** The highest price of one call, such as `0.05`, `0.05 USDC` or `$0.05`. Default: 1 USDC. */
    readonly maxPrice?: string | undefined;
    /** Sends the requests. Default: the global fetch. */
    readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
    /** Called after each successful payment. */
    readonly onPayment?: ((payment: Payment) => void) | undefined;
}
/**
 * The web content API of a gateway. Each call pays for itself. A call fails with a TurnpikeProblem if the service
 * responds with an error. It fails with a TurnpikePaymentError if it did not make a required payment, or if the outcome
 * of its payment is unknown. It fails with the error of fetch if the gateway cannot be reached.
 */
export declare class Turnpike extends Operations {
    #private;
    /** Throws if the URL, the key or the price is invalid. */
    constructor(options?: TurnpikeOptions);
    /** The address that pays; undefined if there is neither a key nor a wallet. */
    get address(): string | undefined;
    protected json<T>(target: OperationTarget, body: unknown, options?: CallOptions): Promise<T>;
    protected file(target: OperationTarget, body: unknown, options?: CallOptions): Promise<TurnpikeFile>;
    /**
     * Like the global fetch, for any URL on any x402 server. It pays the requested price, at most `maxPrice`. The
     * response may have any status. The request may be sent more than once, so the body cannot be a stream. A relative
     * URL is relative to the gateway's.
     */
    fetch(url: string | URL, init?: FetchOptions): Promise<Response>;
}
