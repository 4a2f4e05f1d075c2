"""Known networks and tokens. Made by scripts/generate.ts; changes here are lost."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Asset:
    """A token that can be used for payments. `name` and `version` are those of its EIP-712 domain."""

    network: str
    address: str
    symbol: str
    name: str
    version: str
    decimals: int


#: Names and titles by CAIP-2 identifiers.
NETWORKS = {
    "eip155:8453": ("base", "Base"),
    "eip155:84532": ("base-sepolia", "Base Sepolia"),
    "eip155:1": ("ethereum", "Ethereum"),
    "eip155:11155111": ("sepolia", "Sepolia"),
    "eip155:43114": ("avalanche", "Avalanche"),
    "eip155:43113": ("avalanche-fuji", "Avalanche Fuji"),
    "eip155:42161": ("arbitrum", "Arbitrum One"),
    "eip155:421614": ("arbitrum-sepolia", "Arbitrum Sepolia"),
    "eip155:137": ("polygon", "Polygon"),
    "eip155:80002": ("polygon-amoy", "Polygon Amoy"),
    "eip155:42220": ("celo", "Celo"),
    "eip155:11142220": ("celo-sepolia", "Celo Sepolia"),
    "eip155:1329": ("sei", "Sei"),
    "eip155:1328": ("sei-testnet", "Sei Testnet"),
    "eip155:50": ("xdc", "XDC Network"),
    "eip155:51": ("xdc-apothem", "XDC Apothem"),
    "eip155:143": ("monad", "Monad"),
    "eip155:4326": ("megaeth", "MegaETH"),
    "eip155:988": ("stable", "Stable"),
    "eip155:2201": ("stable-testnet", "Stable Testnet"),
    "eip155:14": ("flare", "Flare"),
    "eip155:31612": ("mezo", "Mezo"),
    "eip155:31611": ("mezo-testnet", "Mezo Testnet"),
    "eip155:723487": ("radius", "Radius"),
    "eip155:72344": ("radius-testnet", "Radius Testnet"),
    "eip155:36900": ("adi", "ADI Chain"),
    "eip155:190415": ("hpp", "HPP"),
    "eip155:181228": ("hpp-sepolia", "HPP Sepolia"),
    "eip155:38833": ("igra", "Igra"),
    "eip155:2741": ("abstract", "Abstract"),
    "eip155:11124": ("abstract-testnet", "Abstract Testnet"),
    "eip155:4689": ("iotex", "IoTeX"),
    "eip155:3338": ("peaq", "peaq"),
    "eip155:1514": ("story", "Story"),
    "eip155:41923": ("educhain", "EDU Chain"),
    "eip155:324705682": ("skale-base-sepolia", "SKALE Base Sepolia"),
}

ASSETS = (
    Asset("eip155:8453", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", "USD Coin", "2", 6),
    Asset("eip155:84532", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "USDC", "USDC", "2", 6),
    Asset("eip155:1", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC", "USD Coin", "2", 6),
    Asset("eip155:43114", "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "USDC", "USD Coin", "2", 6),
    Asset("eip155:43113", "0x5425890298aed601595a70AB815c96711a31Bc65", "USDC", "USD Coin", "2", 6),
    Asset("eip155:143", "0x754704Bc059F8C67012fEd69BC8A327a5aafb603", "USDC", "USDC", "2", 6),
    Asset("eip155:988", "0x779Ded0c9e1022225f8E0630b35a9b54bE713736", "USDT0", "USDT0", "1", 6),
    Asset("eip155:2201", "0x78Cf24370174180738C5B8E352B6D14c83a6c9A9", "USDT0", "USDT0", "1", 6),
    Asset("eip155:137", "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC", "USD Coin", "2", 6),
    Asset("eip155:42161", "0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USDC", "USD Coin", "2", 6),
    Asset("eip155:421614", "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d", "USDC", "USD Coin", "2", 6),
    Asset("eip155:36900", "0x9cb8142aEBBcdc60AF7c97Af897A67A8f3CA71C2", "USDC.e", "USDC.e", "2", 6),
    Asset("eip155:190415", "0x401eCb1D350407f13ba348573E5630B83638E30D", "USDC.e", "Bridged USDC", "2", 6),
    Asset("eip155:181228", "0x401eCb1D350407f13ba348573E5630B83638E30D", "USDC.e", "Bridged USDC", "2", 6),
    Asset("eip155:50", "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1", "USDC", "USDC", "2", 6),
    Asset("eip155:51", "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4", "USDC", "USDC", "2", 6),
    Asset("eip155:14", "0xe7cd86e13AC4309349F30B3435a9d337750fC82D", "USDT0", "USD₮0", "1", 6),
    Asset("eip155:42220", "0xcebA9300f2b948710d2653dD7B07f33A8B32118C", "USDC", "USDC", "2", 6),
    Asset("eip155:42220", "0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e", "USDT", "Tether USD", "1", 6),
    Asset("eip155:42220", "0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771", "USAT", "Tether America USD", "1", 6),
    Asset("eip155:11142220", "0x01C5C0122039549AD1493B8220cABEdD739BC44E", "USDC", "USDC", "2", 6),
    Asset("eip155:1329", "0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392", "USDC", "USDC", "2", 6),
    Asset("eip155:1328", "0x4fCF1784B31630811181f670Aea7A7bEF803eaED", "USDC", "USDC", "2", 6),
    Asset("eip155:4326", "0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7", "MegaUSD", "MegaUSD", "1", 18),
    Asset("eip155:31612", "0xdD468A1DDc392dcdbEf6db6e34E89AA338F9F186", "mUSD", "Mezo USD", "1", 18),
    Asset("eip155:31611", "0x118917a40FAF1CD7a13dB0Ef56C86De7973Ac503", "mUSD", "Mezo USD", "1", 18),
    Asset("eip155:723487", "0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb", "SBC", "Stable Coin", "1", 6),
    Asset("eip155:72344", "0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb", "SBC", "Stable Coin", "1", 6),
    Asset("eip155:38833", "0xA5b8BF902b2844dA17d4506cc827F7F1681735E7", "USDC", "USDC", "1", 6),
)

#: The networks by their names in x402 version 1.
V1_NETWORKS = {
    "ethereum": "eip155:1",
    "sepolia": "eip155:11155111",
    "abstract": "eip155:2741",
    "abstract-testnet": "eip155:11124",
    "base-sepolia": "eip155:84532",
    "base": "eip155:8453",
    "avalanche-fuji": "eip155:43113",
    "avalanche": "eip155:43114",
    "iotex": "eip155:4689",
    "sei": "eip155:1329",
    "sei-testnet": "eip155:1328",
    "polygon": "eip155:137",
    "polygon-amoy": "eip155:80002",
    "peaq": "eip155:3338",
    "story": "eip155:1514",
    "educhain": "eip155:41923",
    "skale-base-sepolia": "eip155:324705682",
    "megaeth": "eip155:4326",
    "monad": "eip155:143",
    "stable": "eip155:988",
    "stable-testnet": "eip155:2201",
    "celo": "eip155:42220",
    "flare": "eip155:14",
}
