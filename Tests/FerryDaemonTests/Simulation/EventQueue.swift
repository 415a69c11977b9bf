/// What happens later, in its order.
struct EventQueue {
    /// Something that happens at a moment, unless its cause is gone by then.
    struct Event {
        var time: Double
        var lifetime: Lifetime?
        var action: (Simulation) -> Void
    }

    /// The place of an event in time; what it is lies elsewhere, so that little is moved.
    private struct Place {
        var time: Double
        var serial: UInt64
        var slot: Int

        func precedes(_ other: Place) -> Bool {
            time == other.time ? serial < other.serial : time < other.time
        }
    }

    private var heap: [Place] = []
    private var slots: [Event?] = []
    private var freeSlots: [Int] = []
    private var serial: UInt64 = 0

    mutating func insert(_ event: Event) {
        serial += 1
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
            slots[slot] = event
        } else {
            slot = slots.count
            slots.append(event)
        }
        let place = Place(time: event.time, serial: serial, slot: slot)
        heap.append(place)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard place.precedes(heap[parent]) else { break }
            heap[child] = heap[parent]
            child = parent
        }
        heap[child] = place
    }

    /// The next event whose cause is not gone.
    mutating func next() -> Event? {
        while let place = removeFirst() {
            freeSlots.append(place.slot)
            guard let event = slots[place.slot] else { continue }
            slots[place.slot] = nil
            if event.lifetime?.isOver != true { return event }
        }
        return nil
    }

    private mutating func removeFirst() -> Place? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(last) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = last
        return first
    }
}

/// Whether something is still there: a process, a connection, a timer.
final class Lifetime {
    private(set) var isOver = false

    func end() { isOver = true }
}
