"""Transparency log: Merkle tree, signed notes, tiles, cosignatures and key rotation."""

# isort: off
from casino.ledger.tlog.key_rotation import (
    KeyChain, Link, chain_of, make_rotation, rotations_in, with_rotation,
)  # fmt: skip
from casino.ledger.tlog.merkle import (
    EMPTY_ROOT, TILE, Frontier, Hash, Subtree, consistency_proof, frontier_of, inclusion_proof,
    leaf_hash, verify_consistency, verify_inclusion,
)  # fmt: skip
from casino.ledger.tlog.note import (
    COSIGNATURE, DASH, Checkpoint, PublicKey, Receipt, SigningKey, open_checkpoint, read_key,
    read_receipt, sign_checkpoint, signatures_by, verify_receipt,
)  # fmt: skip
from casino.ledger.tlog.tiles import (
    WIDTH, Tile, decode_bundle, decode_hashes, encode_bundle, parse_tile, subtree_reader,
    tile_rows,
)  # fmt: skip
from casino.ledger.tlog.witness import (
    PATH, TEXT_TYPE, Witness, WitnessAddress, WitnessReply, WitnessRequest, check_quorum,
    cosigning_times, parse_witnesses, with_cosignatures,
)  # fmt: skip
# isort: on
