import AddressBookService
import Foundation
import Hummingbird
import HummingbirdTesting
import MagicalRecord
import Testing

/// The kind of store that a test runs over: SQLite, and PostgreSQL if the package is built with the trait and
/// MAGICALRECORD_TEST_POSTGRESQL has the URL of a database in which its user may create schemas.
enum TestStore: String, Sendable {
    case sqlite, postgreSQL

    static let all: [TestStore] = server == nil ? [.sqlite] : [.sqlite, .postgreSQL]

    static let server: URL? = {
        #if PostgreSQL
        ProcessInfo.processInfo.environment["MAGICALRECORD_TEST_POSTGRESQL"].flatMap { URL(string: $0) }
        #else
        nil
        #endif
    }()

    /// Runs a test with a client of a service, which has an empty store.
    func withService(_ body: @escaping @Sendable (TestService) async throws -> Void) async throws {
        let name = "addressbook_test_\(UUID().uuidString.lowercased().replacing("-", with: "_"))"
        switch self {
        case .sqlite:
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await run(.sqlite(at: folder.appendingPathComponent("AddressBook.sqlite")), body)
        case .postgreSQL:
            try execute("CREATE SCHEMA \(name)")
            defer { try? execute("DROP SCHEMA \(name) CASCADE") }
            var parts = try #require(Self.server.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) })
            let path = URLQueryItem(name: "options", value: "-csearch_path=\(name)")
            parts.queryItems = (parts.queryItems ?? []) + [path]
            try await run(.postgreSQL(at: try #require(parts.url)), body)
        }
    }

    private func run(
        _ store: MagicalRecord.Store, _ body: @escaping @Sendable (TestService) async throws -> Void
    ) async throws {
        let addressBook = try AddressBook(store: store)
        let metrics = Metrics()
        try await Application(router: addressBook.router(metrics: metrics)).test(.router) { client in
            try await body(TestService(client: client, addressBook: addressBook, metrics: metrics, store: store))
        }
        // Does nothing if the test has closed it.
        try? await addressBook.close()
    }

    private func execute(_ statement: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql", try #require(Self.server).absoluteString, "-qc", statement]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["PGOPTIONS": "-cclient_min_messages=error"]) { $1 }
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}

/// A service under test, with requests in one line.
struct TestService: Sendable {
    let client: any TestClientProtocol
    let addressBook: AddressBook
    let metrics: Metrics
    let store: MagicalRecord.Store

    /// Sends a request and expects a status. Returns the JSON of the response; nil if it has none.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ body: String? = nil, _ status: HTTPResponse.Status = .ok,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSON {
        try await client.execute(uri: uri, method: method, body: body.map { ByteBuffer(string: $0) }) { response in
            let text = String(buffer: response.body)
            #expect(response.status == status, "\(text)", sourceLocation: sourceLocation)
            return JSON(text: text)
        }
    }

    /// Sends a request and returns its status.
    func status(_ method: HTTPRequest.Method, _ uri: String, _ body: String) async throws -> HTTPResponse.Status {
        try await client.execute(uri: uri, method: method, body: ByteBuffer(string: body)) { $0.status }
    }

    /// Creates contacts of these names, with the IDs 1, 2, …
    func add(_ names: String...) async throws {
        for (index, name) in names.enumerated() { try await add(index + 1, name) }
    }

    func add(_ id: Int, _ name: String) async throws {
        try await send(.post, "/contacts", Self.record(id, name), .created)
    }

    static func record(_ id: Int, _ name: String) -> String {
        #"{"user_id": \#(id), "user_name": "u\#(id)", "display_name": "\#(name)"}"#
    }
}

/// A response's JSON.
struct JSON: Sendable {
    let text: String

    private var object: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    subscript<Value>(key: String) -> Value? { object[key] as? Value }

    /// The names of the contacts of a page.
    var names: [String] { contacts.compactMap { $0["display_name"] as? String } }
    var contacts: [[String: Any]] { self["contacts"] ?? [] }

    /// The changes of a feed, as "insert 1".
    var changes: [String] {
        let changes: [[String: Any]] = self["changes"] ?? []
        return changes.map { "\($0["kind"] ?? "") \($0["id"] ?? "")" }
    }

    /// The first error of a response.
    var error: [String: Any] {
        let errors: [[String: Any]]? = self["errors"]
        return errors?.first ?? [:]
    }
}
