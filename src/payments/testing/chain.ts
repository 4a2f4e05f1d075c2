import { z } from "zod";
import { until } from "../../lib/testing/until.ts";
import { type Address, type Hex, isAddress } from "../x402/address.ts";
import { type Argument, encodeArguments, encodeCall, wordAt } from "../evm/node/abi.ts";
import { type EvmNetwork } from "../x402/networks.ts";
import { startAnvil } from "./anvil.ts";
import { testContract } from "./contracts.ts";
import { patient } from "../../lib/testing/patience.ts";

export { hasChain } from "./anvil.ts";

/**
 * Timeout for a `beforeAll` that deploys, in milliseconds. The compiler takes seconds on a busy machine, once in each
 * process.
 */
export const CHAIN_SETUP_MS = patient(60_000);
const ETHER = 10n ** 18n;
const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const receipt = z.object({ status: z.string(), contractAddress: z.string().nullish() });
const reply = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).optional() });

/**
 * A token of src/payments/testing/contracts/token.sol. A sender needs no key: this chain accepts any address as the
 * sender.
 */
export interface TestToken {
  readonly address: Address;
  /** The name in its EIP-712 domain. */
  readonly name: string;
  readonly version: string;
  mint(to: Address, value: bigint): Promise<void>;
  balanceOf(owner: Address): Promise<bigint>;
  approve(owner: Address, spender: Address, value: bigint): Promise<void>;
  isUsed(owner: Address, nonce: Hex): Promise<boolean>;
}

export interface Call {
  /** Default: an account with money for gas that tests share. */
  readonly from?: Address;
  readonly to: Address;
  /** The result of `encodeCall` in ../evm/abi.ts; default empty. */
  readonly data?: Hex;
}

