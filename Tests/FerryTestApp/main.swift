import Ferry
import Foundation

// The app of the end-to-end tests: it tells what happens to it, one line for each thing, over a
// named pipe that it shares with the processes that ferryd starts.

let options = TestAppOptions(CommandLine.arguments)
if let url = options.snippet {
    Snippet.run(url)
    exit(0)
}
let events = EventWriter(path: options.events)
let app = TestApp(options: options, events: events)

Application.shared.identifier = options.application
// What the tests' own process is built with has a say in every process of theirs.
Application.shared.relaunch?.environmentNames.formUnion([
    "LLVM_PROFILE_FILE", "TSAN_OPTIONS", "ASAN_OPTIONS", "LSAN_OPTIONS",
])
if options.asynchronous == nil { Application.shared.delegate = app }
events.write("start \(Application.shared.launchReason == .user ? "user" : "background")")

if let asynchronous = options.asynchronous {
    try await asynchronous.run(options, events)
    exit(0)
}
if options.isIdle { app.idle() }
if Application.shared.launchReason != .user {
    if options.takeOneCrash() { kill(getpid(), SIGKILL) }
    await Application.shared.runUntilBackgroundEventsAreHandled()
    events.write("handled")
    exit(0)
}
await app.run()
