// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// An account that has signed everything until it says otherwise (ERC-1271).
contract TwoFaced {
  bool public denies;

  function deny(bool denies_) external {
    denies = denies_;
  }

  function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
    return denies ? bytes4(0xffffffff) : this.isValidSignature.selector;
  }
}