/** A real chain of one node, anvil. It mines a block for every transaction, unless `setMining(false)` was called. */
export interface Chain {
  readonly rpcUrl: string;
  readonly network: EvmNetwork;
  /** Calls the node; throws the node's error. */
  rpc(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Gives an account ether for gas, in wei. Default: 1000 ether. */
  fund(account: Address, wei?: bigint): Promise<void>;
  deployToken(options?: { name?: string; version?: string }): Promise<TestToken>;
  /**
   * Deploys a contract of src/payments/testing/contracts/ by name. `args` are those of the constructor, text as bytes.
   */
  deploy(contract: string, args?: readonly Argument[]): Promise<Address>;
  /** Puts a contract's code at the given address, without running its constructor; immutables stay 0. */
  place(contract: string, address: Address): Promise<void>;
  /** Sends a transaction, mines it, and returns its hash; throws if it reverts. */
  send(call: Call): Promise<Hex>;
  call(call: Call): Promise<Hex>;
  /** Mines `blocks` blocks; default 1. */
  mine(blocks?: number): Promise<void>;
  /** False: only mine() creates blocks, and transactions wait. */
  setMining(automatic: boolean): Promise<void>;
  /** The time of the newest block, in Unix seconds. */
  time(): Promise<number>;
  /** Moves the chain's clock forward, and mines a block with the new time. */
  passTime(seconds: number): Promise<void>;
  /** Saves the current state. The returned function restores it, once. */
  snapshot(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface ChainOptions {
  /** Default: 84532, Base Sepolia. */
  readonly chainId?: number;
}

/** One of anvil's own accounts with ether. It is not the well-known first one, with which tests pay. */
const SENDER: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";

type Rpc = Chain["rpc"];

function createRpc(url: string): Rpc {
  return async function rpc(method, params = []) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = reply.parse(await response.json());
    if (error !== undefined) throw new Error(`Cannot ${method}: ${error.message}`);
    return result;
  };
}

function toHex(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** Encodes text as a constructor's dynamic argument. */
function textBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

interface Transacted {
  readonly hash: Hex;
  readonly created: Address | undefined;
}

/** Sends transactions that are mined at once, also while automatic mining is off. */
function createSender(rpc: Rpc, isAutomatic: () => boolean): (transaction: object) => Promise<Transacted> {
  async function send(transaction: object): Promise<Transacted> {
    const hash = hex.parse(await rpc("eth_sendTransaction", [transaction]));
    if (!isAutomatic()) await rpc("evm_mine");
    let found: z.infer<typeof receipt> | null = null;
    // The node mines in the background.
    await until(
      async () => (found = receipt.nullable().parse(await rpc("eth_getTransactionReceipt", [hash]))) !== null,
    );
    const { status, contractAddress } = receipt.parse(found);
    if (status !== "0x1") throw new Error("Cannot send a transaction: it reverted");
    const created = contractAddress ?? "";
    return { hash, created: isAddress(created) ? created : undefined };
  }
  // One at a time: the node gives the same nonce to two concurrent transactions.
  let turn: Promise<unknown> = Promise.resolve();
  return async function inTurn(transaction) {
    const mine = turn.then(() => send(transaction));
    turn = mine.catch(() => undefined);
    return await mine;
  };
}

/** Starts a chain on a loopback port that the system picks; throws if anvil does not exist for this platform. */
export async function startChain({ chainId = 84_532 }: ChainOptions = {}): Promise<Chain> {
  const anvil = await startAnvil(["--chain-id", String(chainId)]);
  const rpc = createRpc(anvil.rpcUrl);
  let isAutomatic = true;
  const transact = createSender(rpc, () => isAutomatic);
  await rpc("anvil_autoImpersonateAccount", [true]);

  const chain: Chain = {
    rpcUrl: anvil.rpcUrl,
    network: `eip155:${chainId}`,
    rpc,
    async fund(account, wei = 1000n * ETHER) {
      await rpc("anvil_setBalance", [account, toHex(wei)]);
    },
    async deployToken({ name = "Test Dollar", version = "2" } = {}) {
      return createToken(chain, await chain.deploy("Token", [textBytes(name), textBytes(version)]), { name, version });
    },
    async deploy(contract, args = []) {
      const { creation } = await testContract(contract);
      const { created } = await transact({ from: SENDER, data: creation + encodeArguments(args) });
      if (created === undefined) throw new Error(`Cannot deploy ${contract}: the receipt names no contract`);
      return created;
    },
    async place(contract, address) {
      const { runtime } = await testContract(contract);
      await rpc("anvil_setCode", [address, runtime]);
    },
    async send({ from = SENDER, to, data = "0x" }) {
      if (from !== SENDER && BigInt(hex.parse(await rpc("eth_getBalance", [from, "latest"]))) < ETHER) {
        await chain.fund(from);
      }
      return (await transact({ from, to, data })).hash;
    },
    async call({ from = SENDER, to, data = "0x" }) {
      return hex.parse(await rpc("eth_call", [{ from, to, data }, "latest"]));
    },
    async mine(blocks = 1) {
      await rpc("anvil_mine", [toHex(blocks)]);
    },
    async setMining(automatic) {
      await rpc("evm_setAutomine", [automatic]);
      isAutomatic = automatic;
    },
    async time() {
      const block = z.object({ timestamp: hex }).parse(await rpc("eth_getBlockByNumber", ["latest", false]));
      return Number(block.timestamp);
    },
    async passTime(seconds) {
      await rpc("evm_increaseTime", [toHex(seconds)]);
      await rpc("evm_mine");
    },
    async snapshot() {
      const id = await rpc("evm_snapshot");
      return async () => {
        await rpc("evm_revert", [id]);
      };
    },
    close: () => anvil.close(),
  };
  return chain;
}

function createToken(chain: Chain, address: Address, domain: { name: string; version: string }): TestToken {
  async function read(signature: string, args: readonly Argument[]): Promise<bigint> {
    return wordAt(await chain.call({ to: address, data: encodeCall(signature, args) }), 0) ?? 0n;
  }
  return {
    address,
    ...domain,
    async mint(to, value) {
      await chain.send({ to: address, data: encodeCall("mint(address,uint256)", [to, value]) });
    },
    balanceOf: (owner) => read("balanceOf(address)", [owner]),
    async approve(owner, spender, value) {
      const data = encodeCall("approve(address,uint256)", [spender, value]);
      await chain.send({ from: owner, to: address, data });
    },
    isUsed: async (owner, nonce) => (await read("authorizationState(address,bytes32)", [owner, nonce])) === 1n,
  };
}
