"""The log of checkpoints (docs/CHECKPOINTS.md): its leaves, tree, tiles, notes, proofs and policies, without I/O."""
