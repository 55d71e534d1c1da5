import Foundation

/// What programs do through MagicalRecord. One engine does it so, the other writes the same with Core Data's own functions.
/// Each function is one workload and does all of it.
@MainActor
public protocol FaceEngine: AnyObject {
    nonisolated static var name: String { get }

    /// Opens a store.
    init(storeAt url: URL) throws

    /// Finds users by their number and reads three columns of each; `together` inside one access, otherwise each by itself.
    func find(_ userIDs: [Int64], together: Bool) throws -> Checksum

    /// Finds users by their number and reads three columns of each, in the background and in one state of the store.
    func findInOneRead(_ userIDs: [Int64]) throws -> Checksum

    /// For each number: friends among the 400 users from there on, by name, the first `limit`.
    func search(from userIDs: [Int64], limit: Int) throws -> Checksum

    /// Finds or creates each user by number and gives them their balance, in one save.
    func findOrCreate(_ rows: [UserRow]) throws

    /// Inserts users, each in a save of its own that is awaited before the next.
    func saveEach(_ rows: [UserRow]) throws

    /// Updates the users whose number exists, inserts the others. Dates in the JSON are seconds since 1970.
    func importRecords(json: Data) throws

    /// Watches all users by name. The closure renames the users at these places, one after the other, and each time waits for
    /// the new list.
    func watch() throws -> @MainActor ([Int]) throws -> Checksum

    func close() throws
}

/// Runs asynchronous work to its end, while the main thread serves the main queue.
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
