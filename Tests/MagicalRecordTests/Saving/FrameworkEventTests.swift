#if !canImport(ObjectiveC)
import MagicalRecord
import Testing

@Suite("Events of the framework's functions", .addressBook(.server))
struct FrameworkEventTests {
    @Test func deletingAllIsNoMistake() async throws {
        let recording = try await Instruments.record {
            try await MagicalRecord.save { context in
                for number in 0..<12 { try User.create(in: context).userID = Int64(number) }
            }
            try await MagicalRecord.save { context in try User.deleteAll(in: context) }
        }
        #expect(recording.findings == [])
        #expect(recording.totals.changes.deleted > 0)
    }

    @Test func importsAreEventsOfTheirChunks() async throws {
        let options = MagicalRecord.ImportOptions(chunkSize: 10)
        let records: [[String: any Sendable]] = (0..<25).map { ["userID": $0] }
        let recording = try await Instruments.record {
            try await MagicalRecord.importAll(User.self, from: .records(records), options: options)
        }
        let chunks = recording.events(of: .importChunk)
        #expect(chunks.map(\.objects) == [10, 10, 5] && chunks.allSatisfy { $0.entity == "User" })
        #expect(recording.findings == [])
    }
}
#endif
