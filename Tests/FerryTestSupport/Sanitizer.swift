import FerrySystem

/// Whether the tests run under a sanitizer, which takes time, memory and system calls of its own.
package enum Sanitizer {
    /// As `make sanitize` says.
    package static let isOn = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
        ProcessEnvironment[$0] != nil
    }

    /// The environment variables of a program with a thread that cannot be stopped, as it waits for a disk: the search for
    /// leaks at its end would wait for that thread.
    package static var withoutSearchForLeaks: [String: String] {
        ProcessEnvironment["ASAN_OPTIONS"].map { ["ASAN_OPTIONS": "\($0) detect_leaks=0"] } ?? [:]
    }
}
