import { ERRORS, type ErrorCode, problemType, type Problem } from "../../lib/errors.ts";
import { STOCK_CLIENTS } from "../../payments/x402/stock-client.ts";

/** The detail of each error in an example. Default: the error's title. */
const DETAILS: Partial<Record<ErrorCode, string>> = {
  "bad-request": "Cannot read the body: it is not JSON in UTF-8",
  "invalid-parameters": "Cannot accept the request: 'timeout' must be at most 120",
  "invalid-payment": "Cannot read the payment: the PAYMENT-SIGNATURE header is not base64",
  "payment-conflict": "Payment Already Used: it was made for another request.",
  "session-busy": "Cannot use the session: another request uses it",
  "facilitator-failed": "The payment could not be verified; nothing was charged. Send the same payment again.",
  "facilitator-unavailable": "The payment could not be verified; nothing was charged. Send the same payment again.",
  "settlement-pending": "It is not known whether the payment went through. Send the same payment again.",
  internal: "Cannot serve the request: see the log",
  "search-failed": "Cannot search: every provider failed",
  "search-unavailable": "Cannot search: no provider is configured",
  "search-timeout": "Cannot search: no provider responded in time",
  "resolve-failed": "Cannot resolve the question: no source was read and no search provider responded",
  "model-failed": "Cannot resolve the question: the language model failed: it responded with 500 (1 call, 0 tokens)",
  "body-too-large": "Cannot read the body: it has more than 1048576 bytes",
  "address-refused":
    "Cannot load the page: its address is not on the public Internet, or its port is neither 80 nor 443",
  "page-type-unsupported": "Cannot read the page: its type has no text",
  "scrape-failed": "Cannot evaluate the script: it threw TypeError: Cannot read properties of null",
  "action-failed": "Cannot do step 2 (click): no element matches",
  "page-failed": "Cannot load the page: its host name has no address",
  "page-challenge": "Cannot read the page: it shows a bot challenge (CAPTCHA)",
  "page-consent-wall": "Cannot read the page: it shows a consent dialog instead of its content",
  "page-empty": "Cannot read the page: it has no text",
  "fields-missing": "Cannot extract the fields: 'price' is required, and the page has no value for it",
  "page-timeout": "Cannot finish loading the page within 30 s",
  overloaded: "Cannot accept the request: too many requests are waiting; try again",
  "browser-unavailable": "The content service is starting; try again",
};

const INSTANCE = "01a1fb01-e675-745a-8782-7dbae25d301d";

/** An example of an error's problem document. `price` is the operation's price, if it is known. */
export function errorExample(code: ErrorCode, price?: string): Problem {
  const { title, status } = ERRORS[code];
  const asked = `This costs ${price ?? "the price in PAYMENT-REQUIRED"}. Pay with an x402 client, such as ${STOCK_CLIENTS}.`;
  return {
    type: problemType(code),
    title,
    status,
    detail: code === "payment-required" ? asked : (DETAILS[code] ?? title),
    instance: INSTANCE,
    ...(code === "invalid-parameters" ? { errors: [{ path: "timeout", message: "must be at most 120" }] } : {}),
  };
}
