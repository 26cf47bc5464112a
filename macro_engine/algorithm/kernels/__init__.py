"""The compiled loops behind `CompiledFamily`.

They compute what `macro.py` defines over River's logistic regression or the nearest mean, to the
last bit: every sum runs in the same order, and nothing is fused, reordered or replaced by a faster
approximation.
"""
