"""How gunicorn serves httpbin to the tests: on the socket that it is handed, in one worker."""

import ctypes
import signal

bind = "fd://3"
worker_class = "gthread"
# Answers that take their time hold a thread each.
threads = 32
# Longer than any test: a connection that is kept does not close under a request.
keepalive = 600
timeout = 0
control_socket_disable = True
loglevel = "warning"


def post_fork(arbiter, worker):
    # The kernel kills gunicorn with the tests' process, and the worker with gunicorn.
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
