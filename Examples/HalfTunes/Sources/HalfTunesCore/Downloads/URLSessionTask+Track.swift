import Ferry
import Foundation

extension URLSessionTask {
    /// The track that the task downloads, kept in its description, which outlives the app.
    var track: Track? {
        guard let taskDescription else { return nil }
        return try? JSONDecoder().decode(Track.self, from: Data(taskDescription.utf8))
    }

    /// Keeps the track in the task's description.
    func describe(_ track: Track) {
        guard let data = try? JSONEncoder().encode(track) else { return }
        taskDescription = String(decoding: data, as: UTF8.self)
    }
}
