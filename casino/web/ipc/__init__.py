"""The backend and its web workers in separate processes, over Redis."""
