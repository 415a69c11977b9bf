import Dispatch
import FerrySystem
import Testing

@testable import FerryDaemon

/// The choice of a place on a disk that does not answer.
@Suite(.timeLimit(.minutes(1))) @LoopActor struct PlaceChoiceTests {
    @Test func `REL-11: nothing is made where nobody waits for it any more`() async {
        let queue = BlockingQueue(label: "test")
        let gate = DispatchSemaphore(value: 0)
        let choice = PlaceChoice(patience: .milliseconds(10))
        let isMade = await withCheckedContinuation { continuation in
            LoopActor.task {
                let outcome = await choice.made(by: queue) {
                    gate.wait()
                    let place = Result { () throws(SystemCallError) in
                        try choice.unlessAbandoned { () throws(SystemCallError) in
                            continuation.resume(returning: true)
                            return FilePlaces.Place(
                                directory: try Directory(opening: "/"),
                                name: "made"
                            )
                        }
                    }
                    if case .failure = place { continuation.resume(returning: false) }
                    return place.mapError { TargetDirectory.Refusal.call($0) }
                }
                if outcome != nil { Issue.record("it has not been given up") }
                gate.signal()
            }
        }
        #expect(!isMade)
    }
}
