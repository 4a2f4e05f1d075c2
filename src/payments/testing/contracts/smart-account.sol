// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An account that is a contract: what its owner has signed, it has signed (ERC-1271).
contract SmartAccount {
  address public immutable owner;

  constructor(address owner_) {
    owner = owner_;
  }

  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    if (signature.length != 65) return 0xffffffff;
    address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    return signer != address(0) && signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
  }
}

/// Deploys such accounts at addresses that are known before. One that exists is left as it is.
contract AccountFactory {
  function deploy(address owner, bytes32 salt) external returns (address account) {
    account = addressOf(owner, salt);
    if (account.code.length == 0) new SmartAccount{salt: salt}(owner);
  }

  function addressOf(address owner, bytes32 salt) public view returns (address) {
    bytes32 code = keccak256(abi.encodePacked(type(SmartAccount).creationCode, abi.encode(owner)));
    return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, code)))));
  }
}
