import Foundation

/// What a test wants of its app.
struct TestAppOptions: Sendable {
    var application = "test-app"
    var session = "test"
    var events = ""
    var directory = "."
    var urls: [String] = []
    /// Relaunched processes that kill themselves at once, counted in a file.
    var crashFile: String?
    /// Start in a default session, cancel at this many bytes, go on in the background session.
    var handOverAt: Int64?
    var sendsLaunchEvents = true
    /// Open the session and do nothing, without a task of Swift's.
    var isIdle = false
    /// Cancel the task of this description at its first progress, and go on from the resume data.
    var interrupted: String?
    /// What to load in a second session, which is then invalidated.
    var secondURL: String?
    /// At SIGUSR1, write when the daemon knows of everything.
    var flushesOnSignal = false

    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            let value = rest.popFirst() ?? ""
            switch name {
            case "--application": application = value
            case "--session": session = value
            case "--events": events = value
            case "--directory": directory = value
            case "--url": urls.append(value)
            case "--crash-file": crashFile = value
            case "--hand-over-at": handOverAt = Int64(value)
            case "--idle": isIdle = value == "yes"
            case "--interrupt": interrupted = value
            case "--second-url": secondURL = value
            case "--flush-on-signal": flushesOnSignal = value == "yes"
            case "--launch-events": sendsLaunchEvents = value == "yes"
            default: break
            }
        }
    }

    /// Whether this process is one of those that crash; each takes one line off the file.
    func takeOneCrash() -> Bool {
        guard let crashFile, let text = try? String(contentsOfFile: crashFile, encoding: .utf8),
            let count = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)), count > 0
        else { return false }
        try? String(count - 1).write(toFile: crashFile, atomically: true, encoding: .utf8)
        return true
    }
}
