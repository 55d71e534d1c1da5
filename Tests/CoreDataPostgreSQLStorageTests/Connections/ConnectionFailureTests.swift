#if PostgreSQL
@testable import CoreDataPostgreSQLStorage
import CoreDataRowStorage
import Foundation
import PostgreSQLTestSupport
import Testing

/// Servers that cannot be used: Core Data's codes, SQLSTATE, a remedy, and no credentials.
@Suite("Connections that cannot be made")
struct ConnectionFailureTests {
    private static let password = "s3cr3t-Pa55"

    /// The error of finding a store.
    private func failure(_ url: String) throws -> NSError {
        let url = try #require(URL(string: url))
        let failure = error { _ = try PostgreSQLDriver.find(StorePlace(url)) } as NSError?
        return try #require(failure)
    }

    /// Checks an error, and that nothing of it shows the password.
    private func check(
        _ error: NSError, _ code: Int, _ state: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(error.domain == NSCocoaErrorDomain, sourceLocation: sourceLocation)
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.userInfo["SQLSTATE"] as? String == state, "\(error)", sourceLocation: sourceLocation)
        #expect(error.localizedRecoverySuggestion?.isEmpty == false, sourceLocation: sourceLocation)
        var dumped = ""
        dump(error.userInfo, to: &dumped)
        let texts = [
            String(describing: error), String(reflecting: error), "\(error.userInfo)", error.localizedDescription,
            error.localizedFailureReason ?? "", dumped,
        ]
        for text in texts {
            #expect(!text.contains("s3cr3t") && !text.contains("Pa55"), "\(text)", sourceLocation: sourceLocation)
        }
    }

    @Test("Without a server")
    func noServer() throws {
        let error = try failure("postgresql://ada:\(Self.password)@127.0.0.1:1/books")
        check(error, NSPersistentStoreOpenError, "08001")
        #expect(error.localizedDescription.contains("books on 127.0.0.1, port 1"))
    }

    @Test("With a server that does not answer in time")
    func silentServer() throws {
        let server = try ScriptedServer([])
        var settings = try ConnectionSettings(
            try #require(URL(string: "postgresql://ada:\(Self.password)@127.0.0.1:\(server.port)/books")))
        settings.connectTimeout = 0.1
        let failure = error { _ = try PostgreSQLConnection(settings) } as? PostgreSQLError
        #expect(failure?.state == "08001")
        #expect(failure?.message.contains("did not answer in time") == true)
    }

    private func url(_ server: ScriptedServer) -> String {
        "postgresql://ada:\(Self.password)@127.0.0.1:\(server.port)/books?sslmode=disable"
    }

    @Test("With a wrong password")
    func wrongPassword() throws {
        let text = "password authentication failed for user \"ada\""
        let server = try ScriptedServer([[.passwordRequest], [.failure("28P01", text)]])
        let error = try failure(url(server))
        check(error, NSPersistentStoreOpenError, "28P01")
        #expect(error.localizedFailureReason?.contains(text) == true)
        #expect(error.localizedFailureReason?.contains("auth.c") == false)
    }

    @Test("With a server whose messages are in another language")
    func otherLanguage() throws {
        let server = try ScriptedServer([[.failure("3D000", "Datenbank »books« existiert nicht")]])
        check(try failure(url(server)), NSPersistentStoreOpenError, "3D000")
    }

    @Test("With a server that is too old")
    func oldServer() throws {
        let server = try ScriptedServer([[.accepted, .parameter("server_version", "13.14"), .ready]])
        let error = try failure(url(server))
        check(error, NSPersistentStoreOpenError, "0A000")
        #expect(error.localizedFailureReason?.contains("13.14") == true)
        #expect(error.localizedRecoverySuggestion?.contains("14") == true)
    }

    @Test("With a server that accepts no more connections")
    func fullServer() throws {
        let server = try ScriptedServer([[.failure("53300", "sorry, too many clients already")]])
        check(try failure(url(server)), NSPersistentStoreTimeoutError, "53300")
    }

    @Test(
        "With a password that is not encoded, no part of it is shown",
        arguments: ["s3cr3t/Pa55", "s3cr3t@Pa55", "12/s3cr3t", "s3cr3t%zzPa55", "s3cr3t?Pa55=1", "12/s3cr3t/Pa55"])
    func unencodedPassword(password: String) throws {
        guard let url = URL(string: "postgresql://ada:\(password)@127.0.0.1:1/books") else { return }
        let failure = error { _ = try PostgreSQLDriver.find(StorePlace(url)) } as NSError?
        check(try #require(failure), NSPersistentStoreOpenError, "08001")
    }

    @Test("Settings and places are printed without credentials")
    func descriptions() throws {
        for text in [
            "postgresql://ada:\(Self.password)@127.0.0.1:1/books",
            "postgresql:///books?host=127.0.0.1&user=ada&password=\(Self.password)",
        ] {
            let url = try #require(URL(string: text))
            let settings = try ConnectionSettings(url)
            let pool = ConnectionPool(settings, size: 1)
            var dumped = ""
            dump(settings, to: &dumped)
            dump(pool, to: &dumped)
            dumped += "\(settings) \(String(reflecting: settings)) \(pool) \(settings.place) \(StorePlace(url).name)"
            #expect(!dumped.contains("s3cr3t"), "\(dumped)")
        }
    }

    @Test("With a database that does not exist", .enabled(if: TestServer.isDirect))
    func wrongDatabase() throws {
        let server = try #require(TestServer.url)
        var parts = try #require(URLComponents(url: server, resolvingAgainstBaseURL: false))
        parts.path = "/there_is_no_such_database"
        parts.password = Self.password
        check(try failure(try #require(parts.string)), NSPersistentStoreOpenError, "3D000")
    }

    @Test("The second of two hosts is used if the first does not answer", .enabled(if: TestServer.isAvailable))
    func severalHosts() throws {
        let silent = try ScriptedServer([])
        let whole = try #require(TestServer.url)
        let server = try #require(URLComponents(url: whole, resolvingAgainstBaseURL: false))
        let (host, port) = (server.host ?? "127.0.0.1", server.port ?? 5432)
        let database = server.path.dropFirst()
        let url = try #require(
            URL(
                string: "postgresql:///\(database)?host=127.0.0.1,\(host)&port=\(silent.port),\(port)"
                    + "&user=\(server.user ?? "")&password=\(server.password ?? "")"))
        var settings = try ConnectionSettings(url)
        settings.connectTimeout = 0.6
        let start = ContinuousClock.now
        let value = try PostgreSQLConnection(settings).integer("8")
        #expect(value == 8)
        #expect(ContinuousClock.now - start > .milliseconds(250))
    }
}
#endif
