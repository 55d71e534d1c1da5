import Foundation

/// Typical uses of MagicalRecord. One engine calls MagicalRecord, the other implements the same with Core Data's functions.
/// Each function runs one workload completely.
@MainActor
public protocol FaceEngine: AnyObject {
    /// The name on the command line and in the table.
    nonisolated static var name: String { get }

    /// Opens a store.
    init(storeAt url: URL) throws

    /// Finds users by number and reads three columns of each: with `together` in one access, otherwise in one access each.
    func find(_ userIDs: [Int64], together: Bool) throws -> Checksum

    /// Finds users by number in one background read with snapshot isolation, and reads three columns of each.
    func findInOneRead(_ userIDs: [Int64]) throws -> Checksum

    /// Fetches, for each number, the first `limit` friends by name among the 400 users from this number on.
    func search(from userIDs: [Int64], limit: Int) throws -> Checksum

    /// Finds or creates each user by number and sets the balance, in one save.
    func findOrCreate(_ rows: [UserRow]) throws

    /// Inserts users with one save each, awaited before the next.
    func saveEach(_ rows: [UserRow]) throws

    /// Updates the users with an existing number and inserts the others. Dates in the JSON are seconds since 1970.
    func importRecords(json: Data) throws

    /// Starts observing all users, sorted by name. The returned closure renames the users at the given positions one by one and
    /// waits for the new list each time.
    func watch() throws -> @MainActor ([Int]) throws -> Checksum

    /// Closes the store.
    func close() throws
}

/// Blocks until asynchronous work has ended, running the main run loop meanwhile.
@MainActor
public func awaiting<Value>(_ work: @escaping @MainActor () async throws -> Value) throws -> Value {
    let outcome = Outcome<Value>()
    Task { await outcome.take(work) }
    while true {
        if let result = outcome.result { return try result.get() }
        _ = RunLoop.main.run(mode: .default, before: .distantFuture)
    }
}

@MainActor
private final class Outcome<Value> {
    var result: Result<Value, any Error>?

    func take(_ work: @MainActor () async throws -> Value) async {
        do { result = .success(try await work()) } catch { result = .failure(error) }
    }
}
