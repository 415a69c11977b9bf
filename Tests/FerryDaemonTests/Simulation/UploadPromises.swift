import FerryStore
import FerryTransfer
import FerryWire
import FoundationEssentials

@testable import FerryDaemon

/// What clients and servers were promised of uploads.
struct UploadPromises {
    /// Where servers keep what tasks send, as the store was told for good.
    private var kept: [TaskID: String] = [:]
    /// What applications may continue, until they have a task do so.
    private var resumable: Set<String> = []
    /// The resume data that was handed out, which is good for one task however often an event is sent.
    private var handedOut: Set<UUID> = []

    /// The store has done something.
    mutating func executed(_ receipt: Receipt, _ commit: StoreLine.Commit) {
        guard commit.durability == .synchronized else { return }
        for mutation in commit.mutations {
            switch mutation {
            case .insertTask(let task) where receipt.taskIDs == [task.id]:
                record(task.uploadResource, of: task.id)
                if let resource = task.uploadResource { resumable.remove(resource.url) }
            case .setCheckpoint(let task, let state):
                record(state?.value?.resource, of: task)
            default:
                break
            }
        }
    }

    private mutating func record(_ resource: UploadResource?, of task: TaskID) {
        if let resource { kept[task] = resource.url }
    }

    /// A file is sent from its first byte on: the server must not have any of it.
    func begins(_ task: TaskID, in world: Simulation) {
        guard let url = kept[task], world.uploads.isKept(url) else { return }
        world.fail("task \(task) is sent anew, although \(url) has some of it")
    }

    /// An upload is continued, by one task at a time.
    func continues(_ upload: SimulatedUpload, _ resource: UploadResource, in world: Simulation) {
        let others = upload.daemon.transfers.filter { other in
            other !== upload && other.isActive
                && (other as? SimulatedUpload)?.continuedURL == resource.url
        }
        for other in others {
            world.fail("tasks \(upload.task) and \(other.task) send to \(resource.url)")
        }
    }

    /// An application gets resume data.
    mutating func handOut(_ blob: Data, in world: Simulation) {
        guard let data = try? UploadResumeData(decoding: Array(blob)) else {
            return world.fail("resume data of an upload cannot be read")
        }
        if handedOut.insert(data.identifier).inserted { resumable.insert(data.resource.url) }
    }

    /// A server is to forget an upload: its task must be over, and nobody may continue it.
    func terminates(_ task: TaskRecord, _ resource: UploadResource, in world: Simulation) {
        let record = world.database.current.tasks[task.id]?.record
        if let record, record.state != .completed {
            world.fail("task \(task.id) goes on, and its server is to forget it")
        }
        let isUsed = world.database.current.tasks.values.map(\.record).contains { other in
            other.state != .completed
                && other.uploadResource?.url == resource.url
        }
        if resumable.contains(resource.url) {
            world.fail("the server is to forget \(resource.url), of which there is resume data")
        }
        if isUsed { world.fail("the server is to forget \(resource.url), which a task sends to") }
    }
}
