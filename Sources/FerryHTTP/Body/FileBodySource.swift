package import FerrySystem

/// A body that is read from a file as it is sent.
///
/// A part of the file that another process cuts off meanwhile fails the exchange rather than being
/// made up for: the length was promised to the server.
package final class FileBodySource: HTTPBodySource {
    private let file: FileDescriptor
    private let start: Int64
    private let length: Int64
    private var position: Int64 = 0

    /// Reads a range of a file.
    ///
    /// - Parameters:
    ///   - file: The file, open for reading.
    ///   - range: Which of its bytes are the body.
    package init(_ file: consuming FileDescriptor, range: Range<Int64>) {
        self.file = file
        start = range.lowerBound
        length = range.upperBound - range.lowerBound
    }

    package var byteCount: Int64? { length }

    /// Which file it is, and its state now.
    package func identity() throws(SystemCallError) -> FileIdentity { try file.identity() }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBodyReading {
        let room = min(Int64(buffer.count), length - position)
        guard room > 0 else { return .end }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)])
        do throws(SystemCallError) {
            let count = try file.read(into: part, at: start + position)
            guard count > 0 else {
                return .failed(message: "The file has become shorter while it was sent")
            }
            position += Int64(count)
            return .bytes(count: count)
        } catch {
            return .failed(message: "The file cannot be read: \(error)")
        }
    }

    package func seek(to offset: Int64) -> Bool {
        guard (0...length).contains(offset) else { return false }
        position = offset
        return true
    }
}
