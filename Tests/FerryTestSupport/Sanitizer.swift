import FerrySystem

/// Whether the tests run under a sanitizer, which takes time, memory and system calls of its own.
package enum Sanitizer {
    /// As `make sanitize` says.
    package static let isOn = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
        ProcessEnvironment[$0] != nil
    }

    /// The environment variables of a program that cannot be traced, as the search for leaks at its end would do: it is
    /// traced already, or it has a thread that waits for a disk and cannot be stopped.
    package static var withoutSearchForLeaks: [String: String] {
        ProcessEnvironment["ASAN_OPTIONS"].map { ["ASAN_OPTIONS": "\($0) detect_leaks=0"] } ?? [:]
    }
}
