#if PostgreSQL
import Foundation
import PostgreSQLTestSupport
import Testing

@testable import CoreDataPostgreSQLStorage
@testable import CoreDataSQLQueries

/// `coredata_upper` and `coredata_lower` against Swift's `uppercased()` and `lowercased()`, which evaluation in memory uses.
@Suite("Upper and lower case by the server", .enabled(if: TestServer.isAvailable))
struct CaseFunctionTests {
    /// Returns the texts that the server converts differently.
    private static func differences(_ texts: [String]) throws -> [String] {
        let url = try TestServer.makeSchema()
        defer { TestServer.removeSchema(url) }
        let pool = ConnectionPool(try ConnectionSettings(url), size: 1)
        defer { pool.close() }
        var different: [String] = []
        try pool.withConnection(until: Deadline(after: 300)) { connection in
            for function in CaseFunction.allCases {
                try connection.run([.plain(function.sql)], until: Deadline(after: 60))
                for start in stride(from: 0, to: texts.count, by: 5_000) {
                    let batch = texts[start..<min(start + 5_000, texts.count)]
                    var parameters = ParameterList()
                    parameters.add(batch)
                    parameters.add(batch.map { function == .upper ? $0.uppercased() : $0.lowercased() })
                    let sql = """
                        SELECT original, converted FROM (SELECT original, expected, \(function.name)(original) AS converted \
                        FROM unnest($1::text[], $2::text[]) AS t(original, expected)) AS u \
                        WHERE converted IS DISTINCT FROM expected COLLATE "C"
                        """
                    try connection.run(
                        [
                            PipelineRequest(ServerStatement(sql, isPrepared: false), parameters) { rows in
                                for row in 0..<rows.count {
                                    let scalars = [0, 1].map {
                                        rows.text(row, $0).unicodeScalars.map { String($0.value, radix: 16) }
                                    }
                                    different.append("\(function.name): \(scalars[0]) becomes \(scalars[1])")
                                }
                            }
                        ], until: Deadline(after: 100))
                }
            }
        }
        return different
    }

    @Test func `Every scalar with another case is converted as in memory`() throws {
        let texts = (1..<UInt32(0x110000)).compactMap(Unicode.Scalar.init).filter { scalar in
            scalar.value < 0x250 || scalar.properties.uppercaseMapping != String(scalar)
                || scalar.properties.lowercaseMapping != String(scalar)
        }.map { "\($0)" }
        let different = try Self.differences(texts)
        #expect(different.isEmpty, "\(different.prefix(20))")
    }

    @Test func `Neighbors make no difference, and combining marks stay`() throws {
        var generator = SplitMix(seed: 7)
        let special = Array("ßẞİiIıſςΣσΐΰᾳᾼﬁŉǰéǅǆ\u{345}\u{301}\u{307}😀aZ' \\".unicodeScalars)
        let texts = (0..<5_000).map { _ in
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                if let scalar = special.randomElement(using: &generator) { scalars.append(scalar) }
            }
            return String(scalars)
        }
        let different = try Self.differences(texts + ["ΟΔΟΣ", "ΟΔΟΣ ΑΣ", "straße", "İstanbul", "I\u{307}"])
        #expect(different.isEmpty, "\(different.prefix(20))")
    }
}
#endif
