import FerrySystem

/// The files with ferryd's settings, and what they said last.
///
/// They are read at the start and when somebody asks for it. All calls on them are made by a thread of its own, since
/// the home of a user may lie on a server that does not answer.
@LoopActor
final class SettingsFiles {
    /// How long the files are waited for.
    private static let timeout: Duration = .seconds(2)

    private let queue = BlockingQueue(label: "ferry.settings")
    private var texts: [SettingsText]

    /// Creates the files' owner; nothing is read yet.
    ///
    /// - Parameter paths: The files' paths, the most important first; by default the user's, then the system's.
    nonisolated init(paths: [String] = BaseDirectories().configFiles("ferry/ferry.conf")) {
        texts = paths.map { SettingsText(path: $0) }
    }

    /// Reads the files.
    ///
    /// - Parameter onTexts: Called with what they say. If they do not answer in time, it is called with that first, and
    ///   again when they do.
    func read(_ onTexts: @escaping @LoopActor ([SettingsText]) -> Void) {
        let timer = EventLoop.shared.schedule(after: Self.timeout) { [weak self] in
            if let self { onTexts(texts.map { $0.silenced() }) }
        }
        let paths = texts.map(\.path)
        LoopActor.task { [weak self, queue] in
            let texts = await queue.run { paths.map { SettingsText(readingFileAt: $0) } }
            timer.cancel()
            self?.texts = texts
            if self != nil { onTexts(texts) }
        }
    }
}
