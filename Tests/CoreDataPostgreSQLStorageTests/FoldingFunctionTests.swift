#if PostgreSQL
import Foundation
import PostgreSQLTestSupport
import PredicateFormat
import Testing

@testable import CoreDataPostgreSQLStorage
@testable import CoreDataSQLQueries

/// `coredata_fold` against `StringFolding`.
@Suite("Folding by the server", .enabled(if: TestServer.isAvailable))
struct FoldingFunctionTests {
    /// Returns the texts that the server folds differently.
    private static func differences(_ texts: [String], _ connection: (PipelineRequest) throws -> Void) throws
        -> [String]
    {
        var different: [String] = []
        for options in 1...3 {
            let options = StringComparisonOptions(rawValue: UInt(options))
            for start in stride(from: 0, to: texts.count, by: 50_000) {
                let batch = texts[start..<min(start + 50_000, texts.count)]
                var parameters = ParameterList()
                parameters.add(batch)
                parameters.add(batch.map { String(decoding: StringFolding.fold($0, options), as: UTF8.self) })
                parameters.add(Int32(options.rawValue))
                try connection(
                    PipelineRequest(
                        ServerStatement(
                            "SELECT original, coredata_fold(original, $3::integer) FROM unnest($1::text[], $2::text[]) "
                                + "AS texts(original, folded) WHERE coredata_fold(original, $3::integer) "
                                + "IS DISTINCT FROM folded COLLATE \"C\""), parameters
                    ) { rows in
                        for row in 0..<rows.count {
                            let scalars = [0, 1].map {
                                rows.text(row, $0).unicodeScalars.map { String($0.value, radix: 16) }
                            }
                            different.append("\(options.letters): \(scalars[0]) becomes \(scalars[1])")
                        }
                    })
            }
        }
        return different
    }

    private static func inSchema(_ body: ((PipelineRequest) throws -> Void) throws -> Void) throws {
        let url = try TestServer.makeSchema()
        defer { TestServer.removeSchema(url) }
        let pool = ConnectionPool(try ConnectionSettings(url), size: 1)
        defer { pool.close() }
        try pool.withConnection(until: Deadline(after: 300)) { connection in
            let run: (PipelineRequest) throws -> Void = { try connection.run([$0], until: Deadline(after: 300)) }
            // Twice: another store of the schema may have made it.
            try run(PipelineRequest(ServerStatement(FoldingFunction.creation, isPrepared: false)))
            try run(PipelineRequest(ServerStatement(FoldingFunction.creation, isPrepared: false)))
            try body(run)
        }
    }

    @Test("Every scalar that the server has is folded as in memory")
    func scalars() throws {
        // The planes beyond have no characters that are folded; MAGICALRECORD_LONG=1 asks for them too.
        let isLong = ProcessInfo.processInfo.environment["MAGICALRECORD_LONG"] == "1"
        let texts = (1..<UInt32(isLong ? 0x110000 : 0x30000)).compactMap { Unicode.Scalar($0) }.map(String.init)
        try Self.inSchema { run in
            let different = try Self.differences(texts, run)
            #expect(different.count == 0, "\(different.prefix(20))")
        }
    }

    @Test("Random sequences are folded as in memory")
    func sequences() throws {
        var generator = SplitMix(seed: 1)
        let marks = (0x300..<UInt32(0x20000)).compactMap { Unicode.Scalar($0) }.filter {
            $0.properties.canonicalCombiningClass != .notReordered || $0.properties.generalCategory == .nonspacingMark
        }
        let special = Array(
            "ßẞIıİſςΣΐΰᾳﬁﬂŉǰéẹ\u{323}\u{301}\u{345}\u{F73}\u{2F800}😀\u{200D}👨\u{FE0F}\u{1F3FD}가\u{11A8}\u{1161}"
                .unicodeScalars)
        let texts = (0..<20_000).map { _ in
            var scalars = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let scalar: Unicode.Scalar? =
                    switch Int.random(in: 0..<7, using: &generator) {
                    case 0: Unicode.Scalar(UInt8.random(in: 1...127, using: &generator))
                    case 1: special.randomElement(using: &generator)
                    case 2, 3: marks.randomElement(using: &generator)
                    case 4: Unicode.Scalar(UInt32.random(in: 0xAC00..<0xD7A4, using: &generator))
                    case 5: Unicode.Scalar(UInt32.random(in: 0x80..<0x600, using: &generator))
                    default: Unicode.Scalar(UInt32.random(in: 0x600..<0x2FA30, using: &generator))
                    }
                if let scalar { scalars.append(scalar) }
            }
            return String(scalars)
        }
        try Self.inSchema { run in
            let different = try Self.differences(texts, run)
            #expect(different.count == 0, "\(different.prefix(20))")
        }
    }

    @Test("NULL stays NULL, and ASCII is lowercased only if case is ignored")
    func ascii() throws {
        try Self.inSchema { run in
            var found: [String] = []
            try run(
                PipelineRequest(
                    ServerStatement(
                        "SELECT coalesce(coredata_fold(NULL, 3), 'none'), coredata_fold('Az[', 1), coredata_fold('Az[', 2), "
                            + "coredata_fold('', 3)")
                ) { rows in found = (0..<4).map { rows.text(0, $0) } })
            #expect(found == ["none", "az[", "Az[", ""])
        }
    }

    @Test("An index may be made of folded text")
    func indexes() throws {
        try Self.inSchema { run in
            for sql in [
                "CREATE TABLE folded (name text COLLATE \"C\")", "INSERT INTO folded VALUES ('Élan'), (NULL), ('x')",
                "CREATE INDEX folded_name ON folded (coredata_fold(name, 3))", "REINDEX TABLE folded",
            ] {
                try run(PipelineRequest(ServerStatement(sql, isPrepared: false)))
            }
        }
    }
}
#endif
