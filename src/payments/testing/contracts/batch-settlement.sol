// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Money {
  function balanceOf(address owner) external view returns (uint256);
  function transfer(address to, uint256 value) external returns (bool);
  function receiveWithAuthorization(
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    bytes calldata signature
  ) external;
}

interface Wallet {
  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

interface Collector {
  function collect(address payer, address token, uint256 amount, bytes32 id, bytes calldata data) external;
}

interface Permits {
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

/// x402's contract of payment channels: its functions, types, hashes, errors, events and rules. It has no constructor and no
/// protection against reentrance, which the tokens of tests do not try.
contract BatchSettlement {
  struct ChannelConfig {
    address payer;
    address payerAuthorizer;
    address receiver;
    address receiverAuthorizer;
    address token;
    uint40 withdrawDelay;
    bytes32 salt;
  }

  struct Voucher {
    ChannelConfig channel;
    uint128 maxClaimableAmount;
  }

  struct VoucherClaim {
    Voucher voucher;
    bytes signature;
    uint128 totalClaimed;
  }

  struct Held {
    uint128 balance;
    uint128 totalClaimed;
  }

  struct Withdrawal {
    uint128 amount;
    uint40 initiatedAt;
  }

  struct Due {
    uint128 totalClaimed;
    uint128 totalSettled;
  }

  mapping(bytes32 => Held) public channels;
  mapping(bytes32 => Withdrawal) public pendingWithdrawals;
  mapping(bytes32 => uint256) public refundNonce;
  mapping(address => mapping(address => Due)) public receivers;

  event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
  event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
  event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
  event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
  event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizeAfter);
  event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

  error InvalidChannel();
  error ZeroDeposit();
  error DepositOverflow();
  error DepositCollectionFailed();
  error InvalidCollector();
  error InvalidSignature();
  error NotReceiverAuthorizer();
  error NotAuthorizedToClaim();
  error NotAuthorizedToRefund();
  error NotAuthorizedToFinalizeWithdraw();
  error ClaimExceedsCeiling();
  error ClaimExceedsBalance();
  error EmptyBatch();
  error InvalidRefundNonce();
  error ZeroRefund();
  error NothingToWithdraw();
  error WithdrawalAlreadyPending();
  error WithdrawalNotPending();
  error WithdrawAmountExceedsAvailable();
  error WithdrawDelayNotElapsed();
  error WithdrawDelayOutOfRange();

  bytes32 private constant DOMAIN =
    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
  bytes32 private constant CONFIG = keccak256(
    "ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)"
  );
  bytes32 private constant VOUCHER = keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
  bytes32 private constant REFUND = keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
  bytes32 private constant ENTRY =
    keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
  bytes32 private constant BATCH = keccak256(
    "ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)"
  );

  function deposit(ChannelConfig calldata config, uint128 amount, address collector, bytes calldata data) external {
    if (config.payer == address(0) || config.receiver == address(0)) revert InvalidChannel();
    if (config.receiverAuthorizer == address(0) || config.token == address(0)) revert InvalidChannel();
    if (config.withdrawDelay < 15 minutes || config.withdrawDelay > 30 days) revert WithdrawDelayOutOfRange();
    if (amount == 0) revert ZeroDeposit();
    if (collector == address(0)) revert InvalidCollector();
    bytes32 id = getChannelId(config);
    Held storage held = channels[id];
    if (amount > type(uint128).max - held.balance) revert DepositOverflow();
    held.balance += amount;
    uint256 before = Money(config.token).balanceOf(address(this));
    Collector(collector).collect(config.payer, config.token, amount, id, data);
    if (Money(config.token).balanceOf(address(this)) != before + amount) revert DepositCollectionFailed();
    emit Deposited(id, msg.sender, amount, held.balance);
  }

  function claim(VoucherClaim[] calldata claims) external {
    if (claims.length == 0) revert EmptyBatch();
    for (uint256 i = 0; i < claims.length; i++) {
      if (!isReceiving(claims[i].voucher.channel)) revert NotAuthorizedToClaim();
      take(claims[i]);
    }
  }

  function claimWithSignature(VoucherClaim[] calldata claims, bytes calldata signature) external {
    if (claims.length == 0) revert EmptyBatch();
    address authorizer = claims[0].voucher.channel.receiverAuthorizer;
    if (!hasSigned(authorizer, getClaimBatchDigest(claims), signature)) revert InvalidSignature();
    for (uint256 i = 0; i < claims.length; i++) {
      if (claims[i].voucher.channel.receiverAuthorizer != authorizer) revert NotReceiverAuthorizer();
      take(claims[i]);
    }
  }

