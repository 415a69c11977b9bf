import Foundation

/// What a test wants of its app.
struct TestAppOptions: Sendable {
    var application = "test-app"
    var session = "test"
    var events = ""
    var directory = "."
    var urls: [(url: String, timeout: Double?, mirror: String?)] = []
    /// How many sessions to open, each with a download.
    var sessionCount = 0
    /// What to upload: the URL and the file's path.
    var uploads: [(url: String, path: String)] = []
    /// How often each of them is made.
    var uploadCount = 1
    /// The method of uploads.
    var uploadMethod = "PUT"
    /// Relaunched processes that kill themselves at once, counted in a file.
    var crashFile: String?
    /// Start in a default session, cancel at this many bytes, go on in the background session.
    var handOverAt: Int64?
    var sendsLaunchEvents = true
    /// What a session does not use: `expensive-network`, `constrained-network`, `cellular-network`.
    var avoided: Set<String> = []
    var isDiscretionary = false
    /// A file with the URL of what the first process that ferryd starts loads.
    var nextFile: String?
    /// Wait for a network instead of failing, in sessions that can be told so.
    var waitsForConnectivity = false
    /// Open the session and do nothing, without a task of Swift's.
    var isIdle = false
    /// Cancel the task of this description at its first progress, and go on from the resume data.
    var interrupted: String?
    /// What to load in a second session, which is then invalidated.
    var secondURL: String?
    /// At SIGUSR1, write when the daemon knows of everything.
    var flushesOnSignal = false
    /// Use a default session, whose transfers are the app's own, in place of a background session.
    var isForeground = false
    /// Take no more tasks than the first ones, and end when they have ended.
    var finishes = false
    /// By how many connections a session fetches one body; nil for its own choice.
    var connections: Int?
    /// Cancel each download when this many bytes of it are there.
    var cancelAt: Int64?
    /// Cancel the first upload when this many bytes of it have left, and go on from the resume data.
    var continueUploadAt: Int64?
    /// Suspend each download at this many bytes, and resume it as the most urgent one.
    var suspendAt: Int64?
    /// The header fields of every request.
    var fields: [(name: String, value: String)] = []
    /// The time-out of the requests that are named after it, in seconds.
    var timeout: Double?
    /// The path of what is to be loaded when an address is none any more.
    var link: String?
    /// Where the next file is to be had, too.
    var mirror: String?

    /// The user's name for servers that ask.
    var user = ""
    /// The passwords to try, one after the other.
    var passwords: [String] = []
    /// Cancel tasks whose servers ask for a password.
    var cancelsChallenges = false
    /// Do not answer servers that ask for a password, unless started by ferryd.
    var isSilent = false
    /// Trust every server.
    var trusts = false
    /// A file in PKCS #12 and its passphrase, to prove who the client is.
    var identity: (path: String, passphrase: String)?
    /// How many seconds from now the downloads begin.
    var beginIn: Double?
    /// What to do when a task begins: `cancel` it, or load this URL in place of its own.
    var delayed: String?

    /// Write a line for the metrics of each task, with the statuses of its responses.
    var tellsMetrics = false

    /// Transfer in a default session and in a background task, with this expiration handler.
    var guarded: GuardedTransfer.Expiration?
    /// Do what the README's first lines of code do with this URL, and nothing else.
    var snippet: URL?
    /// Take events without a delegate.
    var asynchronous: AsyncTestApp?
    /// The limits of background tasks, in seconds.
    var grace: Double?
    var expirationLimit: Double?
    /// Have a handler for SIGTERM, which ends the process with status 3.
    var hasOwnHandler = false
    /// Begin a background task and end it, before anything else.
    var hasBriefTask = false
    /// At SIGUSR1, write whether background tasks are to end.
    var tellsRemaining = false

    init(_ arguments: [String]) {
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            let value = rest.popFirst() ?? ""
            switch name {
            case "--snippet": snippet = URL(string: value)
            case "--async": asynchronous = AsyncTestApp(rawValue: value)
            case "--application": application = value
            case "--session": session = value
            case "--events": events = value
            case "--directory": directory = value
            case "--url":
                urls.append((value, timeout, mirror))
                mirror = nil
            case "--mirror": mirror = value
            case "--link": link = value
            case "--session-count": sessionCount = Int(value) ?? 0
            case "--upload": addUpload(value)
            case "--upload-method": uploadMethod = value
            case "--upload-count": uploadCount = Int(value) ?? 1
            case "--crash-file": crashFile = value
            case "--hand-over-at": handOverAt = Int64(value)
            case "--idle": isIdle = value == "yes"
            case "--interrupt": interrupted = value
            case "--second-url": secondURL = value
            case "--flush-on-signal": flushesOnSignal = value == "yes"
            case "--foreground": isForeground = value == "yes"
            case "--finish": finishes = value == "yes"
            case "--connections": connections = Int(value)
            case "--cancel-at": cancelAt = Int64(value)
            case "--continue-upload-at": continueUploadAt = Int64(value)
            case "--suspend-at": suspendAt = Int64(value)
            case "--field": addField(value)
            case "--timeout": timeout = Double(value)
            case "--launch-events": sendsLaunchEvents = value == "yes"
            case "--waits-for-connectivity": waitsForConnectivity = value == "yes"
            case "--avoid": avoided.insert(value)
            case "--discretionary": isDiscretionary = value == "yes"
            case "--next-file": nextFile = value
            default: parseQuestions(name, value)
            }
        }
    }

    private mutating func parseQuestions(_ name: String, _ value: String) {
        switch name {
        case "--user": user = value
        case "--password": passwords.append(value)
        case "--password-file":
            if let text = try? String(contentsOfFile: value, encoding: .utf8) {
                passwords.append(text)
            }
        case "--cancel-challenges": cancelsChallenges = value == "yes"
        case "--silent": isSilent = value == "yes"
        case "--trust": trusts = value == "yes"
        case "--identity": identity = (value, identity?.passphrase ?? "")
        case "--passphrase": identity = (identity?.path ?? "", value)
        case "--begin-in": beginIn = Double(value)
        case "--when-begun": delayed = value
        case "--metrics": tellsMetrics = value == "yes"
        default: parseBackgroundTasks(name, value)
        }
    }

    private mutating func parseBackgroundTasks(_ name: String, _ value: String) {
        switch name {
        case "--guarded": guarded = GuardedTransfer.Expiration(rawValue: value)
        case "--grace": grace = Double(value)
        case "--expiration-limit": expirationLimit = Double(value)
        case "--own-handler": hasOwnHandler = value == "yes"
        case "--brief-task": hasBriefTask = value == "yes"
        case "--remaining-on-signal": tellsRemaining = value == "yes"
        default: break
        }
    }

    /// Adds an upload that is given as a URL, a space and a path.
    private mutating func addUpload(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        if parts.count == 2 { uploads.append((parts[0], parts[1])) }
    }

    /// Adds a field that is given as it stands in a header.
    private mutating func addField(_ line: String) {
        let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
        if parts.count == 2 { fields.append((parts[0], parts[1])) }
    }

    /// What this process is to load, and no later one.
    func takeNext() -> String? {
        guard let nextFile, let url = try? String(contentsOfFile: nextFile, encoding: .utf8)
        else { return nil }
        try? FileManager.default.removeItem(atPath: nextFile)
        return url
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
