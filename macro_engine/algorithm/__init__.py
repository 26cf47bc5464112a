"""The meta-algorithm and the strategies that choose among its thresholds."""
