import FerryStore
import FerryTransfer
import FerryWireTestSupport
import Testing

@testable import FerryDaemon

/// What the store has said of a task, and what has become of it since.
@Suite(.timeLimit(.minutes(5))) struct ReadingsTests {
    private let task = TaskRecord(
        id: 7,
        sessionID: 1,
        identifier: 3,
        host: "a:80",
        request: [],
        createdAt: moment(0)
    )
    private var readings = Readings()

    @Test mutating func `what changes after a question is not what the store answers`() {
        readings.ask(.search)
        readings.record(7)
        readings.ask(.overdue)
        let (search, overdue) = (readings.answered(.search), readings.answered(.overdue))
        #expect(readings.hasChanged(task, since: search))
        #expect(!readings.hasChanged(task, since: overdue))
    }

    @Test mutating func `a task has changed whichever way it is named`() {
        readings.ask(.search)
        readings.record(.identifier(session: 2, 3))
        readings.record(8)
        let search = readings.answered(.search)
        #expect(!readings.hasChanged(task, since: search))
        readings.record(.identifier(session: 1, 3))
        #expect(readings.hasChanged(task, since: search))
    }

    @Test mutating func `an answer is good until it is closed, also while the same is asked again`()
    {
        readings.ask(.search)
        readings.record(7)
        let first = readings.answered(.search)
        readings.ask(.search)
        #expect(readings.hasChanged(task, since: first))
        first.map { readings.close($0) }
        let second = readings.answered(.search)
        #expect(!readings.hasChanged(task, since: second))
    }

    @Test mutating func `of the same question asked twice at once the first is answered first`() {
        readings.ask(.overdue)
        readings.record(7)
        readings.ask(.overdue)
        let (first, second) = (readings.answered(.overdue), readings.answered(.overdue))
        #expect(readings.hasChanged(task, since: first))
        #expect(!readings.hasChanged(task, since: second))
        for reading in [first, second].compactMap(\.self) { readings.close(reading) }
        #expect(readings.isEmpty)
    }

    @Test mutating func `changes are known no longer than somebody may need them`() {
        readings.record(7)
        #expect(readings.isEmpty)
        readings.ask(.search)
        readings.record(7)
        readings.answered(.search).map { readings.close($0) }
        #expect(readings.isEmpty)
    }

    @Test mutating func `a change is unstored until the last commit of it has come back`() {
        readings.store(7)
        readings.store(7)
        readings.stored(7)
        #expect(readings.isUnstored(7))
        readings.stored(7)
        #expect(!readings.isUnstored(7) && readings.isEmpty)
    }
}