  function settle(address receiver, address token) external {
    Due storage due = receivers[receiver][token];
    uint128 amount = due.totalClaimed - due.totalSettled;
    if (amount == 0) return;
    due.totalSettled = due.totalClaimed;
    require(Money(token).transfer(receiver, amount));
    emit Settled(receiver, token, msg.sender, amount);
  }

  function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external {
    if (!isPaying(config)) revert InvalidChannel();
    if (amount == 0) revert NothingToWithdraw();
    bytes32 id = getChannelId(config);
    Withdrawal storage withdrawal = pendingWithdrawals[id];
    if (withdrawal.initiatedAt != 0) revert WithdrawalAlreadyPending();
    if (amount > unclaimed(id)) revert WithdrawAmountExceedsAvailable();
    withdrawal.amount = amount;
    withdrawal.initiatedAt = uint40(block.timestamp);
    emit WithdrawInitiated(id, amount, uint40(block.timestamp) + config.withdrawDelay);
  }

  function finalizeWithdraw(ChannelConfig calldata config) external {
    if (!isPaying(config)) revert NotAuthorizedToFinalizeWithdraw();
    bytes32 id = getChannelId(config);
    Withdrawal memory withdrawal = pendingWithdrawals[id];
    if (withdrawal.initiatedAt == 0) revert WithdrawalNotPending();
    if (block.timestamp < uint256(withdrawal.initiatedAt) + config.withdrawDelay) revert WithdrawDelayNotElapsed();
    delete pendingWithdrawals[id];
    uint128 amount = atMost(withdrawal.amount, unclaimed(id));
    channels[id].balance -= amount;
    emit WithdrawFinalized(id, msg.sender, amount);
    if (amount > 0) require(Money(config.token).transfer(config.payer, amount));
  }

  function refund(ChannelConfig calldata config, uint128 amount) external {
    if (!isReceiving(config)) revert NotAuthorizedToRefund();
    giveBack(config, amount);
  }

  function refundWithSignature(
    ChannelConfig calldata config,
    uint128 amount,
    uint256 nonce,
    bytes calldata signature
  ) external {
    bytes32 id = getChannelId(config);
    if (nonce != refundNonce[id]) revert InvalidRefundNonce();
    if (!hasSigned(config.receiverAuthorizer, getRefundDigest(id, nonce, amount), signature)) revert InvalidSignature();
    giveBack(config, amount);
  }

  function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
    results = new bytes[](data.length);
    for (uint256 i = 0; i < data.length; i++) {
      (bool ok, bytes memory result) = address(this).delegatecall(data[i]);
      if (!ok) {
        assembly {
          revert(add(result, 0x20), mload(result))
        }
      }
      results[i] = result;
    }
  }

