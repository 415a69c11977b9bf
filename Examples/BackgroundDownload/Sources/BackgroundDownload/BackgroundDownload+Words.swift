import Foundation

extension BackgroundDownload {
    /// Says something on the screen and, for when nobody looks at it, in the log.
    func say(_ text: String) {
        print("\r  app \(getpid()): \(text)")
        fflush(nil)
        guard let log = fopen(directory.path + "/app.log", "a") else { return }
        fputs("app \(getpid()): \(text)\n", log)
        fclose(log)
    }

    /// The SHA-256 of a file, by the system's own tool.
    func digest(of file: URL) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        process.arguments = [file.path]
        process.standardOutput = output
        try process.run()
        let words = output.fileHandleForReading.readDataToEndOfFile()
        return String(decoding: words.prefix(64), as: UTF8.self)
    }
}
