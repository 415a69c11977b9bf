import FerrySystem
import FerryTestSupport
import Glibc
import Testing

@Suite(.timeLimit(.minutes(1)), .enabled(if: !Sanitizer.isOn, "a sanitizer maps terabytes"))
struct MissingResourceTests {
    @Test func `REL-19: a process without memory for a thread ends with a message`() async throws {
        let result = await #expect(
            processExitsWith: .exitCode(71),
            observing: [\.standardErrorContent]
        ) {
            var limit = rlimit(rlim_cur: 1 << 20, rlim_max: .max)
            setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
            BlockingQueue(label: "test").perform {}
            while true { pause() }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Ferry cannot continue: no thread can be started"))
        #expect(text.contains("ulimit -v"))
    }
}
