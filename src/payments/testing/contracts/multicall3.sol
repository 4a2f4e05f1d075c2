// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Several calls in one, with the functions of Multicall3 that x402's programs use.
contract Multicall3 {
  struct Call {
    address target;
    bytes callData;
  }

  struct Call3 {
    address target;
    bool allowFailure;
    bytes callData;
  }

  struct Result {
    bool success;
    bytes returnData;
  }

  function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
    results = new Result[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      (bool success, bytes memory data) = calls[i].target.call(calls[i].callData);
      require(success || !requireSuccess, "Multicall3: call failed");
      results[i] = Result(success, data);
    }
  }

  function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
    results = new Result[](calls.length);
    for (uint256 i = 0; i < calls.length; i++) {
      (bool success, bytes memory data) = calls[i].target.call(calls[i].callData);
      require(success || calls[i].allowFailure, "Multicall3: call failed");
      results[i] = Result(success, data);
    }
  }

  function getEthBalance(address account) external view returns (uint256) {
    return account.balance;
  }
}
