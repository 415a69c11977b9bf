import FerrySystem
import FerryTestSupport
import Foundation

/// Many runs, each with something else that happens, a few at a time.
struct BoundarySweep {
    /// What came of one run.
    struct Finding: Sendable {
        var target: BoundaryTarget
        var outcome: BoundaryOutcome
    }

    /// What happens, one in each run.
    let targets: [BoundaryTarget]
    /// Where each finding is put as soon as it is there; what is there already is not run again.
    let resultPath: String?

    /// How many runs are under way at once.
    ///
    /// They mostly wait: a ferryd that has just started gives apps time to come back before it
    /// starts them.
    private static let width =
        ProcessEnvironment["FERRY_BOUNDARY_WIDTH"].flatMap { Int($0) } ?? 8

    /// What is to happen in a run, as the environment says, or a choice that is new each time.
    static func targets(of calls: CallCount, sample count: Int) throws -> [BoundaryTarget] {
        if let text = ProcessEnvironment["FERRY_BOUNDARY"] {
            return text.split(separator: "\n").compactMap { BoundaryTarget(String($0)) }
        }
        guard let path = ProcessEnvironment["FERRY_BOUNDARY_RESULTS"] else {
            return Array(calls.targets.shuffled().prefix(count))
        }
        // A sweep that was broken off goes on with what it had begun.
        let planPath = path + ".plan"
        if let plan = try? String(contentsOfFile: planPath, encoding: .utf8) {
            return plan.split(separator: "\n").compactMap { BoundaryTarget(String($0)) }
        }
        // Each kind of call, how many there were, and whether others see them.
        let counts = calls.counts.map { kind, count in
            "\(kind.call)\t\(kind.file)\t\(count)\t\(kind.isBoundary ? 1 : 0)"
        }
        try counts.sorted().joined(separator: "\n")
            .write(toFile: path + ".calls", atomically: true, encoding: .utf8)
        let targets = calls.targets.shuffled()
        let plan = targets.map(\.description).joined(separator: "\n")
        try plan.write(toFile: planPath, atomically: true, encoding: .utf8)
        return targets
    }

    /// Runs them all, and returns what was found.
    func run() async throws -> [Finding] {
        let known = knownTargets()
        var rest = targets.filter { !known.contains($0.description) }[...]
        return try await withThrowingTaskGroup(of: Finding.self) { group in
            var findings: [Finding] = []
            for _ in 0..<Self.width {
                if let target = rest.popFirst() { group.addTask { try await Self.run(target) } }
            }
            while let finding = try await group.next() {
                findings.append(finding)
                try record(finding)
                if let target = rest.popFirst() { group.addTask { try await Self.run(target) } }
            }
            return findings
        }
    }

    @concurrent
    private static func run(_ target: BoundaryTarget) async throws -> Finding {
        Finding(target: target, outcome: try await BoundaryRun(target).run())
    }

    // MARK: The file

    private func knownTargets() -> Set<String> {
        guard let resultPath,
            let text = try? String(contentsOfFile: resultPath, encoding: .utf8)
        else { return [] }
        let targets = text.split(separator: "\n").compactMap { $0.split(separator: "\t").first }
        return Set(targets.map(String.init))
    }

    private func record(_ finding: Finding) throws {
        guard let resultPath else { return }
        let line = [
            finding.target.description,
            finding.outcome.end.rawValue,
            finding.outcome.errors.map(String.init).joined(separator: ","),
            finding.outcome.faults.joined(separator: "; ")
                .replacing("\t", with: " ").replacing("\n", with: " "),
        ].joined(separator: "\t")
        let descriptor = try systemCall("open", resultPath) {
            open(resultPath, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        }
        let bytes = Array((line + "\n").utf8)
        _ = write(descriptor, bytes, bytes.count)
        close(descriptor)
    }
}
