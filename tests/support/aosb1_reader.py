"""Opens a file that is sealed as aosb1 (docs/aosb1.md): python3 aosb1_reader.py DEK SEALED OUT

Written from the document alone, with the standard library and the `openssl` command line, to
show that the document is enough. OUT is written when all of SEALED was right, and only then.
"""
import hashlib
import hmac
import subprocess
import sys

CHUNK, TAG, HEADER = 65536, 16, 64


def hkdf(key, salt, info, size):
    secret = hmac.new(salt or bytes(32), key, hashlib.sha256).digest()
    block, out, count = b"", b"", 1
    while len(out) < size:
        block = hmac.new(secret, block + info + bytes([count]), hashlib.sha256).digest()
        out, count = out + block, count + 1
    return out[:size]


def openssl(mode, key, data, *more):
    command = ["openssl", "enc", "-aes-256-" + mode, "-K", key.hex(), "-nopad", *more]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def times_table(h):
    """h times x to the power of 0, 1, 2, ..., in the field of GCM."""
    table = []
    for _ in range(128):
        table.append(h)
        h = (h >> 1) ^ (0xE1 << 120 if h & 1 else 0)
    return table


def ghash(table, aad, sealed):
    def padded(data):
        return data + bytes(-len(data) % 16)

    lengths = (len(aad) * 8).to_bytes(8, "big") + (len(sealed) * 8).to_bytes(8, "big")
    blocks, sum_ = padded(aad) + padded(sealed) + lengths, 0
    for at in range(0, len(blocks), 16):
        left, sum_ = sum_ ^ int.from_bytes(blocks[at : at + 16], "big"), 0
        while left:
            top = left.bit_length() - 1
            sum_, left = sum_ ^ table[127 - top], left ^ (1 << top)
    return sum_.to_bytes(16, "big")


def open_sealed(dek, data):
    header, body = data[:HEADER], data[HEADER:]
    salt, commitment = header[8:24], header[24:40]
    if len(header) < HEADER or header[:8] != b"AOSB1\x01\x10\0" or any(header[40:]):
        raise ValueError("this is no aosb1 file")
    if not hmac.compare_digest(commitment, hkdf(dek, salt, b"aosb1/commitment", 16)):
        raise ValueError("this is not the key")
    key, prefix = hkdf(dek, salt, b"aosb1/chunk", 32), hkdf(dek, salt, b"aosb1/nonce", 7)
    table = times_table(int.from_bytes(openssl("ecb", key, bytes(16)), "big"))
    plain, count = [], max(1, -(-len(body) // (CHUNK + TAG)))
    for index in range(count):
        chunk = body[index * (CHUNK + TAG) :][: CHUNK + TAG]
        sealed, tag = chunk[:-TAG], chunk[-TAG:]
        if len(tag) < TAG or (not sealed and index > 0):
            raise ValueError("the end is missing")
        nonce = prefix + index.to_bytes(4, "big") + bytes([index == count - 1])
        stream = openssl("ctr", key, bytes(16) + sealed, "-iv", nonce.hex() + "00000001")
        expected = bytes(a ^ b for a, b in zip(stream[:16], ghash(table, header, sealed)))
        if not hmac.compare_digest(expected, tag):
            raise ValueError(f"chunk {index} is not what was sealed there")
        plain.append(stream[16:])
    return b"".join(plain)


if __name__ == "__main__":
    try:
        with open(sys.argv[2], "rb") as file:
            opened = open_sealed(bytes.fromhex(sys.argv[1]), file.read())
    except ValueError as refusal:
        sys.exit(f"refused: {refusal}")
    with open(sys.argv[3], "wb") as file:
        file.write(opened)
