import FerrySystem
import FerryTestSupport
import FerryWire
import Foundation

/// What has to hold, whatever has happened.
extension BoundaryRun {
    /// Looks at what there is after the run.
    func judge() async throws -> BoundaryOutcome {
        var outcome = BoundaryOutcome()
        if isLate {
            let lines = events.lines.filter { !$0.hasPrefix("progress") }
            outcome.faults.append("it hangs: " + lines.joined(separator: "; "))
            let log = try? String(contentsOfFile: home.state + "/log/ferryd.log", encoding: .utf8)
            outcome.faults.append("the log: " + (log?.suffix(2000) ?? "none"))
            home.killAll()
            return outcome
        }
        judgeEnd(&outcome)
        judgeEvents(&outcome)
        judgeFiles(&outcome)
        judgeRequests(&outcome)
        judgeUploads(&outcome)
        try await judgeState(&outcome)
        if isLate { outcome.faults.append("ferryd does not end") }
        return outcome
    }

    private func judgeEnd(_ outcome: inout BoundaryOutcome) {
        guard target == nil || isHit else {
            outcome.end = .notReached
            if end != "exited 0" { outcome.faults.append("ferryd has \(end ?? "not ended")") }
            return
        }
        switch end {
        case "killed 9" where target?.isKill == true:
            outcome.end = .killed
        case "exited 0" where target?.isKill != true:
            break
        case "exited 1" where target?.isKill != true && !complaint.isEmpty:
            outcome.end = .gaveUp
        case .some where target.map(Self.isOutOfMemory) == true:
            outcome.end = .outOfMemory
        default:
            outcome.faults.append("ferryd has \(end ?? "not ended"): \(complaint)")
        }
    }

    /// Whether what fails is what the language's runtime cannot do without: memory, and threads.
    private static func isOutOfMemory(_ target: BoundaryTarget) -> Bool {
        guard !target.isKill else { return false }
        return target.call == "mmap" && target.file == "memory" || target.call.hasPrefix("clone")
    }

    /// Every task has exactly one end, of which no process was told twice.
    private func judgeEvents(_ outcome: inout BoundaryOutcome) {
        let lines = events.lines
        var tasks = numbers.map { "completed \($0)" } + ["second completed \(secondNumber)"]
        if let continued { tasks.append("completed \(continued)") }
        for task in tasks {
            let ends = lines.filter { $0.hasPrefix(task + " ") }
            if ends.count != 1 { outcome.faults.append("\(task) was told \(ends.count) times") }
            guard let code = ends.first?.split(separator: " ").last, code != "ok" else { continue }
            if task == "completed \(interruptedTask)", code == "-999" { continue }
            outcome.errors.append(Int(code) ?? 0)
            // Nobody knows what -1 means; and a kill is no reason for any error but one.
            if code == "-1" || target?.isKill != false && !isAnswerLost(task, code) {
                outcome.faults.append("\(task) has the error \(code)")
            }
        }
        outcome.faults += lines.filter { $0.contains("not-moved") }
        // A task that has ended before it was cancelled leaves no resume data.
        let isCancelled = lines.contains("completed \(interruptedTask) -999")
        if isCancelled, hasNoContinuation, target?.isKill != false {
            outcome.faults.append("there is no resume data")
        }
    }

    /// Every file that was delivered is what the server has.
    private func judgeFiles(_ outcome: inout BoundaryOutcome) {
        for item in script.items + [script.second] {
            guard item.name == BoundaryScript.interrupted else {
                judgeFile(item.name, item, status: item.status, &outcome)
                continue
            }
            // One of both, as it happens to end before it is cancelled or not.
            for name in [item.name, "rest-of-\(item.name)"] where isTold(of: name) {
                judgeFile(name, item, status: item.status, &outcome)
            }
        }
    }

