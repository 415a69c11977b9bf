import FerryStore
import FerrySystem
import FerryTestSupport
import FoundationEssentials
import Testing

@testable import FerryDaemon

/// What becomes of the files of a queue that has vanished.
@Suite(.timeLimit(.minutes(1))) struct PutAsideTests {
    private let state: TemporaryDirectory

    init() throws { state = try TemporaryDirectory() }

    @Test func `REL-10: the log of a queue that has vanished does not stay for the next one`()
        throws
    {
        try state.write("log", to: Store.logName)
        let lost = try LostQueue(in: state.directory, at: Date(timeIntervalSince1970: 0))
        #expect(lost?.message.contains("has vanished") == true)
        let names = try state.directory.names()
        #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix("lost-1970-01-01T") })
        let aside = try state.directory.openSubdirectory(names.first ?? "-", creating: false)
        #expect(try aside.names() == [Store.logName])
    }

    @Test func `REL-10: a directory where nothing was served has lost nothing`() throws {
        #expect(try LostQueue(in: state.directory, at: Date())?.message == nil)
        #expect(try state.directory.names() == [])
    }
}
