// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface SmartAccount {
  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// A dollar for tests: ERC-20 and EIP-3009, with the errors and both signature forms of USDC 2.2. Anybody may mint.
contract Token {
  string public name;
  string public version;
  string public constant symbol = "TUSD";
  uint8 public constant decimals = 6;
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  mapping(address => mapping(bytes32 => bool)) public authorizationState;
  mapping(address => uint256) public nonces;

  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);
  event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
  event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

  bytes32 private constant DOMAIN =
    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
  bytes32 private constant TRANSFER = keccak256(
    "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
  );
  bytes32 private constant RECEIVE = keccak256(
    "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
  );
  bytes32 private constant PERMIT =
    keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
  bytes32 private constant CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

  constructor(string memory name_, string memory version_) {
    name = name_;
    version = version_;
  }

  function DOMAIN_SEPARATOR() public view returns (bytes32) {
    return keccak256(
      abi.encode(DOMAIN, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this))
    );
  }

  function mint(address to, uint256 value) external {
    totalSupply += value;
    balanceOf[to] += value;
    emit Transfer(address(0), to, value);
  }

  function approve(address spender, uint256 value) external returns (bool) {
    allowance[msg.sender][spender] = value;
    emit Approval(msg.sender, spender, value);
    return true;
  }

  function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
    external
  {
    require(block.timestamp <= deadline, "FiatTokenV2: permit is expired");
    bytes32 message = keccak256(abi.encode(PERMIT, owner, spender, value, nonces[owner]++, deadline));
    requireSigned(owner, message, abi.encodePacked(r, s, v));
    allowance[owner][spender] = value;
    emit Approval(owner, spender, value);
  }

  function transfer(address to, uint256 value) external returns (bool) {
    move(msg.sender, to, value);
    return true;
  }

  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    require(value <= allowance[from][msg.sender], "ERC20: transfer amount exceeds allowance");
    allowance[from][msg.sender] -= value;
    move(from, to, value);
    return true;
  }

  function transferWithAuthorization(
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    uint8 v,
    bytes32 r,
    bytes32 s
  ) external {
    pay(TRANSFER, from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
  }

  function transferWithAuthorization(
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    bytes memory signature
  ) external {
    pay(TRANSFER, from, to, value, validAfter, validBefore, nonce, signature);
  }

  function receiveWithAuthorization(
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    bytes memory signature
  ) external {
    require(to == msg.sender, "FiatTokenV2: caller must be the payee");
    pay(RECEIVE, from, to, value, validAfter, validBefore, nonce, signature);
  }

  function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
    cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
  }

  function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) public {
    requireUnused(authorizer, nonce);
    requireSigned(authorizer, keccak256(abi.encode(CANCEL, authorizer, nonce)), signature);
    authorizationState[authorizer][nonce] = true;
    emit AuthorizationCanceled(authorizer, nonce);
  }

  function pay(
    bytes32 kind,
    address from,
    address to,
    uint256 value,
    uint256 validAfter,
    uint256 validBefore,
    bytes32 nonce,
    bytes memory signature
  ) private {
    require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
    require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
    requireUnused(from, nonce);
    requireSigned(
      from, keccak256(abi.encode(kind, from, to, value, validAfter, validBefore, nonce)), signature
    );
    authorizationState[from][nonce] = true;
    emit AuthorizationUsed(from, nonce);
    move(from, to, value);
  }

  function requireUnused(address authorizer, bytes32 nonce) private view {
    require(!authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
  }

  function requireSigned(address signer, bytes32 message, bytes memory signature) private view {
    bytes32 hash = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), message));
    if (signer.code.length > 0) {
      require(
        SmartAccount(signer).isValidSignature(hash, signature) == SmartAccount.isValidSignature.selector,
        "FiatTokenV2: invalid signature"
      );
      return;
    }
    require(signature.length == 65, "ECRecover: invalid signature length");
    bytes32 r;
    bytes32 s;
    uint8 v;
    assembly {
      r := mload(add(signature, 0x20))
      s := mload(add(signature, 0x40))
      v := byte(0, mload(add(signature, 0x60)))
    }
    address recovered = ecrecover(hash, v, r, s);
    require(recovered != address(0) && recovered == signer, "FiatTokenV2: invalid signature");
  }

  function move(address from, address to, uint256 value) private {
    require(to != address(0), "ERC20: transfer to the zero address");
    require(value <= balanceOf[from], "ERC20: transfer amount exceeds balance");
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }
}