    /// Whether the app was told of an error in place of a file.
    private func hasFailed(_ item: BoundaryScript.Item) -> Bool {
        let isSecond = item.name == script.second.name
        let task = isSecond ? "second completed \(secondNumber) " : "completed \(task(item.name)) "
        return events.lines.contains { $0.hasPrefix(task) && !$0.hasSuffix(" ok") }
    }

    private func isTold(of name: String) -> Bool { deliveries(of: name).isEmpty == false }

    private func deliveries(of name: String) -> [String] {
        events.lines.filter { $0.contains("finished ") && $0.contains(" \(name) ") }
    }

    private func judgeFile(
        _ name: String,
        _ item: BoundaryScript.Item,
        status: Int,
        _ outcome: inout BoundaryOutcome
    ) {
        guard let line = deliveries(of: name).first else {
            if !hasFailed(item) { outcome.faults.append("\(name) was not delivered") }
            return
        }
        // What the app has continued from resume data has the status of the part.
        if !line.hasSuffix(" \(status)"), !line.hasSuffix(" 206") { outcome.faults.append(line) }
        let file = try? Data(contentsOf: URL(filePath: "\(home.files)/\(name)"))
        if item.content.firstDifference(from: [UInt8](file ?? Data())) != nil {
            outcome.faults.append("\(name) has wrong bytes")
        }
    }

    /// Nothing was asked for again that was there, or whose end the app knew.
    private func judgeRequests(_ outcome: inout BoundaryOutcome) {
        let requests = server.requests
        for (item, number) in zip(script.items, numbers) {
            guard item.name != BoundaryScript.interrupted, let count = requestCounts[number]
            else { continue }
            let late = requests.filter { $0.path == item.path && $0.index >= count.server }
            guard !isAbandonedPart(late, of: item), !late.isEmpty else { continue }
            outcome.faults.append("\(item.name) was asked for after its end")
        }
        for remainder in remainders {
            let later = requests.filter {
                $0.path == remainder.path && $0.index >= remainder.firstRequest
            }
            outcome.faults += remainder.faults(of: later.map(\.range))
        }
    }

    /// Whether there is nothing but the request of a second connection that was still on its way when the
    /// first one had brought everything.
    private func isAbandonedPart(_ late: [FixtureRequest], of item: BoundaryScript.Item) -> Bool {
        guard item.name == BoundaryScript.divided, late.count == 1 else { return false }
        // An attempt begins with the whole, or with all that is missing.
        return late[0].range?.hasSuffix("-") == false
    }

    /// Nothing is left, at the latest when ferryd has run once more.
    private func judgeState(_ outcome: inout BoundaryOutcome) async throws {
        for process in home.processes(of: "ferry-test-app") {
            outcome.faults.append("process \(process) of the app still runs")
        }
        var findings = StateInspection(of: home).findings
        if !findings.isEmpty, target != nil {
            let socket = try starter.connect()
            _ = consume socket
            await home.untilNoDaemon()
            findings = StateInspection(of: home).findings
        }
        // A task that ends with an error leaves resume data, which is the app's to use.
        if !outcome.errors.isEmpty { findings.removeAll { $0.hasPrefix("there is resumable/") } }
        outcome.faults += findings
    }
}

/// How a run has ended at which something happened at a system call.
struct BoundaryOutcome: Sendable {
    /// What has become of the ferryd that it happened to.
    enum End: String, Sendable {
        /// It went on to its ordinary end.
        case wentOn = "went on"
        /// It ended, and has said why.
        case gaveUp = "ended with a message"
        /// It was killed at the call.
        case killed
        /// What it could not get, memory or a thread, the runtime cannot do without: the process ended.
        case outOfMemory = "ended for want of memory"
        /// The call was not made in this run.
        case notReached = "not reached"
    }

    /// What has become of ferryd.
    var end = End.wentOn
    /// The error codes that tasks ended with, which would have ended well otherwise.
    var errors: [Int] = []
    /// What was promised and does not hold.
    var faults: [String] = []
}
