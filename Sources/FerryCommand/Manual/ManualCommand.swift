import Foundation

/// `ferry manual`: writes the pages of the manual about the commands.
struct ManualCommand: Command {
    static let syntax = CommandSyntax(
        name: "manual",
        summary: "write the pages of the manual into a directory; 'make install' calls it",
        discussion: [
            "The pages have the date that the variable SOURCE_DATE_EPOCH says, or else that of today."
        ],
        operands: .one("DIR"),
        command: Self.self,
        isHidden: true
    )

    private let directory: URL

    init(_ arguments: Arguments) throws(UsageError) {
        directory = URL(filePath: arguments.operands[0], directoryHint: .isDirectory)
    }

    func run(in context: Context) async throws -> ExitCode {
        // https://reproducible-builds.org/specs/source-date-epoch/
        let epoch = context.environment["SOURCE_DATE_EPOCH"].flatMap { Double($0) }
        let date = epoch.map { Date(timeIntervalSince1970: $0) } ?? context.now()
        let pages = ManualPage.all(of: Program.syntax, date: date).map { ($0.fileName, $0.text) }
        let settings = SettingsPage(date: date)
        for (name, text) in pages + [(settings.fileName, settings.text)] {
            let file = directory.appending(path: name)
            do {
                try Data(text.utf8).write(to: file)
            } catch {
                context.console.errorLine(
                    "ferry: \(file.path) cannot be written; check that its directory exists and that you may write in it"
                )
                return .failure
            }
        }
        return .success
    }
}
