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

/// What both of x402's proxies have in common. Permit2's address is a constant, so that their code can be put anywhere.
abstract contract Proxy {
  SignatureTransfer public constant PERMIT2 = SignatureTransfer(0x000000000022D473030F116dDEE9F6B43aC78BA3);

  event Settled();

  error InvalidAmount();
  error InvalidDestination();
  error InvalidOwner();
  error PaymentTooEarly();

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
    emit Settled();
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
    emit Settled();
  }
}
