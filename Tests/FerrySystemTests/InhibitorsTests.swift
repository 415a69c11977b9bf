import FerrySystem
import FerryTestSupport
import Testing

/// What is held with logind.
///
/// The address of the system's bus belongs to a whole process: each test has one of its own.
@Suite(.serialized, .timeLimit(.minutes(1))) struct InhibitorsTests {
    @Test func `an inhibitor that is granted when nobody wants it any more is let go`() async {
        await #expect(processExitsWith: .success) { @LoopActor in
            let home = try TestHome()
            let logind = try await FakeLogind(in: home)
            await logind.refuse("delay")
            ProcessEnvironment.set("DBUS_SYSTEM_BUS_ADDRESS", logind.address)
            let refused = AsyncValue<Inhibitor>()
            let inhibitors = Inhibitors(who: "test", [.awake(why: "first")]) { event in
                if case .refused(let inhibitor, _) = event { refused.set(inhibitor) }
            }
            _ = await logind.events.next("inhibit")
            inhibitors.hold([.awake(why: "first"), .awake(why: "second")])
            // Logind answers one request after the other.
            inhibitors.hold([.delay(why: "third")])
            #expect(await refused.value == .delay(why: "third"))
            #expect(inhibitors.held == [])
            inhibitors.release()
        }
    }
}
