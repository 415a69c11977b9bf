package import Foundation
@preconcurrency import Glibc

/// A directory of the user's, into which an app puts what it has downloaded.
package struct Folder: Sendable {
    private let directory: URL

    /// A folder.
    ///
    /// - Parameter directory: Where the files are; made when the first one comes.
    package init(_ directory: URL) {
        self.directory = directory
    }

    /// The file of a name; nil when there is none.
    package func file(named name: String) -> URL? {
        let place = directory.appending(component: name)
        return FileManager.default.fileExists(atPath: place.path) ? place : nil
    }

    /// Takes a file, in place of an older one of the same name.
    package func take(_ location: URL, as name: String) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let place = directory.appending(component: name)
        // rename(2) replaces in one step, so whoever reads has the old file or the new one.
        if rename(location.path, place.path) == 0 { return }
        guard errno == EXDEV else { throw CocoaError(.fileWriteUnknown) }
        let copy = directory.appending(component: ".\(UUID().uuidString).part")
        do {
            try FileManager.default.copyItem(at: location, to: copy)
            guard rename(copy.path, place.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? FileManager.default.removeItem(at: copy)
            throw error
        }
    }
}
