"""The rules of Kemps as a fold over events, pure Python."""
