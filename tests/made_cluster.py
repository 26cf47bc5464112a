"""A Dask scheduler and worker processes on this machine, for tests."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

SECONDS = 90


class Cluster:
    """The address, and the processes of the workers."""

    def __init__(self, folder):
        self.folder, self.file = Path(folder), Path(folder) / "scheduler.json"
        self.processes = []
        self.workers = {}
        self.start(
            "scheduler", "--scheduler-file", str(self.file), "--port", "0", "--host", "127.0.0.1"
        )
        self.wait_for(self.file.exists)
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, kind, *arguments, **environment):
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        with open(self.folder / f"{kind}-{len(self.processes)}.log", "wb") as log:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    f"distributed.cli.dask_{kind}",
                    *arguments,
                    "--no-dashboard",
                ],
                env=os.environ | {"PYTHONPATH": path} | environment,
                stdout=log,
                stderr=log,
            )
        self.processes.append(process)
        return process

    def add_worker(self, **environment):
        name = f"worker-{len(self.workers)}"
        self.workers[name] = self.start(
            "worker", str(self.address), "--name", name, "--no-nanny", "--nthreads", "1",
            "--host", "127.0.0.1", "--local-directory", str(self.folder / name), **environment,
        )  # fmt: skip

    def wait_for(self, condition):
        until = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < until, "the cluster did not start"
            time.sleep(0.1)


@contextmanager
def cluster(folder, workers=2):
    """A cluster with some workers, which has ended afterwards."""
    from distributed import Client

    made = Cluster(folder)
    try:
        for _ in range(workers):
            made.add_worker()
        with Client(made.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=SECONDS)
        yield made
    finally:
        for process in made.processes:
            process.kill()
        for process in made.processes:
            process.wait()
