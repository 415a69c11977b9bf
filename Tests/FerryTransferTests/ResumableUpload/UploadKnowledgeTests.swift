import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5)))
struct UploadKnowledgeTests {
    private let origin = Origin(url: "https://a/in")

    @Test func `UP-2: an unknown server is offered the newest draft`() throws {
        let knowledge = UploadKnowledge()
        #expect(knowledge.offer(to: try #require(origin)) == .draft8)
    }

    @Test func `what was not taken up is followed by the next, and in the end by the first`() throws
    {
        let origin = try #require(origin)
        var knowledge = UploadKnowledge()
        for draft in [UploadProtocol.draft8, .draft6, .draft5, .draft3, .draft8] {
            #expect(knowledge.offer(to: origin) == draft)
            knowledge.record(.silence(draft, origin))
        }
    }

    @Test func `uploads at once count as one offer`() throws {
        let origin = try #require(origin)
        var knowledge = UploadKnowledge()
        for _ in 0..<3 { knowledge.record(.silence(.draft8, origin)) }
        #expect(knowledge.offer(to: origin) == .draft6)
    }

    @Test func `what is proven is offered, until it is not taken up`() throws {
        let origin = try #require(origin)
        var knowledge = UploadKnowledge()
        knowledge.record(.proof(.draft5, origin))
        #expect(knowledge.offer(to: origin) == .draft5)
        knowledge.record(.silence(.draft5, origin))
        #expect(knowledge.offer(to: origin) == .draft3)
        knowledge.record(.name(.draft6, origin))
        #expect(knowledge.offer(to: origin) == .draft6)
    }

    @Test func `tus is known by its place, and its absence by the server`() throws {
        let origin = try #require(origin)
        var knowledge = UploadKnowledge()
        knowledge.record(.tus(TusCapabilities(), url: "https://a/files?token=1"))
        #expect(knowledge.tusCapabilities(at: "https://a/files?token=2") != nil)
        #expect(knowledge.tusCapabilities(at: "https://a/in") == nil)
        #expect(knowledge.knowsNothing(of: origin))
        knowledge.record(.noTus(url: "https://a/in"))
        #expect(!knowledge.knowsNothing(of: origin))
        #expect(knowledge.tusCapabilities(at: "https://a/files") != nil)
        knowledge.record(.noTus(url: "https://a/files"))
        #expect(knowledge.tusCapabilities(at: "https://a/files") == nil)
    }

    @Test func `a server that uploads do not get through to is asked whether it speaks tus`() throws
    {
        let origin = try #require(origin)
        var knowledge = UploadKnowledge()
        #expect(!knowledge.cutsUploads(to: origin))
        knowledge.record(.cut(origin))
        #expect(knowledge.cutsUploads(to: origin))
        knowledge.record(.noTus(url: "https://a/in"))
        #expect(!knowledge.cutsUploads(to: origin))
    }

    @Test func `more servers than are remembered do not add up`() throws {
        var knowledge = UploadKnowledge()
        for number in 0..<3000 {
            let origin = try #require(Origin(url: "https://host\(number)/"))
            knowledge.record(.proof(.draft3, origin))
            knowledge.record(.noTus(url: "https://host\(number)/"))
            knowledge.record(.tus(TusCapabilities(), url: "https://host\(number)/"))
            #expect(knowledge.offer(to: origin) == .draft3)
        }
    }
}
