"""The transparency log, with Merkle tree, signed notes, tiles, cosignatures and key rotation."""
