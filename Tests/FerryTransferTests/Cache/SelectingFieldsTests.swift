import FerryHTTP
import Foundation
import Testing

@testable import FerryTransfer

@Suite(.timeLimit(.minutes(5))) struct SelectingFieldsTests {
    typealias Fixtures = CacheFixtures
    typealias Fields = [(String, String)]

    private func selecting(_ vary: [String], _ fields: Fields) -> SelectingFields? {
        SelectingFields(
            head: Fixtures.head(vary.map { ("Vary", $0) }),
            requestFields: Fixtures.fields(fields)
        )
    }

    @Test(
        arguments: [
            ([], [("Accept", "a")], [("Accept", "b")], true),
            (["Accept"], [("Accept", "a")], [("Accept", "a")], true),
            (["accept"], [("Accept", "a")], [("ACCEPT", "a")], true),
            (["Accept"], [("Accept", "a")], [("Accept", "b")], false),
            (["Accept"], [("Accept", "a")], [("Accept", "A")], false),
            (["Accept"], [("Accept", "a")], [], false),
            (["Accept"], [], [("Accept", "a")], false),
            (["Accept"], [], [], true),
            (["Accept"], [("Accept", "a, b")], [("Accept", "a"), ("Accept", " b")], true),
            (["Accept"], [("Accept", "a,b")], [("Accept", "b,a")], false),
            (["Accept, X-A"], [("X-A", "1")], [("X-A", "2")], false),
            (["Accept", "X-A"], [("X-A", "1")], [("X-A", "2")], false),
            ([" , "], [("Accept", "a")], [], true),
        ] as [([String], Fields, Fields, Bool)]
    )
    func `a response answers requests that are alike in what it varies by`(
        vary: [String],
        first: Fields,
        second: Fields,
        match: Bool
    ) throws {
        let chosen = try #require(selecting(vary, first))
        #expect(chosen.match(Fixtures.fields(second)) == match)
    }

    @Test(arguments: ["*", "Accept, *", " * "])
    func `a response that varies by more than the request answers no other`(vary: String) {
        #expect(selecting([vary], []) == nil)
    }

    @Test func `one login's response is not another's`() throws {
        let chosen = try #require(selecting([], [("authorization", "Bearer a")]))
        #expect(chosen.match(Fixtures.fields([("Authorization", "Bearer a")])))
        #expect(!chosen.match(Fixtures.fields([("Authorization", "Bearer b")])))
        #expect(!chosen.match([]))
    }

    @Test func `they can be kept`() throws {
        let chosen = try #require(selecting(["Accept"], [("Accept", "a")]))
        let data = try JSONEncoder().encode(chosen)
        #expect(try JSONDecoder().decode(SelectingFields.self, from: data) == chosen)
    }

    @Test func `a comma in Vary ends a name also with an accent on it`() {
        #expect(selecting(["*,\u{301}x"], []) == nil)
        #expect(selecting(["Accept,\u{301}, *"], []) == nil)
    }
}
