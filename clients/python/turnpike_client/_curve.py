"""
Arithmetic on secp256k1 with public values only: signatures, hashes and public keys. It takes a time that depends on its
values, so no private key may come here. OpenSSL signs, by the package `cryptography`.
"""

FIELD = 2**256 - 2**32 - 977
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)

Point = tuple[int, int]
# Jacobian coordinates: x / z^2 and y / z^3. A z of 0 is the point at infinity.
_Jacobian = tuple[int, int, int]
_INFINITY: _Jacobian = (0, 1, 0)


def _double(point: _Jacobian) -> _Jacobian:
    x, y, z = point
    square = y * y % FIELD
    s = 4 * x * square % FIELD
    m = 3 * x * x % FIELD
    doubled = (m * m - 2 * s) % FIELD
    return doubled, (m * (s - doubled) - 8 * square * square) % FIELD, 2 * y * z % FIELD


def _add(point: _Jacobian, other: Point) -> _Jacobian:
    x, y, z = point
    if z == 0:
        return other[0], other[1], 1
    squared = z * z % FIELD
    h = (other[0] * squared - x) % FIELD
    r = (other[1] * squared * z - y) % FIELD
    if h == 0:
        return _double(point) if r == 0 else _INFINITY
    h2 = h * h % FIELD
    h3 = h2 * h % FIELD
    v = x * h2 % FIELD
    added = (r * r - h3 - 2 * v) % FIELD
    return added, (r * (v - added) - y * h3) % FIELD, z * h % FIELD


def _affine(point: _Jacobian) -> Point | None:
    x, y, z = point
    if z == 0:
        return None
    inverse = pow(z, -1, FIELD)
    squared = inverse * inverse % FIELD
    return x * squared % FIELD, y * squared * inverse % FIELD


def _sum(a: int, first: Point, b: int, second: Point) -> Point | None:
    """a * first + b * second; None is the point at infinity."""
    both = _affine(_add((first[0], first[1], 1), second))
    result = _INFINITY
    for bit in range(255, -1, -1):
        result = _double(result)
        chosen = (a >> bit & 1, b >> bit & 1)
        if chosen == (1, 1):
            result = result if both is None else _add(result, both)
        elif chosen != (0, 0):
            result = _add(result, first if chosen[0] else second)
    return _affine(result)


def recovery_bit(digest: bytes, r: int, s: int, public_key: Point) -> int | None:
    """The bit that selects `public_key` among the keys to which a signature belongs; None if it is not the key's."""
    if not (0 < r < ORDER and 0 < s < ORDER):
        return None
    inverse = pow(s, -1, ORDER)
    z = int.from_bytes(digest, "big") % ORDER
    nonce = _sum(z * inverse % ORDER, GENERATOR, r * inverse % ORDER, public_key)
    return nonce[1] & 1 if nonce is not None and nonce[0] == r else None


def recover(digest: bytes, r: int, s: int, bit: int) -> Point | None:
    """The public key of a signature; None if it has none."""
    if not (0 < r < ORDER and 0 < s < ORDER):
        return None
    square = (pow(r, 3, FIELD) + 7) % FIELD
    y = pow(square, (FIELD + 1) // 4, FIELD)
    if y * y % FIELD != square:
        return None
    inverse = pow(r, -1, ORDER)
    z = int.from_bytes(digest, "big") % ORDER
    nonce = (r, y if y & 1 == bit else FIELD - y)
    return _sum(-z * inverse % ORDER, GENERATOR, s * inverse % ORDER, nonce)
