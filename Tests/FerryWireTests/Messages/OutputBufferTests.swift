import FerrySystem
import Testing

@testable import FerryWire

@Suite(.timeLimit(.minutes(5))) struct OutputBufferTests {
    @Test func `bytes go out in order, as many as are taken`() throws {
        var buffer = OutputBuffer()
        var sent: [UInt8] = []
        var room = 3
        func drain() throws {
            try buffer.drain { (bytes) throws(SystemCallError) in
                let count = min(room, bytes.count)
                room -= count
                sent += bytes[..<count]
                return count == 0 ? nil : count
            }
        }
        buffer.append([1, 2])
        buffer.append([3, 4, 5, 6, 7])
        try drain()
        #expect(sent == [1, 2, 3])
        #expect(buffer.byteCount == 4)
        buffer.append([8])
        room = 3
        try drain()
        #expect(sent == [1, 2, 3, 4, 5, 6])
        room = 9
        try drain()
        #expect(sent == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(buffer.byteCount == 0)
    }

    @Test func `bytes that were not taken survive an error`() {
        var buffer = OutputBuffer()
        buffer.append([1, 2, 3])
        let broken = SystemCallError(call: "sendmsg", errno: 32)
        #expect(throws: broken) {
            try buffer.drain { (_) throws(SystemCallError) in throw broken }
        }
        #expect(buffer.byteCount == 3)
    }
}
