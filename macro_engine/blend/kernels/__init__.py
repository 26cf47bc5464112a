"""Kernels of the blend, for many rows at a time.

Every function computes what the definition computes, with the same operations in the same order.
"""
