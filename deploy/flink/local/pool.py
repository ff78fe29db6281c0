"""Start Beam workers for the TaskManagers of this machine, on request.

    pool.py PORT

Beam's own pool can serve only one TaskManager.  It identifies workers by a number, which each
TaskManager counts from one, so one TaskManager may end a worker of another.  Here, a worker ends
when its TaskManager closes the connection.  This pool is also reachable only from this machine.
It sends a worker's output to the log; Beam's pool blocks a worker once its output fills a pipe.
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
    """Beam's service for workers that are not started by the engine itself."""

    def StartWorker(self, request: Any, context: Any) -> Any:
        """Start a process that takes its work from the requesting TaskManager."""
        address, name = request.control_endpoint.url, request.worker_id
        try:
            worker = subprocess.Popen(
                [sys.executable, "-c", WORKER, address, name],
                stdin=subprocess.DEVNULL, stdout=sys.stderr,
            )  # fmt: skip
        except OSError as error:
            return beam_fn_api_pb2.StartWorkerResponse(error=str(error))
        print(f"worker {name} of {address} is process {worker.pid}", file=sys.stderr, flush=True)
        # Wait for the process in the background, so that it does not remain as a zombie.
        threading.Thread(target=worker.wait, daemon=True).start()
        return beam_fn_api_pb2.StartWorkerResponse()

    def StopWorker(self, request: Any, context: Any) -> Any:
        """Do nothing: the TaskManager closes the connection next; a name may be used twice."""
        return beam_fn_api_pb2.StopWorkerResponse()


def main() -> None:
    """Serve until the process is ended."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    beam_fn_api_pb2_grpc.add_BeamFnExternalWorkerPoolServicer_to_server(Pool(), server)
    server.add_insecure_port(f"127.0.0.1:{sys.argv[1]}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main()
