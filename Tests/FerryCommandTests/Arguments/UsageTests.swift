import Testing

@testable import FerryCommand

/// Command lines that make no sense, and what is said to them.
@Suite(.timeLimit(.minutes(5))) struct UsageTests {
    @Test(arguments: [
        ("gte", "there is no command 'gte'. Did you mean 'get'?", "ferry"),
        ("stauts", "there is no command 'stauts'.", "ferry"),
        ("daemon stauts", "there is no command 'stauts'. Did you mean 'status'?", "ferry daemon"),
        ("help wtach", "there is no command 'wtach'. Did you mean 'watch'?", "ferry"),
        ("background-event", "there is no command 'background-event'.", "ferry"),
        ("daemon", "'daemon' needs status or reload or stop after it.", "ferry daemon"),
        ("list --jsno", "there is no option '--jsno'. Did you mean '--json'?", "ferry list"),
        ("list --al", "there is no option '--al'. Did you mean '--all'?", "ferry list"),
        ("list -x", "there is no option '-x'.", "ferry list"),
        ("list -ax", "there is no option '-x'.", "ferry list"),
        ("list --json=yes", "--json takes no value.", "ferry list"),
        ("list extra", "'extra' is one argument too many.", "ferry list"),
        ("list --limit", "--limit needs a value: --limit N.", "ferry list"),
        ("list --limit 0", "--limit takes a number from 1, not '0'.", "ferry list"),
        ("list --limit=many", "--limit takes a number from 1, not 'many'.", "ferry list"),
        ("list --after -3", "--after takes a number from 0, not '-3'.", "ferry list"),
        ("log -n", "-n needs a value: -n N.", "ferry log"),
        ("log --files 12", "--files shows all files; it takes no ID.", "ferry log"),
        ("log 12 13", "'13' is one argument too many.", "ferry log"),
        ("pause", "ID... is missing; --all stands for all transfers.", "ferry pause"),
        (
            "pause twelve", "'twelve' is no transfer; 'ferry list' shows their numbers.",
            "ferry pause"
        ),
        ("pause @", "'' is no transfer; 'ferry list' shows their numbers.", "ferry pause"),
        ("watch @1x", "'1x' is no transfer; 'ferry list' shows their numbers.", "ferry watch"),
        ("cancel 0", "'0' is no transfer; 'ferry list' shows their numbers.", "ferry cancel"),
        ("cancel --all 3", "--all and IDs exclude each other.", "ferry cancel"),
        ("why", "ID is missing.", "ferry why"),
        ("quit", "APPLICATION is missing.", "ferry quit"),
        ("hooks remove", "APPLICATION is missing.", "ferry hooks remove"),
        (
            "hooks rmeove App", "there is no command 'rmeove'. Did you mean 'remove'?",
            "ferry hooks"
        ),
        ("get", "URL... is missing.", "ferry get"),
        (
            "get example.org/a",
            "'example.org/a' is no http or https URL. Did you mean 'https://example.org/a'?",
            "ferry get"
        ),
        ("get ftp://example.org/a", "'ftp://example.org/a' is no http or https URL.", "ferry get"),
        ("get http:///a", "'http:///a' is no http or https URL.", "ferry get"),
        (
            "get -o a https://example.org/a https://example.org/b",
            "--output names one file; use --directory for several URLs, or '#1' for what a range stands for.",
            "ferry get"
        ),
        (
            "get --mirror https://example.org/b https://example.org/[1-2]",
            "--mirror is of one file; there are several URLs.", "ferry get"
        ),
        (
            "get https://example.org/[9-1]",
            "the range '[9-1]' ends before it begins; --globoff takes brackets as they are.",
            "ferry get"
        ),
        (
            "get https://example.org/[1-1000]/[1-1001]",
            "the URLs stand for more than 1000000 addresses; --globoff takes brackets as they are.",
            "ferry get"
        ),
        (
            "get -i /does/not/exist",
            "the list '/does/not/exist' cannot be read: No such file or directory.", "ferry get"
        ),
        (
            "get -N --overwrite https://example.org/a",
            "--overwrite and --newer exclude each other.",
            "ferry get"
        ),
        (
            "get -o x# https://example.org/[1-2]", "--output 'x#' gives 2 files one name.",
            "ferry get"
        ),
        ("pause +3", "'+3' is no transfer; 'ferry list' shows their numbers.", "ferry pause"),
        (
            "get -b a=b -b file https://example.org/a",
            "--cookie takes one file, or one and more 'NAME=VALUE'.", "ferry get"
        ),
        (
            "get -b /does/not/exist https://example.org/a",
            "--cookie '/does/not/exist' cannot be read: No such file or directory.", "ferry get"
        ),
        (
            "get --no-cookies -b file https://example.org/a",
            "--no-cookies excludes the cookies of a file.", "ferry get"
        ),
        (
            "get -b /etc/passwd https://example.org/a",
            "--cookie '/etc/passwd' is no file of cookies in Netscape's format.", "ferry get"
        ),
        (
            "get --netrc-file / https://example.org/a",
            "--netrc-file '/' cannot be read: Is a directory.", "ferry get"
        ),
        ("get -i /tmp", "the list '/tmp' cannot be read: Is a directory.", "ferry get"),
        (
            "get -o a/ https://example.org/a", "--output needs a file's name, not 'a/'.",
            "ferry get"
        ),
        (
            "get -o .. https://example.org/a", "--output needs a file's name, not '..'.",
            "ferry get"
        ),
        (
            "get -o - https://example.org/a https://example.org/b",
            "'--output -' is for one URL, and without --detach and --json.", "ferry get"
        ),
        (
            "get -o - --detach https://example.org/a",
            "'--output -' is for one URL, and without --detach and --json.", "ferry get"
        ),
        (
            "get -o - --overwrite https://example.org/a",
            "--overwrite is of a file, and '-' is none.", "ferry get"
        ),
        (
            "get -o /dev/null -i - https://example.org/a",
            "--input-file is of a file, and '/dev/null' is none.", "ferry get"
        ),
        (
            "get -H nonsense https://example.org/a",
            "--header needs 'NAME: VALUE', with a colon after a name without spaces.", "ferry get"
        ),
        (
            "get -H n:v -H =:v https://example.org/a",
            "--header needs 'NAME: VALUE', with a colon after a name without spaces.", "ferry get"
        ),
        ("background-events", "only ferryd calls this.", "ferry background-events"),
        (
            "get http://example.org:65536/a",
            "The port of 'http://example.org:65536/a' is no number from 1 to 65535.", "ferry get"
        ),
        (
            "get https://me:1@[::1]:0?a:b",
            "The port of 'https://...@[::1]:0?...' is no number from 1 to 65535.", "ferry get"
        ),
        (
            "relink http://example.org:99999999999999999999/ 1",
            "The port of 'http://example.org:99999999999999999999/' is no number from 1 to 65535.",
            "ferry relink"
        ),
        ("priority -0.5 1", "'-0.5' is no number from 0 to 1.", "ferry priority"),
        ("pause 1 -2", "'-2' is no transfer; 'ferry list' shows their numbers.", "ferry pause"),
        ("list -1", "there is no option '-1'.", "ferry list"),
        (
            "get -o \(String(repeating: "ä", count: 256)) https://example.org/a",
            "A file's name has at most 255 bytes; that of --output has 512.", "ferry get"
        ),
    ])
    func `a line that makes no sense is answered by what is wrong and where to read on`(
        line: String,
        message: String,
        command: String
    ) async {
        let daemon = PlayedDaemon()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(run.error == "ferry: \(message)\nSee '\(command) --help'.\n")
        #expect(run.output == "")
        #expect(run.code == .usage)
        #expect(daemon.calls == [])
    }

    @Test(arguments: [
        "get http://me:harbour@example.org:99999/", "get http://me:harbour@example.org:x/",
        "get me:harbour@example.org/a", "get ftp://me:harbour@example.org/a",
        "get http://me:harbour@/a", "get https://me:harbour@[::1/",
        "get https://me:harbour@[::1:1/",
        "get //me:harbour@example.org/a", "get http:me:harbour@example.org/a",
        "get https://me:har/harbour@example.org/a", "get https://me:har?harbour@example.org/a",
        "get https://me:har#harbour@example.org/a",
        "get --mirror http://me:harbour@a:99999/ https://b/", "relink http://me:harbour@/ 1",
        "relink me:harbour@example.org 1", "list http://me:harbour@example.org/a",
        "pause https://me:harbour@example.org/a", "get -H Authorization-Basic-harbour https://a/",
        "get --checksum http://me:harbour@a/ https://b/",
        "get --proxy http://me:harbour@a:x https://b/",
        "get --limit-rate http://me:harbour@a/ https://b/", "https://me:harbour@example.org/a",
    ])
    func `SEC-13: a password that was typed is not shown`(line: String) async {
        let daemon = PlayedDaemon()
        let run = await CommandLineRun(line, daemon: daemon)
        #expect(run.code == .usage)
        #expect(!run.error.isEmpty)
        #expect(!(run.error + run.output).contains("harbour"))
        #expect(daemon.calls == [])
    }

    @Test(arguments: [
        "http://[::1]:80/", "http://a@b:c@d:65535", "http://example.org:/a:b", "http://[::1]/",
    ])
    func `a port that is one or none is no reason to refuse a URL`(url: String) throws {
        #expect(throws: Never.self) { _ = try Arguments().webAddress(url) }
    }

    @Test(arguments: [("", "w\u{E4}"), ("get", "d"), ("get -d", "o"), ("pause", "1")])
    func `an argument that is no UTF-8 is named and refused`(line: String, start: String) async {
        let daemon = PlayedDaemon()
        let run = await CommandLineRun(line, words: [Array(start.utf8) + [0xFF]], daemon: daemon)
        let shown = start == "w\u{E4}" ? "w\\xc3\\xa4\\xff" : "\(start)\\xff"
        #expect(run.error.hasPrefix("ferry: the argument '\(shown)' is not UTF-8, "))
        #expect(run.code == .usage)
        #expect(daemon.calls == [])
    }

    @Test func `without a command the help is shown as an error`() async {
        let run = await CommandLineRun("")
        #expect(run.error.hasPrefix("Usage: ferry COMMAND\n"))
        #expect(run.output == "")
        #expect(run.code == .usage)
    }
}
