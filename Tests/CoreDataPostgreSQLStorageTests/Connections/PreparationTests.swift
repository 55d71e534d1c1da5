#if PostgreSQL
@testable import CoreDataPostgreSQLStorage
import Foundation
import PostgreSQLTestSupport
import Testing

/// Statements whose names the server's connection does not know, or knows already, as behind a pooler that takes another
/// connection for each transaction.
@Suite("Prepared statements behind a pooler", .enabled(if: TestServer.isDirect))
struct PreparationTests {
    private let connection: PostgreSQLConnection
    private let first = ServerStatement("SELECT 1::bigint AS prepared_first")
    private let second = ServerStatement("SELECT 2::bigint AS prepared_second")

    init() throws { connection = try Server.connection() }

    private func received() throws -> [Int64] {
        var values: [Int64] = []
        try connection.run([first, second].map { PipelineRequest($0) { values.append(try $0.int64(0, 0)) } })
        return values
    }

    @Test("A statement that is unknown is found out before rows of another are received")
    func unknown() throws {
        #expect(try received() == [1, 2])
        try connection.run([.plain("DEALLOCATE \(second.name)")])
        #expect(try received() == [1, 2])
        #expect(try received() == [1, 2])
    }

    @Test("A statement that is known already is found out before rows of another are received")
    func known() throws {
        try connection.run([.plain("PREPARE \(second.name) AS \(second.text)")])
        #expect(try received() == [1, 2])
        #expect(try received() == [1, 2])
    }

    @Test("A transaction that begins in the pipeline is run again from its beginning", arguments: [false, true])
    func transaction(endsAnother: Bool) throws {
        var values: [Int64] = []
        func run() throws {
            values = []
            let begin = ["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"].map(PipelineRequest.plain)
            try connection.run(
                (endsAnother ? [.plain("ROLLBACK")] : []) + begin
                    + [first, second].map { PipelineRequest($0) { values.append(try $0.int64(0, 0)) } }
                    + [.plain("COMMIT")])
        }
        if endsAnother { #expect(state { try connection.run([.plain("BEGIN"), .plain("SELECT 1 / 0")]) } == "22012") }
        try run()
        try connection.run([.plain("DEALLOCATE \(second.name)")])
        if endsAnother { #expect(state { try connection.run([.plain("BEGIN"), .plain("SELECT 1 / 0")]) } == "22012") }
        try run()
        #expect(values == [1, 2])
        #expect(!connection.isInTransaction)
    }
}
#endif
