import CFerryLinux
import Glibc

/// The environment variables of this process.
package enum ProcessEnvironment {
    /// All variables as they are now.
    package static var current: [String: String] {
        var variables: [String: String] = [:]
        guard var entry = CFerryLinux_environment() else { return variables }
        while let text = entry.pointee {
            let pair = String(cString: text)
            if let equals = pair.firstIndex(of: "=") {
                variables[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
            }
            entry += 1
        }
        return variables
    }

    /// The value of one variable, or `nil`.
    package static subscript(name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Removes a variable, so that programs started from here do not inherit it.
    package static func remove(_ name: String) { unsetenv(name) }

    /// Sets a variable.
    package static func set(_ name: String, _ value: String) { setenv(name, value, 1) }
}
