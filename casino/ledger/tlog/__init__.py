"""The transparency log: Merkle tree, signed notes, tiles, cosignatures, key rotation."""
