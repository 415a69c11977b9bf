"""Runs tuspyserver on the socket that is handed over, for the directory that is named."""

import ctypes
import signal
import sys

import fastapi
import tuspyserver
import uvicorn

# The kernel kills it with the tests' process.
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)

app = fastapi.FastAPI()
# Without this, a part that comes with the wrong offset would be taken.
app.include_router(
    tuspyserver.create_tus_router(
        prefix="files", files_dir=sys.argv[1], strict_offset_validation=True
    )
)
uvicorn.run(app, fd=3, log_level="warning")
