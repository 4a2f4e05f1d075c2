// src/lib/parsed-json.ts
function parsedJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
}

// src/lib/http/response-bytes.ts
var MAX_RESPONSE_BYTES = 128 * 1024 * 1024;
async function readResponse(response) {
  const bytes = await readUpTo(response, MAX_RESPONSE_BYTES);
  if (bytes === undefined)
    throw new Error(`Cannot read the response: it has more than ${MAX_RESPONSE_BYTES} bytes`);
  return bytes;
}
async function readUpTo(response, most) {
  const chunks = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > most)
      return;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
async function readJsonUpTo(response, most) {
  const bytes = await readUpTo(response, most);
  return bytes === undefined ? undefined : parsedJson(Buffer.from(bytes.buffer).toString("utf8"));
}
async function readJsonResponse(response) {
  const value = JSON.parse(new TextDecoder().decode(await readResponse(response)));
  return value;
}

// src/lib/caught.ts
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
function codeOf(error) {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

// src/payments/x402/address.ts
var ADDRESS = /^0x[0-9a-fA-F]{40}$/;
function isAddress(text) {
  return ADDRESS.test(text);
}
function sameAddress(a, b) {
  return a.toLowerCase() === b.toLowerCase();
}

// src/payments/x402/header.ts
var MAX_HEADER_LENGTH = 8192;
var BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
var decoder = new TextDecoder("utf-8", { fatal: true });
function decodeHeader(text) {
  if (text.length === 0 || text.length > MAX_HEADER_LENGTH || !BASE64.test(text))
    return;
  try {
    return JSON.parse(decoder.decode(Buffer.from(text, "base64")));
  } catch {
    return;
  }
}
function encodeHeader(value) {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64");
}

// src/payments/x402/messages.ts
import { z } from "zod";

// src/payments/x402/price.ts
var ATOMIC = /^(?:0|[1-9][0-9]{0,77})$/;
var DOLLARS = /^\$(0|[1-9][0-9]{0,17})(?:\.([0-9]{1,18}))?$/;
var UINT256_MAX = (1n << 256n) - 1n;
function isAtomic(text) {
  return ATOMIC.test(text) && BigInt(text) <= UINT256_MAX;
}
function parsePrice(text, decimals) {
  const amount = isAtomic(text) ? text : dollarsToAtomic(text, decimals);
  if (amount === "0")
    throw new Error(`Cannot use the price "${text}": it is zero`);
  return amount;
}
function dollarsToAtomic(text, decimals) {
  const match = DOLLARS.exec(text);
  if (match === null) {
    throw new Error(`Cannot read the price "${text}": it is neither atomic units ("10000") nor dollars ("$0.01")`);
  }
  const [, whole = "", fraction = ""] = match;
  const places = fraction.replace(/0+$/, "");
  if (places.length > decimals) {
    throw new Error(`Cannot use the price "${text}": the token has ${decimals} decimal places`);
  }
  return BigInt(whole + places.padEnd(decimals, "0")).toString();
}
function formatAmount(atomic, decimals) {
  if (decimals === 0)
    return atomic;
  const digits = atomic.padStart(decimals + 1, "0");
  const fraction = digits.slice(-decimals).replace(/0+$/, "");
  return `${digits.slice(0, -decimals)}.${fraction.padEnd(Math.min(2, decimals), "0")}`;
}

// src/payments/x402/messages.ts
var PAYMENT_REQUIRED = "PAYMENT-REQUIRED";
var PAYMENT_SIGNATURE = "PAYMENT-SIGNATURE";
var PAYMENT_RESPONSE = "PAYMENT-RESPONSE";
var MAX_TEXT = 2048;
var SIGNATURE = /^0x(?:[0-9a-fA-F]{2}){65,4096}$/;
var text = z.string().max(MAX_TEXT);
var address = z.custom((value) => typeof value === "string" && isAddress(value), "must be an address");
var atomic = z.string().refine(isAtomic, "must be a decimal whole number");
var nonce = z.custom((value) => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value), "must be 32 bytes of hex");
var signature = z.custom((value) => typeof value === "string" && SIGNATURE.test(value), "must be a signature in hex");
var record = z.record(z.string(), z.unknown());
var resourceInfo = z.looseObject({
  url: text,
  description: text.optional(),
  mimeType: text.optional()
});
var paymentRequirementsSchema = z.looseObject({
  scheme: text,
  network: text,
  amount: atomic,
  asset: text,
  payTo: text,
  maxTimeoutSeconds: z.int().positive(),
  extra: record.default({})
});
var paymentRequiredSchema = z.looseObject({
  x402Version: z.literal(2),
  error: text.optional(),
  resource: resourceInfo,
  accepts: z.array(paymentRequirementsSchema).max(32),
  extensions: record.optional()
});
var authorization = z.object({
  from: address,
  to: address,
  value: atomic,
  validAfter: atomic,
  validBefore: atomic,
  nonce
});
var ofOneTransfer = z.record(z.string(), z.unknown()).refine((payload) => !(("authorization" in payload) && ("permit2Authorization" in payload)));
var eip3009Payload = ofOneTransfer.pipe(z.object({ signature, authorization }));
var permit2Payload = ofOneTransfer.pipe(z.object({
  signature,
  permit2Authorization: z.object({
    permitted: z.object({ token: address, amount: atomic }),
    from: address,
    spender: address,
    nonce: atomic,
    deadline: atomic,
    witness: z.object({ to: address, facilitator: address.optional(), validAfter: atomic })
  })
}));
var paymentPayloadSchema = z.looseObject({
  x402Version: z.literal(2),
  resource: resourceInfo.optional(),
  accepted: paymentRequirementsSchema,
  payload: z.union([eip3009Payload, permit2Payload]),
  extensions: record.optional()
});
var eip3009PaymentSchema = paymentPayloadSchema.extend({ payload: eip3009Payload });
var permit2PaymentSchema = paymentPayloadSchema.extend({ payload: permit2Payload });
var verifyResponseSchema = z.looseObject({
  isValid: z.boolean(),
  invalidReason: text.nullish(),
  payer: text.nullish()
});
var settleResponseSchema = z.looseObject({
  success: z.boolean(),
  transaction: text.nullish(),
  network: text.nullish(),
  payer: text.nullish(),
  errorReason: text.nullish(),
  extra: z.looseObject({ definite: z.boolean().optional().catch(undefined) }).nullish().catch(undefined)
});
var receiptSchema = z.looseObject({
  success: z.boolean(),
  transaction: text,
  network: text,
  payer: text.optional(),
  amount: text.optional(),
  errorReason: text.optional(),
  extra: record.optional()
});

