import FerrySystem
import FerryTransfer
import FerryWire

/// The servers that transfers load from, with their moods.
struct SimulatedServers {
    /// What a server does with requests.
    enum Mood: CaseIterable {
        case good
        case refusing
        case stalling
        case resetting
        case unavailable
        case untrusted
        case trickling
    }

    /// Something on a server.
    struct Resource {
        var url: String
        var host: Int
        /// Which version there is now, unlike any of another resource.
        var version: Int
        var size: Int64
        /// Whether a version can be told from another.
        var hasValidator: Bool
        /// Whether parts can be had.
        var hasRanges: Bool
        /// The status of the answer, 200 if there is something.
        var status: Int
        /// Whether it is there only for those who have a password.
        var isProtected: Bool
        /// Whether uploads to it can go on where they were cut off.
        var continuesUploads: Bool

        var content: ResourceVersion {
            ResourceVersion(
                validator: hasValidator ? .strongETag("\"\(version)\"") : nil,
                totalByteCount: size,
                url: url
            )
        }
    }

    private(set) var resources: [Resource] = []
    /// For each host.
    var moods: [Mood]
    private var nextVersion = 1

    init(using random: inout SeededRandom) {
        let hostCount = 1 + random.number(below: 3)
        moods = Array(repeating: .good, count: hostCount)
        for number in 0..<(2 + random.number(below: 5)) {
            let host = random.number(below: hostCount)
            resources.append(
                Resource(
                    url: "http://host\(host)/\(number)",
                    host: host,
                    version: number + 1,
                    size: Int64(random.number(below: 8) * 50),
                    hasValidator: random.happens(percent: 80),
                    hasRanges: random.happens(percent: 80),
                    status: random.happens(percent: 90) ? 200 : 404,
                    isProtected: random.happens(percent: 25),
                    continuesUploads: random.happens(percent: 85)
                )
            )
        }
        nextVersion = resources.count + 1
    }

    /// The name of a resource's queue, as the daemon has it.
    func hostName(of resource: Int) -> String { "host\(resources[resource].host):80" }

    /// What is at an address, at whichever of its hosts.
    func resource(url: String) -> Int? {
        let path = url.prefix { $0 != "?" }.split(separator: "/").last
        return resources.firstIndex { $0.url.split(separator: "/").last == path }
    }

    /// Another address of the same resource.
    func link(to resource: Int, using random: inout SeededRandom) -> Wire.Request {
        let host = random.number(below: moods.count)
        return Wire.Request(
            url: "http://host\(host)/\(resource)?link=\(random.number(below: 1000))",
            method: "GET",
            fields: [],
            idleTimeout: 30
        )
    }

    /// Puts something else in the place of a resource.
    mutating func change(_ resource: Int, using random: inout SeededRandom) {
        resources[resource].version = nextVersion
        resources[resource].size = Int64(random.number(below: 8) * 50)
        nextVersion += 1
    }

    /// The version that stands for a page that only says what is wrong.
    mutating func errorPage(of resource: Int) -> Resource {
        var page = resources[resource]
        page.version = nextVersion
        nextVersion += 1
        page.size = 5
        page.hasValidator = false
        page.status = page.status == 200 ? 503 : page.status
        return page
    }

    /// Lets every server bring next to nothing.
    mutating func slowDown() { moods = moods.map { _ in .trickling } }

    /// Lets every server do what it should.
    mutating func heal() { moods = moods.map { _ in .good } }
}

/// The files that applications upload, which they may change or delete.
struct SimulatedSources {
    /// A file of an application.
    struct Source {
        var version: Int64 = 1
        var size: Int64
        var isThere = true
    }

    private var sources: [UInt64: Source] = [:]

    /// Makes a file, and says which state of which file it is.
    mutating func make(using random: inout SeededRandom) -> FileIdentity {
        let number = UInt64(sources.count + 1)
        let size = Int64(random.number(below: 10) * 50)
        sources[number] = Source(size: size)
        return FileIdentity(device: 1, inode: number, size: size, modified: 1, changed: 1)
    }

    /// The file is what it was.
    func isSame(_ identity: FileIdentity) -> Bool {
        sources[identity.inode]?.version == identity.modified
            && sources[identity.inode]?.isThere == true
    }

    /// Which version there is now.
    func version(_ identity: FileIdentity) -> Int64 { sources[identity.inode]?.version ?? 0 }

    /// What stands in the place of a file now; `nil` when nothing does.
    func present(_ identity: FileIdentity) -> FileIdentity? {
        guard let source = sources[identity.inode], source.isThere else { return nil }
        var present = identity
        (present.modified, present.changed) = (source.version, source.version)
        return present
    }

    /// Whether the file is there, in whatever state.
    func isThere(_ identity: FileIdentity) -> Bool {
        sources[identity.inode]?.isThere ?? false
    }

    /// An application does with its file what it likes.
    mutating func spoil(_ identity: FileIdentity, using random: inout SeededRandom) {
        if random.happens(percent: 50) {
            sources[identity.inode]?.version += 1
        } else {
            sources[identity.inode]?.isThere = false
        }
    }
}
