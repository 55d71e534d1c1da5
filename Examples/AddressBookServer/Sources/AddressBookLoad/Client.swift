import NIOHTTP1

/// The times that requests have taken.
struct Measurements: Sendable {
    var reads: [Duration] = []
    var saves: [Duration] = []
    /// The number of responses with another status than 2xx.
    var failures = 0

    mutating func add(_ other: Measurements) {
        reads += other.reads
        saves += other.saves
        failures += other.failures
    }
}

/// A client that sends one request after the other: of ten, six read a contact, two read a page and two save a contact.
struct Client {
    let options: LoadOptions
    let number: Int

    static let firstID = 1_000_001

    func run(until end: ContinuousClock.Instant) async throws -> Measurements {
        try await Connection.with(options.host, options.port) { connection in
            var measurements = Measurements()
            var count = number
            while ContinuousClock.now < end {
                count += 1
                let id = Self.firstID + Int.random(in: 0..<options.contacts)
                let start = ContinuousClock.now
                let status: UInt
                switch count % 5 {
                case 0: status = try await connection.send(.PATCH, "/contacts/\(id)", #"{"balance": \#(count)}"#)
                case 1: status = try await connection.send(.GET, "/contacts?size=20")
                default: status = try await connection.send(.GET, "/contacts/\(id)")
                }
                let time = ContinuousClock.now - start
                if !(200...299).contains(status) { measurements.failures += 1 }
                if count % 5 == 0 { measurements.saves.append(time) } else { measurements.reads.append(time) }
            }
            return measurements
        }
    }

    /// Creates or updates the contacts of the test.
    func fill() async throws {
        try await Connection.with(options.host, options.port) { connection in
            for start in stride(from: 0, to: options.contacts, by: 1_000) {
                let records = (start..<min(start + 1_000, options.contacts)).map { number in
                    let id = Self.firstID + number
                    return """
                        {"user_id": \(id), "user_name": "load.\(id)", "display_name": "Load \(number * 7_919 % 10_007)", \
                        "email": "load.\(id)@example.org", "country_code": \(number % 90), "balance": 0, \
                        "is_friend": false, "status": 0, "last_update": "2025-09-01T02:54:38Z"}
                        """
                }
                let status = try await connection.send(.POST, "/imports", "[\(records.joined(separator: ","))]")
                guard status == 200 else { throw LoadOptions.Invalid(description: "POST /imports answers \(status).") }
            }
        }
    }
}