// src/payments/x402/networks.ts
var KNOWN = [
  { name: "base", title: "Base", network: "eip155:8453" },
  { name: "base-sepolia", title: "Base Sepolia", network: "eip155:84532" },
  { name: "avalanche", title: "Avalanche", network: "eip155:43114" },
  { name: "avalanche-fuji", title: "Avalanche Fuji", network: "eip155:43113" },
  { name: "ethereum", title: "Ethereum", network: "eip155:1" }
];
var EIP155 = /^eip155:[1-9][0-9]{0,14}$/;
function isNetwork(text) {
  return EIP155.test(text);
}
function parseNetwork(text) {
  if (isNetwork(text))
    return text;
  return KNOWN.find(({ name }) => name === text)?.network;
}
function chainId(network) {
  if (!isNetwork(network))
    throw new Error(`Cannot read a chain id: "${network}" is not an eip155 network`);
  return BigInt(network.slice("eip155:".length));
}
function networkTitle(network) {
  const known = KNOWN.find((candidate) => candidate.network === network);
  return known === undefined ? network : `${known.title} (${network})`;
}

// src/payments/x402/v1.ts
import { z as z2 } from "zod";

// src/payments/x402/address-hash.ts
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
function checksumAddress(address) {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(digits)));
  let text = "";
  for (let i = 0;i < digits.length; i++) {
    const digit = digits.charAt(i);
    text += Number.parseInt(hash.charAt(i), 16) >= 8 ? digit.toUpperCase() : digit;
  }
  return `0x${text}`;
}
function addressOfKey(publicKey) {
  return `0x${bytesToHex(keccak_256(publicKey.subarray(1)).subarray(12))}`;
}

