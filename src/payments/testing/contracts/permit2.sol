// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Erc20 {
  function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface Erc1271 {
  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// Permit2's signature transfers with a witness, as far as x402 uses them: its types, hashes, nonces, errors and events.
/// Nothing is made by a constructor, so that its code can be put at the real one's address.
contract Permit2 {
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

  /// 256 nonces a word, by owner; a set bit is a nonce that is spent.
  mapping(address => mapping(uint256 => uint256)) public nonceBitmap;

  event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask);

  error InvalidNonce();
  error InvalidAmount(uint256 maxAmount);
  error SignatureExpired(uint256 signatureDeadline);
  error InvalidSignatureLength();
  error InvalidSignature();
  error InvalidSigner();
  error InvalidContractSignature();

  bytes32 private constant DOMAIN = keccak256("EIP712Domain(string name,uint256 chainId,address verifyingContract)");
  bytes32 private constant TOKEN_PERMISSIONS = keccak256("TokenPermissions(address token,uint256 amount)");
  string private constant STUB =
    "PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,";

  function DOMAIN_SEPARATOR() public view returns (bytes32) {
    return keccak256(abi.encode(DOMAIN, keccak256("Permit2"), block.chainid, address(this)));
  }

  function invalidateUnorderedNonces(uint256 wordPos, uint256 mask) external {
    nonceBitmap[msg.sender][wordPos] |= mask;
    emit UnorderedNonceInvalidation(msg.sender, wordPos, mask);
  }

  function permitWitnessTransferFrom(
    PermitTransferFrom calldata permit,
    SignatureTransferDetails calldata details,
    address owner,
    bytes32 witness,
    string calldata witnessTypeString,
    bytes calldata signature
  ) external {
    if (block.timestamp > permit.deadline) revert SignatureExpired(permit.deadline);
    if (details.requestedAmount > permit.permitted.amount) revert InvalidAmount(permit.permitted.amount);
    spendNonce(owner, permit.nonce);
    bytes32 message = keccak256(
      abi.encode(
        keccak256(abi.encodePacked(STUB, witnessTypeString)),
        keccak256(abi.encode(TOKEN_PERMISSIONS, permit.permitted)),
        msg.sender,
        permit.nonce,
        permit.deadline,
        witness
      )
    );
    requireSigned(owner, keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), message)), signature);
    require(
      Erc20(permit.permitted.token).transferFrom(owner, details.to, details.requestedAmount), "TRANSFER_FROM_FAILED"
    );
  }

  function spendNonce(address owner, uint256 nonce) private {
    uint256 bit = 1 << uint8(nonce);
    uint256 flipped = nonceBitmap[owner][nonce >> 8] ^= bit;
    if (flipped & bit == 0) revert InvalidNonce();
  }

  function requireSigned(address owner, bytes32 hash, bytes calldata signature) private view {
    if (owner.code.length > 0) {
      bytes4 answer = Erc1271(owner).isValidSignature(hash, signature);
      if (answer != Erc1271.isValidSignature.selector) revert InvalidContractSignature();
      return;
    }
    if (signature.length != 65) revert InvalidSignatureLength();
    address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    if (signer == address(0)) revert InvalidSignature();
    if (signer != owner) revert InvalidSigner();
  }
}
