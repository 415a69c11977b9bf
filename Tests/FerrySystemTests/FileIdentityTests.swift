import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct FileIdentityTests {
    private let temporary: TemporaryDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        try temporary.write("before", to: "file")
    }

    private func open() throws -> FileDescriptor {
        try temporary.directory.open("file", .readWrite)
    }

    @Test func `a file that nobody touches keeps its content`() throws {
        let file = try open()
        let identity = try file.identity()
        #expect(identity.size == 6)
        #expect(try open().identity().hasContent(of: identity))
    }

    @Test func `a file that is deleted, or has another name, keeps its content`() throws {
        let file = try open()
        let identity = try file.identity()
        let (path, other) = (
            temporary.directory.path(of: "file"), temporary.directory.path(of: "other")
        )
        #expect(link(path, other) == 0)
        #expect(try file.identity().hasContent(of: identity))
        try temporary.directory.remove("other")
        try temporary.directory.remove("file")
        #expect(try file.identity().hasContent(of: identity))
    }

    @Test func `a file that is written to has another content, whatever its size`() throws {
        let file = try open()
        var earlier = try file.identity()
        // As if some time had passed: a clock that moves by ticks tells nothing within one.
        earlier.modified -= 1_000_000_000
        earlier.changed -= 1_000_000_000
        #expect(!(try file.identity().hasContent(of: earlier)))
    }

    @Test func `a file whose time was set back has another content`() throws {
        let file = try open()
        var earlier = try file.identity()
        earlier.changed -= 1_000_000_000
        #expect(!(try file.identity().hasContent(of: earlier)))
    }

    @Test func `another file in its place has another content`() throws {
        let identity = try open().identity()
        try temporary.write("before", to: "new")
        try temporary.directory.rename(
            "new",
            to: temporary.directory,
            as: "file",
            replacing: true
        )
        #expect(!(try open().identity().hasContent(of: identity)))
    }

    @Test func `what cannot share its blocks says so`() throws {
        let file = try open()
        let copy = try temporary.directory.open("copy", .createNew)
        do {
            try copy.clone(file)
            #expect(try temporary.text(of: "copy") == "before")
        } catch let error as SystemCallError {
            #expect([EOPNOTSUPP, EXDEV, EINVAL, ENOTTY].contains(error.errno))
        }
    }
}