// src/payments/x402/assets.ts
function usdc(network, address, name) {
  return { network, address, symbol: "USDC", name, version: "2", decimals: 6 };
}
var ASSETS = [
  usdc("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USD Coin"),
  usdc("eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC"),
  usdc("eip155:43114", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USD Coin"),
  usdc("eip155:43113", "0x5425890298aed601595a70AB815c96711a31Bc65", "USD Coin"),
  usdc("eip155:1", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USD Coin")
];
function findAsset(network, text) {
  return ASSETS.find((asset) => asset.network === network && (asset.symbol.toLowerCase() === text.toLowerCase() || sameAddress(asset.address, text)));
}

// src/payments/x402/transfer.ts
var PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

// src/payments/x402/lost-payee.ts
var WORTHLESS = new Set([
  "eip155:84532",
  "eip155:43113",
  "eip155:11155111",
  "eip155:1337",
  "eip155:31337"
]);
var ZEROS = "0".repeat(16);

// src/payments/x402/terms.ts
function methodOf({ scheme, extra }) {
  return extra["assetTransferMethod"] ?? (scheme === "upto" ? "permit2" : "eip3009");
}
function flowOf({ extra }) {
  return extra["paymentFlow"] ?? "authorization";
}

// src/payments/x402/v1.ts
var X_PAYMENT = "X-PAYMENT";
var X_PAYMENT_RESPONSE = "X-PAYMENT-RESPONSE";
var CHAIN_IDS = {
  ethereum: 1,
  sepolia: 11155111,
  abstract: 2741,
  "abstract-testnet": 11124,
  "base-sepolia": 84532,
  base: 8453,
  "avalanche-fuji": 43113,
  avalanche: 43114,
  iotex: 4689,
  sei: 1329,
  "sei-testnet": 1328,
  polygon: 137,
  "polygon-amoy": 80002,
  peaq: 3338,
  story: 1514,
  educhain: 41923,
  "skale-base-sepolia": 324705682,
  megaeth: 4326,
  monad: 143,
  stable: 988,
  "stable-testnet": 2201,
  celo: 42220,
  flare: 14
};
var NETWORKS = new Map(Object.entries(CHAIN_IDS).map(([name, id]) => [name, `eip155:${id}`]));
var NAMES = new Map(Object.entries(CHAIN_IDS).map(([name, id]) => [`eip155:${id}`, name]));
function v1Network(network) {
  return NAMES.get(network);
}
function isByEip3009(requirements) {
  return requirements.scheme === "exact" && methodOf(requirements) === "eip3009";
}
var v1PaymentSchema = z2.looseObject({
  x402Version: z2.literal(1),
  scheme: z2.literal("exact"),
  network: z2.string().max(64),
  payload: eip3009PaymentSchema.shape.payload
});
var v1RequirementsSchema = z2.looseObject({
  scheme: z2.literal("exact"),
  network: z2.string(),
  maxAmountRequired: z2.string().refine(isAtomic),
  payTo: z2.string(),
  maxTimeoutSeconds: z2.int().positive(),
  asset: z2.string(),
  extra: z2.record(z2.string(), z2.unknown()).nullish()
});
var v1ChallengeSchema = z2.looseObject({
  x402Version: z2.literal(1),
  accepts: z2.array(z2.unknown()).max(32)
});
function fromV1Challenge(body, url) {
  const parsed = v1ChallengeSchema.safeParse(body);
  if (!parsed.success)
    return;
  const accepts = parsed.data.accepts.flatMap((way) => {
    const { success, data } = v1RequirementsSchema.safeParse(way);
    const network = success ? NETWORKS.get(data.network) : undefined;
    if (!success || network === undefined)
      return [];
    const { scheme, maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds, extra } = data;
    const requirements = { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra: extra ?? {} };
    return isByEip3009(requirements) ? [requirements] : [];
  });
  return { x402Version: 2, resource: { url }, accepts };
}
function toV1Payment({ accepted, payload }) {
  const network = v1Network(accepted.network) ?? accepted.network;
  return { x402Version: 1, scheme: accepted.scheme, network, payload };
}
function fromV1Network(network) {
  return NETWORKS.get(network) ?? network;
}

// src/payments/client/choice.ts
class PaymentDeclined extends Error {
}

class PriceTooHigh extends PaymentDeclined {
}
var PLACES = 36;
function dollarsOf({ requirements, asset }) {
  return BigInt(requirements.amount) * 10n ** BigInt(PLACES - asset.decimals);
}
function parseDollars(text) {
  return BigInt(parsePrice(text, PLACES));
}
function formatDollars(amount) {
  return `$${formatAmount(amount.toString(), PLACES)}`;
}
async function choosePayment(required, options) {
  const known = required.accepts.flatMap((requirements) => choiceOf(requirements, options.assets ?? []) ?? []);
  const payable = known.filter(({ requirements }) => isAddress(requirements.payTo));
  if (known.length > 0 && payable.length === 0)
    throw new PaymentDeclined("Cannot pay: the payee is not an address");
  const limit = parseDollars(options.maxPrice);
  const affordable = payable.filter((choice) => dollarsOf(choice) <= limit).toSorted(cheapestFirst);
  const [cheapest] = payable.toSorted(cheapestFirst);
  if (affordable.length === 0 && cheapest !== undefined) {
    throw new PriceTooHigh(`Cannot pay ${formatDollars(dollarsOf(cheapest))}: the limit is ${options.maxPrice}`);
  }
  const candidates = (await Promise.all(affordable.map((choice) => weigh(choice, options)))).filter((candidate) => candidate !== undefined);
  const [best] = candidates.toSorted((a, b) => a.rank - b.rank);
  if (best === undefined)
    throw noneKnown(required);
  return best.choice;
}
function noneKnown({ accepts }) {
  const asked = accepts.map(({ scheme, network }) => `${scheme} on ${networkTitle(network)}`).join(", ");
  return new PaymentDeclined(`Cannot pay: this client supports none of the payment methods asked for (${asked || "none"})`);
}
function cheapestFirst(a, b) {
  const difference = dollarsOf(a) - dollarsOf(b);
  if (difference !== 0n)
    return difference < 0n ? -1 : 1;
  return Number(flowOf(a.requirements) === "upfront") - Number(flowOf(b.requirements) === "upfront");
}
function choiceOf(requirements, assets) {
  const { scheme, extra } = requirements;
  const network = parseNetwork(requirements.network);
  const flow = flowOf(requirements);
  const asset = assets.find((candidate) => candidate.network === network && sameToken(candidate, requirements.asset)) ?? findAsset(requirements.network, requirements.asset);
  if (network === undefined || asset === undefined)
    return;
  const method = methodOf(requirements);
  const isExact = scheme === "exact" && (flow === "authorization" || flow === "upfront");
  if (isExact && method === "eip3009")
    return { requirements, asset, method };
  const facilitator = extra["facilitatorAddress"];
  const isUpto = scheme === "upto" && flow === "authorization" && typeof facilitator === "string" && isAddress(facilitator);
  return (isExact || isUpto) && method === "permit2" ? { requirements, asset, method } : undefined;
}
function sameToken({ address }, text) {
  return address.toLowerCase() === text.toLowerCase();
}
async function weigh(choice, { funds }) {
  const found = await funds?.(choice);
  const amount = BigInt(choice.requirements.amount);
  if (choice.method === "permit2" && (found === undefined || found.allowance < amount))
    return;
  if (found === undefined)
    return { choice, rank: 1 };
  return { choice, rank: found.balance < amount ? 2 : 0 };
}

// src/payments/signatures/eip712.ts
import { keccak_256 as keccak_2562 } from "@noble/hashes/sha3.js";
import { hexToBytes, utf8ToBytes as utf8ToBytes2 } from "@noble/hashes/utils.js";
function hashText(text) {
  return keccak_2562(utf8ToBytes2(text));
}
function word(hex) {
  return hexToBytes(hex.padStart(64, "0"));
}
function numberWord(value) {
  return word(value.toString(16));
}
function hashWords(words) {
  const hash = keccak_2562.create();
  for (const item of words)
    hash.update(item);
  return hash.digest();
}
function signedHash(domain, struct) {
  return hashWords([Uint8Array.of(25, 1), domain, struct]);
}

// src/payments/signatures/permit2-typed-data.ts
var PROXIES = {
  exact: "0x402085c248EeA27D92E8b30b2C58ed07f9E20001",
  upto: "0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002"
};
var DOMAIN_TYPE = hashText("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
var DOMAIN_NAME = hashText("Permit2");
var TOKEN_PERMISSIONS = "TokenPermissions(address token,uint256 amount)";
var EXACT_WITNESS = "Witness(address to,uint256 validAfter)";
var UPTO_WITNESS = "Witness(address to,address facilitator,uint256 validAfter)";
var PERMIT = "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)";
var TOKEN_PERMISSIONS_TYPE = hashText(TOKEN_PERMISSIONS);
var EXACT_WITNESS_TYPE = hashText(EXACT_WITNESS);
var UPTO_WITNESS_TYPE = hashText(UPTO_WITNESS);
var EXACT_PERMIT_TYPE = hashText(PERMIT + TOKEN_PERMISSIONS + EXACT_WITNESS);
var UPTO_PERMIT_TYPE = hashText(PERMIT + TOKEN_PERMISSIONS + UPTO_WITNESS);
function domainHash(network) {
  return hashWords([DOMAIN_TYPE, DOMAIN_NAME, numberWord(chainId(network)), word(PERMIT2.slice(2))]);
}
function witnessHash({ to, facilitator, validAfter }) {
  return hashWords([
    facilitator === undefined ? EXACT_WITNESS_TYPE : UPTO_WITNESS_TYPE,
    word(to.slice(2)),
    ...facilitator === undefined ? [] : [word(facilitator.slice(2))],
    numberWord(BigInt(validAfter))
  ]);
}
function permit2Hash(network, authorization) {
  const { permitted, spender, nonce, deadline, witness } = authorization;
  const message = hashWords([
    witness.facilitator === undefined ? EXACT_PERMIT_TYPE : UPTO_PERMIT_TYPE,
    hashWords([TOKEN_PERMISSIONS_TYPE, word(permitted.token.slice(2)), numberWord(BigInt(permitted.amount))]),
    word(spender.slice(2)),
    numberWord(BigInt(nonce)),
    numberWord(BigInt(deadline)),
    witnessHash(witness)
  ]);
  return signedHash(domainHash(network), message);
}

// src/payments/signatures/signature.ts
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { bytesToHex as bytesToHex2, hexToBytes as hexToBytes2 } from "@noble/hashes/utils.js";
var HALF_ORDER = secp256k1.Point.Fn.ORDER >> 1n;
function signHash(hash, privateKey) {
  const recoverable = secp256k1.sign(hash, privateKey, { prehash: false, format: "recovered" });
  const v = (recoverable[0] ?? 0) + 27;
  return `0x${bytesToHex2(recoverable.subarray(1))}${v.toString(16)}`;
}
function addressOfPrivateKey(privateKey) {
  return addressOfKey(secp256k1.getPublicKey(privateKey, false));
}

// src/payments/signatures/typed-data.ts
var DOMAIN_TYPE2 = hashText("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
var TRANSFER_TYPE = hashText("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)");
function domainHash2({ name, version, network, asset }) {
  return hashWords([
    DOMAIN_TYPE2,
    hashText(name),
    hashText(version),
    numberWord(chainId(network)),
    word(asset.slice(2))
  ]);
}
function authorizationHash(domain, authorization) {
  const message = hashWords([
    TRANSFER_TYPE,
    word(authorization.from.slice(2)),
    word(authorization.to.slice(2)),
    numberWord(BigInt(authorization.value)),
    numberWord(BigInt(authorization.validAfter)),
    numberWord(BigInt(authorization.validBefore)),
    word(authorization.nonce.slice(2))
  ]);
  return signedHash(domainHash2(domain), message);
}

// src/payments/client/sign-choice.ts
var MAX_VALID_S = 600;
var PAYMENT_IDENTIFIER = "payment-identifier";
function expiryOf({ requirements }, now) {
  return Math.floor(now / 1000) + Math.min(requirements.maxTimeoutSeconds, MAX_VALID_S);
}
function signChoice(required, choice, account, expires) {
  const { requirements } = choice;
  const until = String(expires);
  const payload = choice.method === "permit2" ? permit(choice, account, until) : authorize(choice, account, until);
  const payment = { x402Version: 2, resource: required.resource, accepted: requirements, payload };
  const extensions = echo(required);
  const whole = extensions === undefined ? payment : { ...payment, extensions };
  if (encodeHeader(whole).length <= MAX_HEADER_LENGTH)
    return whole;
  const id = extensions?.[PAYMENT_IDENTIFIER];
  return id === undefined ? payment : { ...payment, extensions: { [PAYMENT_IDENTIFIER]: id } };
}
function payeeOf({ payTo }) {
  if (!isAddress(payTo))
    throw new PaymentDeclined("Cannot pay: the payee is not an address");
  return payTo;
}
function authorize({ requirements, asset }, account, validBefore) {
  const authorization = {
    from: account.address,
    to: payeeOf(requirements),
    value: requirements.amount,
    validAfter: "0",
    validBefore,
    nonce: `0x${randomHex()}`
  };
  const domain = { name: asset.name, version: asset.version, network: asset.network, asset: asset.address };
  return { signature: signHash(authorizationHash(domain, authorization), account.privateKey), authorization };
}
function permit({ requirements, asset }, account, deadline) {
  const { scheme, amount, extra } = requirements;
  const facilitator = extra["facilitatorAddress"];
  const isUpto = scheme === "upto";
  if (isUpto && (typeof facilitator !== "string" || !isAddress(facilitator))) {
    throw new PaymentDeclined("Cannot pay: the facilitator is not an address");
  }
  const permit2Authorization = {
    permitted: { token: asset.address, amount },
    from: account.address,
    spender: PROXIES[isUpto ? "upto" : "exact"],
    nonce: BigInt(`0x${randomHex()}`).toString(),
    deadline,
    witness: {
      to: payeeOf(requirements),
      ...isUpto && typeof facilitator === "string" && isAddress(facilitator) ? { facilitator } : {},
      validAfter: "0"
    }
  };
  const hash = permit2Hash(asset.network, permit2Authorization);
  return { signature: signHash(hash, account.privateKey), permit2Authorization };
}
function randomHex() {
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
function echo({ extensions }) {
  const offered = extensions?.[PAYMENT_IDENTIFIER];
  if (typeof offered !== "object" || offered === null)
    return extensions;
  const info = Reflect.get(offered, "info");
  const named = { ...typeof info === "object" ? info : {}, id: `pay_${randomHex()}` };
  return { ...extensions, [PAYMENT_IDENTIFIER]: { ...offered, info: named } };
}

// src/payments/client/client.ts
class PaymentOutcomeUnknown extends Error {
  constructor(reason, options) {
    super(`Cannot find out the result of the payment: ${reason}; it may have been charged`, options);
  }
}
var MAX_READ_BYTES = 256 * 1024;
var NO_RESPONSE_WAIT_MS = 1000;
var MAX_RESENDS = 5;
var PENDING = "urn:turnpike:error:settlement-pending";
var MAX_WAIT_MS = 1e4;
async function payAndFetch(url, init, options) {
  const send = options.fetch ?? fetch;
  const first = await send(url, init);
  if (first.status !== 402)
    return { response: first, choice: undefined, receipt: undefined, isOpen: false, isFree: false };
  if (first.redirected) {
    await first.body?.cancel();
    const price = `the price is not from ${originOf(url)}, which redirected the request to ${originOf(first.url)}`;
    throw new PaymentDeclined(`Cannot pay: ${price}. Call that address instead`);
  }
  const challenge = await readChallenge(first, url);
  const { required } = challenge;
  const choice = await choosePayment(required, options);
  init.signal?.throwIfAborted();
  const account = options.account();
  const release = options.spend?.(dollarsOf(choice));
  const expires = expiryOf(choice, (options.now ?? Date.now)());
  const payment = signChoice(required, choice, account, expires);
  const headers = new Headers(init.headers);
  if (challenge.version === 2)
    headers.set(PAYMENT_SIGNATURE, encodeHeader(payment));
  else
    headers.set(X_PAYMENT, encodeHeader(toV1Payment(payment)));
  const paid = { ...init, headers, redirect: "manual" };
  const sent = await sendPaid(() => send(url, paid), init.signal ?? undefined, options.sleep ?? sleepFor);
  const { response } = sent;
  const receipt = readReceipt(response, choice, account);
  if (response.ok || receipt?.success === true)
    return { response, choice, receipt, isOpen: false, isFree: false };
  const isOpen = sent.wasBroken || receipt === undefined && await isOpenAfter(response);
  if (!isOpen)
    release?.(expires);
  return { response, choice, receipt, isOpen, isFree: !isOpen };
}
async function isOpenAfter(response) {
  if (receiptField(response) !== null)
    return true;
  if (response.status === 409)
    return waitBeforeResend(response) !== undefined;
  return response.status === 503 && await isPending(response.clone());
}
function originOf(url) {
  return URL.parse(url)?.origin ?? "the gateway";
}
function sleepFor(ms) {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
async function sendPaid(send, signal, sleep) {
  let wasBroken = false;
  for (let resends = 0;; resends++) {
    const last = resends === MAX_RESENDS;
    const response = await send().catch((error) => {
      if (signal?.aborted === true)
        throw new PaymentOutcomeUnknown("the call was given up", { cause: error });
      if (last)
        throw new PaymentOutcomeUnknown(codeOf(error) ?? "no response", { cause: error });
    });
    const wait = response === undefined ? NO_RESPONSE_WAIT_MS : waitBeforeResend(response);
    if (response !== undefined && (wait === undefined || last))
      return { response, wasBroken };
    wasBroken ||= response === undefined;
    await response?.body?.cancel();
    await Promise.race([sleep(wait ?? NO_RESPONSE_WAIT_MS), aborted(signal)]);
  }
}
function aborted(signal) {
  return new Promise((resolve) => {
    if (signal?.aborted === true)
      resolve();
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
function waitBeforeResend(response) {
  const seconds = response.headers.get("retry-after") ?? "";
  if (response.status !== 503 && response.status !== 409 || !/^[0-9]{1,4}$/.test(seconds))
    return;
  return Math.min(Number(seconds) * 1000, MAX_WAIT_MS);
}
async function isPending(response) {
  const problem = await readJsonUpTo(response, MAX_READ_BYTES).catch(() => {
    return;
  });
  return typeof problem === "object" && problem !== null && Reflect.get(problem, "type") === PENDING;
}
async function readChallenge(response, url) {
  const header = response.headers.get(PAYMENT_REQUIRED);
  if (header === null) {
    const body = await readJsonUpTo(response, MAX_READ_BYTES).catch(() => {
      return;
    });
    const required = fromV1Challenge(body, url);
    if (required !== undefined)
      return { version: 1, required };
    throw new PaymentDeclined("Cannot pay: the 402 has no x402 payment requirements, neither in PAYMENT-REQUIRED nor in its body");
  }
  await response.body?.cancel();
  const parsed = paymentRequiredSchema.safeParse(decodeHeader(header));
  if (!parsed.success)
    throw new PaymentDeclined("Cannot pay: the 402 has no readable PAYMENT-REQUIRED header");
  return { version: 2, required: parsed.data };
}
var TRANSACTION = /^(?:0x[0-9a-fA-F]{1,64})?$/;
function receiptField({ headers }) {
  return headers.get(PAYMENT_RESPONSE) ?? headers.get(X_PAYMENT_RESPONSE);
}
function readReceipt(response, { requirements }, account) {
  const parsed = receiptSchema.safeParse(decodeHeader(receiptField(response) ?? ""));
  if (!parsed.success)
    return;
  const { network, payer, transaction, amount } = parsed.data;
  const isOurs = fromV1Network(network) === requirements.network && (payer === undefined || sameAddress(payer, account.address));
  const isWithin = amount === undefined || typeof amount === "string" && isAtomic(amount) && BigInt(amount) <= BigInt(requirements.amount);
  return isOurs && isWithin && TRANSACTION.test(transaction) ? parsed.data : undefined;
}

// src/payments/client/limit.ts
var AMOUNT = /^(?:\$((?:0|[1-9]\d{0,8})(?:\.\d{1,6})?)|((?:0|[1-9]\d{0,8})(?:\.\d{1,6})?)(?: ?USDC)?)$/i;
function readLimit(text) {
  const [, dollars, plain] = AMOUNT.exec(text.trim()) ?? [];
  const amount = dollars ?? plain;
  return amount === undefined || !/[1-9]/.test(amount) ? undefined : `$${amount}`;
}

// src/payments/client/wallet.ts
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { secp256k1 as secp256k12 } from "@noble/curves/secp256k1.js";
import { bytesToHex as bytesToHex3, hexToBytes as hexToBytes3 } from "@noble/hashes/utils.js";
import { z as z3 } from "zod";

// src/lib/files/whole-file.ts
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
function createWholeFile(path, text) {
  withDraft(path, text, (draft) => {
    linkSync(draft, path);
    rmSync(draft);
  });
}
function withDraft(path, text, finish) {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    writeDraft(draft, text, finish);
  } catch (error) {
    if (error instanceof Error)
      error.message = error.message.replaceAll(draft, path);
    throw error;
  }
}
function writeDraft(draft, text, finish) {
  const file = openSync(draft, "wx", 384);
  try {
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    finish(draft);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

// src/payments/client/wallet.ts
var walletFile = z3.object({
  version: z3.literal(1),
  address: z3.string(),
  private_key: z3.string().regex(/^0x[0-9a-fA-F]{64}$/)
});
function openWallet(path) {
  const present = readWallet(path);
  if (present !== undefined)
    return { account: present, created: false };
  const created = createWallet(path, secp256k12.keygen().secretKey);
  const account = readWallet(path);
  if (account === undefined)
    throw new Error(`Cannot use the wallet "${path}": it disappeared while it was read`);
  return { account, created };
}
function readWallet(path) {
  let text;
  try {
    const { mode } = statSync(path);
    if ((mode & 63) !== 0) {
      const shown = (mode & 511).toString(8).padStart(4, "0");
      throw new Error(`other users can read it (mode ${shown}); protect it with: chmod 600 "${path}"`);
    }
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT")
      return;
    throw new Error(`Cannot use the wallet "${path}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  }
  return parseWallet(path, text);
}
function parseWallet(path, text) {
  const parsed = walletFile.safeParse(parsedJson(text));
  if (!parsed.success)
    throw new Error(`Cannot use the wallet "${path}": it is not a wallet file`);
  const privateKey = hexToBytes3(parsed.data.private_key.slice(2));
  if (!secp256k12.utils.isValidSecretKey(privateKey)) {
    throw new Error(`Cannot use the wallet "${path}": its key is not valid for secp256k1`);
  }
  const address = checksumAddress(addressOfPrivateKey(privateKey));
  if (address.toLowerCase() !== parsed.data.address.toLowerCase()) {
    throw new Error(`Cannot use the wallet "${path}": its address does not belong to its key`);
  }
  return { address, privateKey };
}
function createWallet(path, secretKey) {
  const wallet = {
    version: 1,
    address: checksumAddress(addressOfPrivateKey(secretKey)),
    private_key: `0x${bytesToHex3(secretKey)}`
  };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 448 });
    createWholeFile(path, `${JSON.stringify(wallet, undefined, 2)}
`);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST")
      return false;
    throw new Error(`Cannot make a wallet at "${path}": ${codeOf(error) ?? messageOf(error)}`, { cause: error });
  }
}

// src/client/operations.ts
class Operations {
  search(request, options) {
    return this.json({ method: "POST", path: "/search" }, request, options);
  }
  search_content(request, options) {
    return this.json({ method: "POST", path: "/search/content" }, request, options);
  }
  scrape(request, options) {
    return this.json({ method: "POST", path: "/scrape" }, request, options);
  }
  batch(request, options) {
    return this.json({ method: "POST", path: "/batch" }, request, options);
  }
  extract(request, options) {
    return this.json({ method: "POST", path: "/extract" }, request, options);
  }
  read(request, options) {
    return this.json({ method: "POST", path: "/read" }, request, options);
  }
  pdf(request, options) {
    return this.file({ method: "POST", path: "/pdf" }, request, options);
  }
  screenshot(request, options) {
    return this.file({ method: "POST", path: "/screenshot" }, request, options);
  }
  resolve(request, options) {
    return this.json({ method: "POST", path: "/resolve" }, request, options);
  }
  qr(request, options) {
    return this.file({ method: "POST", path: "/qr" }, request, options);
  }
  health(options) {
    return this.json({ method: "GET", path: "/health" }, undefined, options);
  }
}

// src/client/turnpike-error.ts
class TurnpikeProblem extends Error {
  status;
  code;
  title;
  detail;
  requestId;
  errors;
  pageStatus;
  retryAfter;
  constructor(status, problem, headers) {
    const fields = typeof problem === "object" && problem !== null ? new Map(Object.entries(problem)) : new Map;
    const text = (name) => {
      const value = fields.get(name);
      return typeof value === "string" ? value : "";
    };
    const title = text("title") || `HTTP ${status}`;
    const detail = text("detail");
    super(detail === "" ? `${status} ${title}` : `${status} ${title}: ${detail}`);
    this.name = "TurnpikeProblem";
    this.status = status;
    this.code = /^urn:turnpike:error:([\w-]+)$/.exec(text("type"))?.[1] ?? "";
    this.title = title;
    this.detail = detail;
    this.requestId = text("instance") || (headers.get("x-request-id") ?? undefined);
    this.errors = fieldErrors(fields.get("errors"));
    const pageStatus = fields.get("page_status");
    this.pageStatus = typeof pageStatus === "number" ? pageStatus : undefined;
    const seconds = headers.get("retry-after") ?? "";
    this.retryAfter = /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined;
  }
}
function fieldErrors(value) {
  if (!Array.isArray(value))
    return [];
  return value.flatMap((error) => {
    if (typeof error !== "object" || error === null || !("path" in error) || !("message" in error))
      return [];
    return [{ path: String(error.path), message: String(error.message) }];
  });
}

class TurnpikePaymentError extends Error {
  maybeCharged;
  constructor(message, maybeCharged, cause) {
    super(message, { cause });
    this.name = "TurnpikePaymentError";
    this.maybeCharged = maybeCharged;
  }
}

// src/client/client.ts
var DEFAULT_URL = "http://127.0.0.1:8080";
var DEFAULT_MAX_PRICE = "1 USDC";

class Turnpike extends Operations {
  #base;
  #options;
  #maxPrice;
  #account;
  constructor(options = {}) {
    super();
    const url = new URL(options.url ?? DEFAULT_URL);
    if (!/^https?:$/.test(url.protocol))
      throw new TypeError(`Cannot use the URL "${url.href}": it is not http or https`);
    this.#base = url.href.replace(/\/+$/, "");
    this.#options = options;
    this.#maxPrice = limitOf(options.maxPrice ?? DEFAULT_MAX_PRICE);
    if (options.privateKey !== undefined)
      this.#account = accountOf(options.privateKey);
  }
  get address() {
    return this.#account?.address ?? (this.#options.wallet === undefined ? undefined : this.#payer().address);
  }
  async json(target, body, options) {
    return await this.#read(target, body, options, async (response) => await readJsonResponse(response));
  }
  async file(target, body, options) {
    return await this.#read(target, body, options, async (response) => {
      const contentType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim() ?? "";
      return { bytes: await readResponse(response), contentType };
    });
  }
  async#read(target, body, options, read) {
    const { response, choice } = await this.#send(target, body, options);
    try {
      return await read(response);
    } catch (error) {
      if (choice === undefined)
        throw error;
      throw new TurnpikePaymentError("Cannot read the response that was paid for: it ended early, or is not a response of this service", true, error);
    }
  }
  async fetch(url, init = {}) {
    const { maxPrice, ...rest } = init;
    const { href } = new URL(url, `${this.#base}/`);
    const { response } = await this.#pay(href, await repeatable(rest), { maxPrice, path: href });
    return response;
  }
  async#send({ method, path }, body, options = {}) {
    const init = {
      method,
      ...method === "GET" ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
      ...options.signal === undefined ? {} : { signal: options.signal }
    };
    const paid = await this.#pay(this.#base + path, init, { maxPrice: options.maxPrice, path });
    const { response } = paid;
    if (!response.ok)
      throw new TurnpikeProblem(response.status, await problemOf(response), response.headers);
    return paid;
  }
  async#pay(url, init, { maxPrice, path }) {
    const { fetch: fetch2 } = this.#options;
    const pay = {
      account: () => this.#payer(),
      maxPrice: maxPrice === undefined ? this.#maxPrice : limitOf(maxPrice),
      ...fetch2 === undefined ? {} : { fetch: fetch2 }
    };
    const paid = await payAndFetch(url, init, pay).catch((error) => {
      throw paymentError(error);
    });
    const { choice, receipt } = paid;
    if (choice !== undefined && receipt?.success === true)
      this.#options.onPayment?.(paymentOf(path, choice, receipt));
    return paid;
  }
  #payer() {
    const { wallet } = this.#options;
    if (this.#account === undefined && wallet === undefined) {
      throw new PaymentDeclined("Cannot pay: there is no privateKey and no wallet");
    }
    this.#account ??= openWallet(wallet ?? "").account;
    return this.#account;
  }
}
async function repeatable(init) {
  const { body } = init;
  if (body instanceof ReadableStream || typeof body === "object" && body !== null && Symbol.asyncIterator in body) {
    throw new TypeError("Cannot send a stream: the request may have to be sent again. Read it into memory first");
  }
  if (!(body instanceof FormData))
    return init;
  const form = new Response(body);
  const headers = new Headers(init.headers);
  headers.set("content-type", form.headers.get("content-type") ?? "");
  return { ...init, headers, body: await form.arrayBuffer() };
}
function limitOf(price) {
  const limit = readLimit(price);
  if (limit === undefined)
    throw new TypeError(`Cannot use the maxPrice "${price}": it is not an amount such as 0.05`);
  return limit;
}
function accountOf(key) {
  const privateKey = typeof key === "string" ? bytesOf(key) : key;
  if (privateKey?.length !== 32)
    throw new TypeError("Cannot use the privateKey: it is not 32 bytes");
  try {
    return { privateKey, address: checksumAddress(addressOfPrivateKey(privateKey)) };
  } catch {
    throw new TypeError("Cannot use the privateKey: it is not valid for secp256k1");
  }
}
function bytesOf(hex) {
  const digits = /^(?:0x)?([\da-f]{64})$/i.exec(hex)?.[1];
  return digits === undefined ? undefined : new Uint8Array(Buffer.from(digits, "hex"));
}
function paymentError(error) {
  if (error instanceof PaymentDeclined)
    return new TurnpikePaymentError(error.message, false, error.cause);
  if (error instanceof PaymentOutcomeUnknown)
    return new TurnpikePaymentError(error.message, true, error.cause);
  return error;
}
function paymentOf(path, { requirements, asset }, { transaction }) {
  const price = `$${formatAmount(requirements.amount, asset.decimals)}`;
  return { path, price, network: requirements.network, transaction };
}
async function problemOf(response) {
  try {
    return await readJsonResponse(response);
  } catch {
    return;
  }
}
export {
  Turnpike,
  TurnpikePaymentError,
  TurnpikeProblem
};
