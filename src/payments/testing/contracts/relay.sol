// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A contract in between: calls whatever it is told to call.
contract Relay {
  function relay(address to, bytes calldata data) external {
    (bool ok,) = to.call(data);
    require(ok, "the call failed");
  }
}
