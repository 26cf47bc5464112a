"""Marks for tests that need an extra, which the test extra does not pull in.

Each skips with the command that installs what it needs; `pytest -m extra --no-skips` runs them all,
and fails where one would skip.
"""

from importlib.util import find_spec

import pytest

needs_vw = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("vowpalwabbit") is None,
        reason="needs Vowpal Wabbit: pip install 'macro-tui[vw]'",
    ),
]

needs_prometheus = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("prometheus_client") is None,
        reason="needs prometheus-client: pip install 'macro-tui[metrics]'",
    ),
]

needs_kafka = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("confluent_kafka") is None,
        reason="needs confluent-kafka: pip install 'macro-tui[kafka]'",
    ),
]

needs_pandas = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("pandas") is None, reason="needs pandas: pip install 'macro-tui[pandas]'"
    ),
]

needs_dask = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("distributed") is None, reason="needs Dask: pip install 'macro-tui[dask]'"
    ),
]

needs_web = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("textual_serve") is None,
        reason="needs textual-serve: pip install 'macro-tui[web]'",
    ),
]

needs_matplotlib = [
    pytest.mark.extra,
    pytest.mark.skipif(
        find_spec("matplotlib") is None, reason="needs matplotlib: pip install 'macro-tui[report]'"
    ),
]
