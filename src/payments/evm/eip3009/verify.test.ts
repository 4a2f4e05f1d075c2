import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Address } from "../../x402/address.ts";
import { type Verification } from "../../x402/facilitator.ts";
import { type PaymentRequirements } from "../../x402/messages.ts";
import { CHAIN_SETUP_MS, hasChain } from "../../testing/chain.ts";
import { freshAccount, type OpenFacilitator, openShop, type Shop, signed } from "../testing/shop.ts";
import { transferCall } from "./calls.ts";

function refused(reason: string): Verification {
  // A listed reason; the tests below name each one.
  return { kind: "refused", reason } as Verification;
}

describe.skipIf(!hasChain)("EIP-3009 verification", () => {
  let shop: Shop;
  let facilitator: OpenFacilitator;
  beforeAll(async () => {
    shop = await openShop();
    facilitator = await shop.facilitator();
  }, CHAIN_SETUP_MS);
  afterAll(() => shop.close());

  test("refuses a payer with too small a balance", async () => {
    const payment = await shop.pay(await shop.payer(9_999n));
    expect(await facilitator.verify(payment, shop.requirements)).toEqual(
      refused("invalid_exact_evm_insufficient_balance"),
    );
  });

  test("refuses a signature of another account", async () => {
    const payer = await shop.payer();
    const payment = await shop.pay({ ...freshAccount(), address: payer.address });
    expect(await facilitator.verify(payment, shop.requirements)).toEqual(refused("invalid_exact_evm_signature"));
  });

  test("refuses a payment to another payee, or of another amount", async () => {
    const payer = await shop.payer();
    const other = await shop.pay(payer, { to: freshAccount().address });
    expect(await facilitator.verify(other, shop.requirements)).toEqual(refused("invalid_exact_evm_recipient_mismatch"));
    const more = await shop.pay(payer, { value: "10001" });
    expect(await facilitator.verify(more, shop.requirements)).toEqual(
      refused("invalid_exact_evm_payload_authorization_value_mismatch"),
    );
  });

  test("refuses a used nonce", async () => {
    const payment = await shop.pay(await shop.payer());
    const { authorization, signature } = payment.payload;
    await shop.chain.send({ to: shop.token.address, data: transferCall(authorization, signature) });
    expect(await facilitator.verify(payment, shop.requirements)).toEqual(
      refused("invalid_exact_evm_nonce_already_used"),
    );
  });

  test.each([
    ["name", { name: "Another Dollar", version: "2" }, "invalid_exact_evm_token_name_mismatch"],
    ["version", { name: "Test Dollar", version: "1" }, "invalid_exact_evm_token_version_mismatch"],
  ])("refuses requirements with another %s than the token's", async (_what, extra, reason) => {
    const requirements: PaymentRequirements = { ...shop.requirements, extra };
    const payer = await shop.payer();
    const { authorization } = (await shop.pay(payer)).payload;
    const payment = signed(requirements, authorization, payer.privateKey);
    expect(await facilitator.verify(payment, requirements)).toEqual(refused(reason));
  });

  test("refuses an asset that is not a contract, or does not support authorizations", async () => {
    const payer = await shop.payer();
    const { authorization } = (await shop.pay(payer)).payload;
    async function verifyWith(asset: Address): Promise<Verification> {
      const requirements: PaymentRequirements = { ...shop.requirements, asset };
      const payment = signed(requirements, authorization, payer.privateKey);
      const verification = await facilitator.verify(payment, requirements);
      expect(await facilitator.settle(payment, requirements)).toEqual(verification as never);
      return verification;
    }
    expect(await verifyWith(freshAccount().address)).toEqual(refused("asset_not_deployed_contract"));
    const account = await shop.chain.deploy("SmartAccount", [payer.address]);
    expect(await verifyWith(account)).toEqual(refused("invalid_exact_evm_eip3009_not_supported"));
  });

  test("refuses a payment for an account that is not deployed yet", async () => {
    const payment = await shop.pay(await shop.payer());
    const { authorization, signature } = payment.payload;
    const wrapped = { ...payment, payload: { authorization, signature: `${signature}${"6492".repeat(16)}` as const } };
    expect(await facilitator.verify(wrapped, shop.requirements)).toEqual(refused("eip6492_factory_not_allowed"));
    expect(await facilitator.settle(wrapped, shop.requirements)).toEqual(
      refused("eip6492_factory_not_allowed") as never,
    );
  });

  test("refuses a payment that is not valid yet by our clock or the chain's", async () => {
    const payer = await shop.payer();
    const now = Math.floor(Date.now() / 1000);
    const later = await shop.pay(payer, { validAfter: String(now + 30) });
    const reason = refused("invalid_exact_evm_payload_authorization_valid_after");
    expect(await facilitator.verify(later, shop.requirements)).toEqual(reason);
    const ahead = await shop.facilitator({ now: () => Date.now() + 40_000 });
    const payment = await shop.pay(payer, { validAfter: String(now + 30), validBefore: String(now + 100) });
    expect(await ahead.verify(payment, shop.requirements)).toEqual(reason);
  });

  test("refuses a payment that has ended by the block's time, but not by our clock", async () => {
    const other = await openShop();
    const own = await other.facilitator();
    await other.chain.passTime(1000);
    const validBefore = String(Math.floor(Date.now() / 1000) + 60);
    const payment = await other.pay(await other.payer(), { validBefore });
    expect(await own.verify(payment, other.requirements)).toEqual(
      refused("invalid_exact_evm_payload_authorization_valid_before"),
    );
    expect(await own.settle(payment, other.requirements)).toMatchObject({ kind: "refused" });
    expect(await own.find(payment, other.requirements)).toEqual({ kind: "void" });
    await other.close();
  });

  test("asks a contract payer whether it has signed, and settles its payment", async () => {
    const owner = freshAccount();
    const account = await shop.chain.deploy("SmartAccount", [owner.address]);
    await shop.token.mint(account, 50_000n);
    const payment = await shop.pay({ ...owner, address: account });
    expect(await facilitator.verify(payment, shop.requirements)).toEqual({ kind: "valid", payer: account });
    expect((await facilitator.settle(payment, shop.requirements)).kind).toBe("settled");
    expect(await shop.token.balanceOf(account)).toBe(40_000n);

    const forged = await shop.pay({ ...freshAccount(), address: account });
    expect(await facilitator.verify(forged, shop.requirements)).toEqual(refused("invalid_exact_evm_signature"));
    expect(await facilitator.settle(forged, shop.requirements)).toMatchObject(refused("invalid_exact_evm_signature"));
  });

  test("asks the contract to which a payer's account is delegated (EIP-7702)", async () => {
    const payer = await shop.payer();
    const payment = await shop.pay(payer);
    async function delegateTo(contract: Address): Promise<void> {
      await shop.chain.rpc("anvil_setCode", [payer.address, `0xef0100${contract.slice(2)}`]);
    }
    await delegateTo(shop.token.address);
    expect(await facilitator.verify(payment, shop.requirements)).toEqual(refused("invalid_exact_evm_signature"));
    await delegateTo(await shop.chain.deploy("SmartAccount", [payer.address]));
    expect(await facilitator.verify(payment, shop.requirements)).toEqual({ kind: "valid", payer: payer.address });
    expect((await facilitator.settle(payment, shop.requirements)).kind).toBe("settled");
  });

  test("asks no node if the asset is not an address", async () => {
    const payment = await shop.pay(await shop.payer());
    const requirements: PaymentRequirements = { ...shop.requirements, asset: "latest" };
    expect(await facilitator.verify(payment, requirements)).toEqual(refused("invalid_exact_evm_missing_eip712_domain"));
    expect(await facilitator.settle(payment, requirements)).toMatchObject({ kind: "refused" });
    expect(await facilitator.find(payment, requirements)).toMatchObject({ kind: "unknown" });
  });

  test("refuses a contract's signature of 65 zero bytes, or of another length", async () => {
    const account = await shop.chain.deploy("SmartAccount", [freshAccount().address]);
    await shop.token.mint(account, 50_000n);
    const payment = await shop.pay({ ...freshAccount(), address: account });
    for (const signature of [`0x${"00".repeat(65)}`, `0x${"ab".repeat(300)}`] as const) {
      const other = { ...payment, payload: { ...payment.payload, signature } };
      expect(await facilitator.verify(other, shop.requirements)).toEqual(refused("invalid_exact_evm_signature"));
    }
  });

  test("refuses networks without a configured chain, and unsupported schemes", async () => {
    const payment = await shop.pay(await shop.payer());
    const elsewhere: PaymentRequirements = { ...shop.requirements, network: "eip155:1" };
    expect(await facilitator.verify(payment, elsewhere)).toEqual(refused("invalid_network"));
    expect(await facilitator.settle(payment, elsewhere)).toEqual({ kind: "refused", reason: "invalid_network" });
    expect(await facilitator.find(payment, elsewhere)).toMatchObject({ kind: "unknown" });
    const upto: PaymentRequirements = { ...shop.requirements, scheme: "upto" };
    expect(await facilitator.verify(payment, upto)).toEqual(refused("unsupported_payload_type"));
    expect(await facilitator.settle(payment, upto)).toEqual({ kind: "refused", reason: "unsupported_payload_type" });
    expect(await facilitator.find(payment, upto)).toMatchObject({ kind: "unknown" });
  });
});
