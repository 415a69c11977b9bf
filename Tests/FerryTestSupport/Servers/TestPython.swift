import FerrySystem
import FoundationEssentials

/// The Python that has the packages of packaging/python-packages.
enum TestPython {
    /// `FERRY_TEST_PYTHON`, or what scripts/set-up makes.
    static var interpreter: String {
        if let path = ProcessEnvironment["FERRY_TEST_PYTHON"], !path.isEmpty { return path }
        return "\(root)/.build/venv/bin/python3"
    }

    /// The path of a file among the tests' sources.
    static func file(_ path: String) -> String { "\(root)/Tests/FerryTestSupport/\(path)" }

    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }.path
}
