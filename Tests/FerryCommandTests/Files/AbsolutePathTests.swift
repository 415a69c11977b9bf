import Testing

@testable import FerryCommand

/// Where paths lead.
@Suite(.timeLimit(.minutes(1))) struct AbsolutePathTests {
    @Test(arguments: [
        ("a", "/w/d/a"), ("./a/", "/w/d/a"), ("../a", "/w/a"), ("../../../a", "/a"), ("", "/w/d"),
        (".", "/w/d"), ("~", "/w/d/~"), ("~/a", "/w/d/~/a"), ("~root/a", "/w/d/~root/a"),
        ("/a//b/../c", "/a/c"), ("/", "/"), ("a/\u{301}b", "/w/d/a/\u{301}b"), ("a b", "/w/d/a b"),
    ])
    func `a path begins from the working directory, and no name in it means another`(
        path: String,
        whole: String
    ) {
        #expect(Array(AbsolutePath(path, in: "/w/d").text.utf8) == Array(whole.utf8))
    }

    @Test(arguments: [("a", "/w", "a"), ("../b/c", "/b", "c"), ("/a", "/", "a"), ("/", "/", "")])
    func `a path parts into a directory and a name`(path: String, directory: String, name: String) {
        let place = AbsolutePath(path, in: "/w")
        #expect(place.directory == directory)
        #expect(place.name == name)
    }

    @Test func `a directory is told from a file`() {
        #expect(AbsolutePath("/tmp/.", in: "/").isDirectory)
        #expect(!AbsolutePath("/proc/self/stat", in: "/").isDirectory)
        #expect(!AbsolutePath("/none", in: "/").isDirectory)
    }
}
