@preconcurrency import Glibc

/// The processor time that this thread takes for some work: what else the machine does is not counted.
package func processorTime(_ work: () throws -> Void) rethrows -> Duration {
    let start = ofThisThread()
    try work()
    return ofThisThread() - start
}

private func ofThisThread() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
