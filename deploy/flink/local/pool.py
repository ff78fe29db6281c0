"""Starts Beam workers for the TaskManagers of this machine, on request.

    pool.py PORT

Beam's own pool serves one TaskManager: workers are known to it by a number, each TaskManager
counts from one, and a worker that one of them ends may be the other's.  Here a worker ends by
itself when its TaskManager hangs up.  This pool also listens on this machine only, and what a
worker prints goes to the log, where Beam's stops a worker that prints more than a pipe holds.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from apache_beam.portability.api import beam_fn_api_pb2, beam_fn_api_pb2_grpc

WORKER = """
import sys
from apache_beam.runners.worker.sdk_worker import SdkHarness
SdkHarness(sys.argv[1], worker_id=sys.argv[2], data_buffer_time_limit_ms=-1).run()
"""


class Pool(beam_fn_api_pb2_grpc.BeamFnExternalWorkerPoolServicer):
    """Beam's service for workers that an engine does not start itself."""

    def StartWorker(self, request: Any, context: Any) -> Any:
        """Start a process that takes its work from the TaskManager that asks."""
        address, name = request.control_endpoint.url, request.worker_id
        try:
            worker = subprocess.Popen(
                [sys.executable, "-c", WORKER, address, name],
                stdin=subprocess.DEVNULL, stdout=sys.stderr,
            )  # fmt: skip
        except OSError as error:
            return beam_fn_api_pb2.StartWorkerResponse(error=str(error))
        print(f"worker {name} of {address} is process {worker.pid}", file=sys.stderr, flush=True)
        # Somebody has to take note of its end.
        threading.Thread(target=worker.wait, daemon=True).start()
        return beam_fn_api_pb2.StartWorkerResponse()

    def StopWorker(self, request: Any, context: Any) -> Any:
        """Nothing to do: the TaskManager hangs up next, and the name may be another's too."""
        return beam_fn_api_pb2.StopWorkerResponse()


def main() -> None:
    """Serve until ended."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(Pool(), server)
    server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
