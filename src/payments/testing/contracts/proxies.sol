// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface SignatureTransfer {
  struct TokenPermissions {
    address token;
    uint256 amount;
  }

  struct PermitTransferFrom {
    TokenPermissions permitted;
    uint256 nonce;
    uint256 deadline;
  }

  struct SignatureTransferDetails {
    address to;
    uint256 requestedAmount;
  }

  function permitWitnessTransferFrom(
    PermitTransferFrom calldata permit,
    SignatureTransferDetails calldata details,
    address owner,
    bytes32 witness,
    string calldata witnessTypeString,
    bytes calldata signature
  ) external;
}

interface Permits {
  function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
    external;
}

/// What both of x402's proxies have in common. Permit2's address is a constant, so that their code can be put anywhere.
abstract contract Proxy {
  SignatureTransfer public constant PERMIT2 = SignatureTransfer(0x000000000022D473030F116dDEE9F6B43aC78BA3);

  event Settled();
  event SettledWithPermit();

  struct EIP2612Permit {
    uint256 value;
    uint256 deadline;
    bytes32 r;
    bytes32 s;
    uint8 v;
  }

  error InvalidAmount();
  error InvalidDestination();
  error InvalidOwner();
  error PaymentTooEarly();
  error Permit2612AmountMismatch();

  /// A permit that somebody else has used already has given the allowance.
  function allow(address token, address owner, uint256 permitted, EIP2612Permit calldata permit2612) internal {
    if (permit2612.value != permitted) revert Permit2612AmountMismatch();
    try Permits(token).permit(
      owner, address(PERMIT2), permit2612.value, permit2612.deadline, permit2612.v, permit2612.r, permit2612.s
    ) {} catch {}
  }

  function requireSound(address owner, address to, uint256 validAfter) internal view {
    if (owner == address(0)) revert InvalidOwner();
    if (to == address(0)) revert InvalidDestination();
    if (block.timestamp < validAfter) revert PaymentTooEarly();
  }
}

/// Of `exact`: moves all that is permitted, to whom the payer has named; anybody may call.
contract ExactProxy is Proxy {
  struct Witness {
    address to;
    uint256 validAfter;
  }

  bytes32 public constant WITNESS_TYPEHASH = keccak256("Witness(address to,uint256 validAfter)");
  string public constant WITNESS_TYPE_STRING =
    "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,uint256 validAfter)";

  function settle(
    SignatureTransfer.PermitTransferFrom calldata permit,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    pay(permit, owner, witness, signature);
    emit Settled();
  }

  function settleWithPermit(
    EIP2612Permit calldata permit2612,
    SignatureTransfer.PermitTransferFrom calldata permit,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    allow(permit.permitted.token, owner, permit.permitted.amount, permit2612);
    pay(permit, owner, witness, signature);
    emit SettledWithPermit();
  }

  function pay(
    SignatureTransfer.PermitTransferFrom calldata permit,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) private {
    requireSound(owner, witness.to, witness.validAfter);
    if (permit.permitted.amount == 0) revert InvalidAmount();
    PERMIT2.permitWitnessTransferFrom(
      permit,
      SignatureTransfer.SignatureTransferDetails(witness.to, permit.permitted.amount),
      owner,
      keccak256(abi.encode(WITNESS_TYPEHASH, witness)),
      WITNESS_TYPE_STRING,
      signature
    );
  }
}

/// Of `upto`: moves what its caller says, up to all that is permitted; only the facilitator that the payer has named may call.
contract UptoProxy is Proxy {
  struct Witness {
    address to;
    address facilitator;
    uint256 validAfter;
  }

  error AmountExceedsPermitted();
  error UnauthorizedFacilitator();

  bytes32 public constant WITNESS_TYPEHASH = keccak256("Witness(address to,address facilitator,uint256 validAfter)");
  string public constant WITNESS_TYPE_STRING =
    "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,address facilitator,uint256 validAfter)";

  function settle(
    SignatureTransfer.PermitTransferFrom calldata permit,
    uint256 amount,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    pay(permit, amount, owner, witness, signature);
    emit Settled();
  }

  function settleWithPermit(
    EIP2612Permit calldata permit2612,
    SignatureTransfer.PermitTransferFrom calldata permit,
    uint256 amount,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    allow(permit.permitted.token, owner, permit.permitted.amount, permit2612);
    pay(permit, amount, owner, witness, signature);
    emit SettledWithPermit();
  }

  function pay(
    SignatureTransfer.PermitTransferFrom calldata permit,
    uint256 amount,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) private {
    requireSound(owner, witness.to, witness.validAfter);
    if (msg.sender != witness.facilitator) revert UnauthorizedFacilitator();
    if (amount == 0) revert InvalidAmount();
    if (amount > permit.permitted.amount) revert AmountExceedsPermitted();
    PERMIT2.permitWitnessTransferFrom(
      permit,
      SignatureTransfer.SignatureTransferDetails(witness.to, amount),
      owner,
      keccak256(abi.encode(WITNESS_TYPEHASH, witness)),
      WITNESS_TYPE_STRING,
      signature
    );
  }
}
