"""Keccak-256 as Ethereum uses it. `hashlib` has only SHA-3, whose padding differs."""

_MASK = (1 << 64) - 1
_RATE = 136

_ROUNDS = (
    0x0000000000000001, 0x0000000000008082, 0x800000000000808A, 0x8000000080008000,
    0x000000000000808B, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008A, 0x0000000000000088, 0x0000000080008009, 0x000000008000000A,
    0x000000008000808B, 0x800000000000008B, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800A, 0x800000008000000A,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
)  # fmt: skip


def _moves() -> list[tuple[int, int, int]]:
    """Steps rho and pi: from lane, to lane, and bits of rotation."""
    moves = [(0, 0, 0)]
    x, y = 1, 0
    for step in range(24):
        target = (y, (2 * x + 3 * y) % 5)
        moves.append((x + 5 * y, target[0] + 5 * target[1], ((step + 1) * (step + 2) // 2) % 64))
        x, y = target
    return moves


_MOVES = _moves()


def _permute(lanes: list[int]) -> list[int]:
    for constant in _ROUNDS:
        columns = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        mixes = [
            columns[x - 1] ^ ((columns[(x + 1) % 5] << 1 | columns[(x + 1) % 5] >> 63) & _MASK) for x in range(5)
        ]
        moved = [0] * 25
        for source, target, bits in _MOVES:
            lane = lanes[source] ^ mixes[source % 5]
            moved[target] = (lane << bits | lane >> (64 - bits)) & _MASK
        lanes = [
            moved[at] ^ (~moved[at - at % 5 + (at + 1) % 5] & moved[at - at % 5 + (at + 2) % 5]) for at in range(25)
        ]
        lanes[0] ^= constant
    return lanes


def keccak_256(data: bytes) -> bytes:
    """The Keccak-256 hash: 32 bytes."""
    padded = bytearray(data) + b"\x01" + bytes(-(len(data) + 1) % _RATE)
    padded[-1] |= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            at = start + 8 * lane
            lanes[lane] ^= int.from_bytes(padded[at : at + 8], "little")
        lanes = _permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])
