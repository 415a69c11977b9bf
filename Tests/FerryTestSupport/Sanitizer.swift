import FerrySystem

/// Whether the tests run under a sanitizer, which takes time, memory and system calls of its own.
package enum Sanitizer {
    /// As `make sanitize` says.
    package static let isOn = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
        ProcessEnvironment[$0] != nil
    }
}
