"""The adapters, held against the engine and against faults planted in them."""
