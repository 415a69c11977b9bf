@testable import FerryHTTP
@testable import FerryTransfer

extension FuzzTarget {
    /// Ages are no less than nothing, and what is fresh depends on nothing but the fields and the time.
    static let cacheControl = FuzzTarget("cache-control") { input throws(Finding) in
        var input = input
        // Times of records on the disk, and of this machine's clock, may be any.
        let times = (0..<3).map { _ in HTTPDate(secondsSince1970: input.takeInteger()) }
        let lines = input.lines
        let names = ["Cache-Control", "Cache-Control", "Age", "Expires", "Date", "Last-Modified"]
        let fields = zip(names + ["Vary", "ETag", "Pragma"], lines)
            .map { HTTPField(name: $0, value: $1) }
        try check(CacheControl(fields: fields))
        let head = HTTPResponseHead(status: 200, fields: fields, url: "https://example.com/")
        let request = TransferRequest(url: head.url, fields: fields)
        guard
            let selecting = SelectingFields(head: head, requestFields: request.fields)
        else { return }
        try expect(selecting.match(request.fields), "a request does not match itself")
        let stored = StoredResponse(
            head: head,
            selectingFields: selecting,
            requestTime: times[0],
            responseTime: times[1]
        )
        try check(stored, for: request, at: times[2])
    }

    private static func check(_ control: CacheControl) throws(Finding) {
        let greatest: Int64 = 1 << 31
        try expect((0...greatest).contains(control.maxAge ?? 0), "\(control.maxAge ?? 0)")
        let minFresh = control.minFresh ?? 0
        try expect((0...greatest).contains(minFresh) || minFresh == .max, "\(minFresh)")
        if case .seconds(let seconds) = control.maxStale {
            try expect((0...greatest).contains(seconds), "\(seconds)")
        }
    }

    private static func check(
        _ stored: StoredResponse,
        for request: TransferRequest,
        at now: HTTPDate
    ) throws(Finding) {
        try expect(stored.freshnessLifetime >= 0, "fresh for \(stored.freshnessLifetime)")
        if let age = stored.age(at: now) { try expect(age >= 0, "as old as \(age)") }
        let isUsable = stored.isUsable(for: request, at: now)
        let isForbidden = stored.control.isNoCache || stored.age(at: now) == nil
        try expect(!isUsable || !isForbidden, "what needs validation is used without")
        for field in stored.conditions {
            try expect(!field.value.isEmpty, "\(field.name) is empty")
        }
        try expect(
            stored.conditions.isEmpty || stored.isConfirmed(by: stored.head),
            "a response does not confirm itself"
        )
    }
}