  function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
    return inDomain(keccak256(abi.encode(CONFIG, config)));
  }

  function getVoucherDigest(bytes32 id, uint128 maxClaimableAmount) public view returns (bytes32) {
    return inDomain(keccak256(abi.encode(VOUCHER, id, maxClaimableAmount)));
  }

  function getRefundDigest(bytes32 id, uint256 nonce, uint128 amount) public view returns (bytes32) {
    return inDomain(keccak256(abi.encode(REFUND, id, nonce, amount)));
  }

  function getClaimBatchDigest(VoucherClaim[] calldata claims) public view returns (bytes32) {
    bytes memory entries;
    for (uint256 i = 0; i < claims.length; i++) {
      Voucher calldata voucher = claims[i].voucher;
      bytes32 entry = keccak256(
        abi.encode(ENTRY, getChannelId(voucher.channel), voucher.maxClaimableAmount, claims[i].totalClaimed)
      );
      entries = abi.encodePacked(entries, entry);
    }
    return inDomain(keccak256(abi.encode(BATCH, keccak256(entries))));
  }

  function take(VoucherClaim calldata row) private {
    ChannelConfig calldata config = row.voucher.channel;
    bytes32 id = getChannelId(config);
    Held storage held = channels[id];
    if (row.totalClaimed <= held.totalClaimed) return;
    if (row.totalClaimed > row.voucher.maxClaimableAmount) revert ClaimExceedsCeiling();
    if (row.totalClaimed > held.balance) revert ClaimExceedsBalance();
    bytes32 digest = getVoucherDigest(id, row.voucher.maxClaimableAmount);
    bool isSigned = config.payerAuthorizer == address(0)
      ? hasSigned(config.payer, digest, row.signature)
      : recover(digest, row.signature) == config.payerAuthorizer;
    if (!isSigned) revert InvalidSignature();
    uint128 more = row.totalClaimed - held.totalClaimed;
    held.totalClaimed = row.totalClaimed;
    receivers[config.receiver][config.token].totalClaimed += more;
    emit Claimed(id, msg.sender, more, row.totalClaimed);
  }

  function giveBack(ChannelConfig calldata config, uint128 wanted) private {
    if (wanted == 0) revert ZeroRefund();
    bytes32 id = getChannelId(config);
    refundNonce[id]++;
    uint128 amount = atMost(wanted, unclaimed(id));
    if (amount == 0) return;
    channels[id].balance -= amount;
    Withdrawal storage withdrawal = pendingWithdrawals[id];
    if (amount >= withdrawal.amount) delete pendingWithdrawals[id];
    else withdrawal.amount -= amount;
    emit Refunded(id, msg.sender, amount);
    require(Money(config.token).transfer(config.payer, amount));
  }

  function unclaimed(bytes32 id) private view returns (uint128) {
    return channels[id].balance - channels[id].totalClaimed;
  }

  function atMost(uint128 a, uint128 b) private pure returns (uint128) {
    return a < b ? a : b;
  }

  function isReceiving(ChannelConfig calldata config) private view returns (bool) {
    return msg.sender == config.receiver || msg.sender == config.receiverAuthorizer;
  }

  function isPaying(ChannelConfig calldata config) private view returns (bool) {
    return msg.sender == config.payer || msg.sender == config.payerAuthorizer;
  }

  function inDomain(bytes32 message) private view returns (bytes32) {
    bytes32 domain = keccak256(
      abi.encode(DOMAIN, keccak256("x402 Batch Settlement"), keccak256("1"), block.chainid, address(this))
    );
    return keccak256(abi.encodePacked("\x19\x01", domain, message));
  }

  function hasSigned(address account, bytes32 digest, bytes calldata signature) private view returns (bool) {
    if (account.code.length == 0) return recover(digest, signature) == account;
    try Wallet(account).isValidSignature(digest, signature) returns (bytes4 answer) {
      return answer == Wallet.isValidSignature.selector;
    } catch {
      return false;
    }
  }

  function recover(bytes32 digest, bytes calldata signature) private pure returns (address signer) {
    if (signature.length != 65) revert InvalidSignature();
    signer = ecrecover(digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64]));
    if (signer == address(0)) revert InvalidSignature();
  }
}

/// Brings a deposit by EIP-3009, with a nonce that names the channel.
contract Erc3009Collector is Collector {
  address private constant CHANNELS = 0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003;

  function collect(address payer, address token, uint256 amount, bytes32 id, bytes calldata data) external {
    require(msg.sender == CHANNELS);
    (uint256 validAfter, uint256 validBefore, uint256 salt, bytes memory signature) =
      abi.decode(data, (uint256, uint256, uint256, bytes));
    bytes32 nonce = keccak256(abi.encode(id, salt));
    Money(token).receiveWithAuthorization(payer, address(this), amount, validAfter, validBefore, nonce, signature);
    require(Money(token).transfer(CHANNELS, amount));
  }
}

/// Brings a deposit by Permit2, with a witness that names the channel.
contract Permit2Collector is Collector {
  address private constant CHANNELS = 0x4020074e9dF2ce1deE5A9C1b5c3f541D02a10003;
  Permits private constant PERMIT2 = Permits(0x000000000022D473030F116dDEE9F6B43aC78BA3);
  string private constant WITNESS =
    "DepositWitness witness)DepositWitness(bytes32 channelId)TokenPermissions(address token,uint256 amount)";

  function collect(address payer, address token, uint256 amount, bytes32 id, bytes calldata data) external {
    require(msg.sender == CHANNELS);
    (uint256 nonce, uint256 deadline, bytes memory signature,) = abi.decode(data, (uint256, uint256, bytes, bytes));
    PERMIT2.permitWitnessTransferFrom(
      Permits.PermitTransferFrom(Permits.TokenPermissions(token, amount), nonce, deadline),
      Permits.SignatureTransferDetails(CHANNELS, amount),
      payer,
      keccak256(abi.encode(keccak256("DepositWitness(bytes32 channelId)"), id)),
      WITNESS,
      signature
    );
  }
}
