#if PostgreSQL
import CoreDataPostgreSQLStorage
import CoreDataTestSupport
import Foundation
import PostgreSQLTestSupport
import Testing

/// An empty schema, processes that work on a store in it, and what SQL finds there afterwards.
final class ServerLedger {
    let url: URL
    let folder: TemporaryFolder
    /// The schema's name, as it is written in SQL.
    let schema: String

    init() throws {
        url = try TestServer.makeSchema()
        folder = try TemporaryFolder()
        schema = try #require(url.user)
    }

    deinit { TestServer.removeSchema(url) }

    /// Returns the first column of a query's rows, as text.
    func texts(_ sql: String) throws -> [String] {
        var texts: [String] = []
        try TestServer.run(
            PipelineRequest(ServerStatement("SELECT v::text FROM (\(sql)) AS q(v)", isPrepared: false)) { rows in
                for row in 0..<rows.count { texts.append(rows.text(row, 0)) }
            })
        return texts
    }
}
#endif
