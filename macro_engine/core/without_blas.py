"""Disables Numba's support of SciPy's linear algebra, which no kernel uses."""

from __future__ import annotations

from contextlib import suppress


def load_numba_without_blas() -> None:
    """Load what Numba loads at its first kernel, but for what it only looks for.

    It imports `scipy.linalg` to see whether there is one, which takes 0.2 s and 14 MB. A kernel of
    the user's that needs it still finds it: that is looked up again where it is used.
    """
    with suppress(ImportError, AttributeError):  # a version of Numba that does otherwise
        from numba.np import linalg

        ensure_blas = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            from numba.np import arraymath

            setattr(arraymath, "ensure_blas", ensure_blas)  # noqa: B010 (it is not exported)
        finally:
            linalg.ensure_blas = ensure_blas
