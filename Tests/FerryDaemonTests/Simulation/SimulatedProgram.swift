import FerryTransfer
import FerryWire
import FoundationEssentials

/// An application as it lies on the disk, with what it keeps there.
final class SimulatedProgram {
    let name: String
    let executable: String
    let sessionNames: [String]
    let configuration: Wire.SessionConfiguration
    let isLaunchable: Bool
    /// Whether it wants many files, all of them at once, and nothing else.
    let isGreedy: Bool
    /// How many tasks it still wants to make.
    var taskBudget: Int
    /// Resume data, and what it is of.
    var resumeData: [(number: Int64, resource: Int)] = []
    /// Resume data of uploads.
    private(set) var uploads: [(blob: Data, content: UploadResumeData)] = []
    /// Those that it has had, which are good for one task each.
    private var knownUploads: Set<UUID> = []

    init(_ number: Int, isGreedy: Bool = false, using random: inout SeededRandom) {
        self.isGreedy = isGreedy
        name = "app\(number)"
        executable = "/bin/app\(number)"
        sessionNames = random.happens(percent: 70) ? ["main"] : ["main", "other"]
        configuration = Wire.SessionConfiguration(
            additionalFields: [],
            resourceTimeout: random.one(of: [0, 30, 604_800]),
            maximumConnectionsPerHost: 1 + random.number(below: 5),
            sendsLaunchEvents: random.happens(percent: 85),
            launchesForEachTask: random.happens(percent: 25) ? true : nil,
            answersPasswords: random.happens(percent: 75),
            replacesLinks: random.happens(percent: 50)
        )
        isLaunchable = random.happens(percent: 85)
        taskBudget = 1 + random.number(below: 7) + (isGreedy ? 7 : 0)
    }

    /// Keeps resume data of an upload, unless it has had it before.
    func keep(upload blob: Data) {
        guard let content = try? UploadResumeData(decoding: Array(blob)),
            knownUploads.insert(content.identifier).inserted
        else { return }
        uploads.append((blob, content))
    }

    /// Takes resume data of an upload, which is spent by this.
    func takeUpload() -> (blob: Data, content: UploadResumeData)? { uploads.popLast() }

    /// How it introduces itself.
    func open(_ session: String) -> Wire.OpenSession {
        let launch = Wire.Launch(
            executable: executable,
            arguments: [],
            directory: "/",
            environment: [:]
        )
        return Wire.OpenSession(
            application: Wire.Application(
                identifier: name,
                launch: isLaunchable ? launch : nil
            ),
            identifier: session,
            configuration: configuration
        )
    }
}
