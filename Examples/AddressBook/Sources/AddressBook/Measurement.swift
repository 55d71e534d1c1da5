import AddressBookModel
import Foundation
import MagicalRecord

/// A benchmark of imports: one lookup for all records of a batch, compared with one lookup per record.
///
/// Half of the contacts exist already, with other values. Each variant runs on a new store with the same contents, which
/// is filled before the clock starts.
struct Measurement {
    let count: Int

    private static let chunk = 1_000

    func run() async throws {
        print("\(count) contacts, of which \(count / 2) exist:")
        let together = try await measure("looked up together") { stack, records in
            try await stack.importAll(User.self, from: .records(records))
        }
        try await measure("the same, from JSON text", prepare: json) { stack, json in
            try await stack.importAll(User.self, from: .data(json))
        }
        // Hand-written code, saved in batches of the size that the import uses.
        let oneByOne = try await measure("one look-up each, saved every \(Self.chunk)") { stack, records in
            for start in stride(from: 0, to: records.count, by: Self.chunk) {
                let part = Array(records[start..<min(start + Self.chunk, records.count)])
                try await stack.save { context in
                    for record in part {
                        let id = Int32(record["user_id"] as? Int ?? 0)
                        try User.findOrCreate(by: \.user_id, id, in: context)
                            .importValues(from: record)
                    }
                }
            }
        }
        // MagicalRecord 2's importFromArray: each lookup also searches the objects that are not saved yet. The time grows
        // quadratically with their number, so a tenth of the records is measured and the result is not extrapolated.
        let small = Measurement(count: count / 10)
        let smallTogether = try await small.measure("a tenth of them, looked up together") { stack, records in
            try await stack.importAll(User.self, from: .records(records))
        }
        let original = try await small.measure("a tenth of them, one look-up each, saved at the end") {
            stack, records in
            try await stack.save { context in
                for record in records { try User.importOne(from: record, in: context) }
            }
        }
        print(String(format: "one look-up each, saved in portions, takes %.1f times as long", oneByOne / together))
        print(String(format: "saved at the end, it takes %.1f times as long", original / smallTogether))
    }

    private typealias Records = [[String: any Sendable]]

    private func measure<Outcome>(
        _ name: String, _ work: (MagicalRecord.Stack, Records) async throws -> Outcome
    ) async throws -> Double {
        try await measure(name, prepare: { $0 }, work)
    }

    /// Returns the seconds that `work` takes, without the time of `prepare`.
    @discardableResult
    private func measure<Input, Outcome>(
        _ name: String, prepare: (Records) throws -> Input,
        _ work: (MagicalRecord.Stack, Input) async throws -> Outcome
    ) async throws -> Double {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
        let stack = try MagicalRecord.Stack([.sqlite(at: file)], shape: .server, model: .addressBook)
        try await stack.importAll(
            User.self, from: .records(records(edition: 0).filter { ($0["user_id"] as? Int ?? 0) % 2 == 0 }))
        let input = try prepare(records(edition: 1))
        let start = ContinuousClock.now
        _ = try await work(stack, input)
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        let time = Double(seconds) + Double(attoseconds) / 1e18
        let total = try await stack.read { try User.count(in: $0) }
        guard total == count else { throw Failure("The store has \(total) contacts and should have \(count).") }
        try await stack.tearDown(deletingStores: true)
        print("    " + Terminal.padded(name, 56) + String(format: "%9.3f s", time))
        return time
    }

    private func json(_ records: Records) throws -> Data { try JSONSerialization.data(withJSONObject: records) }

    private func records(edition: Int) -> Records {
        (1...count).map { id in
            [
                "user_id": id, "user_name": "user.\(id)", "display_name": "User Number \(id)",
                "email": "user\(id)@example.org", "phone_number": "+49\(1_000_000 + id)", "country_code": id % 90,
                "balance": Double(id % 1_000 + edition), "is_friend": id % 3 == 0, "status": id % 4,
                "last_update": "2025-0\(1 + id % 9)-01T02:54:\(10 + id % 50)Z",
            ]
        }
    }
}
