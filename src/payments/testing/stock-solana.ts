import { createKeyPairSignerFromPrivateKeyBytes } from "@solana/kit";
import { x402Client } from "@x402/core/client";
import { ExactSvmScheme } from "@x402/svm/exact/client";
import { type SolanaChain, SOLANA_DEVNET, type SolanaSigner } from "./solana-chain.ts";
import { join } from "node:path";

/** A stock facilitator in a process of its own. */
export class SolanaFacilitator {
  readonly feePayer: string;
  readonly #chain: SolanaChain;
  readonly #key: string;
  #process: Bun.Subprocess | undefined;
  #port = 0;

  private constructor(chain: SolanaChain, key: string, feePayer: string) {
    this.#chain = chain;
    this.#key = key;
    this.feePayer = feePayer;
  }

  /** Starts it with a new account that has money for fees. */
  static async start(chain: SolanaChain): Promise<SolanaFacilitator> {
    const key = crypto.getRandomValues(new Uint8Array(32));
    const { address } = await createKeyPairSignerFromPrivateKeyBytes(key);
    chain.airdrop(address);
    const facilitator = new SolanaFacilitator(chain, Buffer.from(key).toString("hex"), address);
    await facilitator.start();
    return facilitator;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts it again, on the same port. */
  async start(): Promise<void> {
    const program = join(import.meta.dir, "solana-facilitator.ts");
    const started = Bun.spawn([process.execPath, program, this.#chain.url, this.#key, String(this.#port)], {
      stdout: "pipe",
      stderr: "ignore",
    });
    this.#process = started;
    const { value } = await started.stdout.getReader().read();
    this.#port = Number(new TextDecoder().decode(value));
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.exited;
  }
}

/** The stock client's scheme with a wallet. */
export function stockScheme(chain: SolanaChain, signer: SolanaSigner): ExactSvmScheme {
  return new ExactSvmScheme(signer, { rpcUrl: chain.url });
}

/** The stock client of a wallet. */
export function stockClient(chain: SolanaChain, signer: SolanaSigner): x402Client {
  return new x402Client().register(SOLANA_DEVNET, stockScheme(chain, signer));
}
