package import FerrySystem

/// What the uploads of a session, or of ferryd, know together about servers.
@LoopActor
package final class UploadMemory {
    /// What is known.
    var knowledge = UploadKnowledge()

    /// Knows nothing.
    package nonisolated init() {}
}
