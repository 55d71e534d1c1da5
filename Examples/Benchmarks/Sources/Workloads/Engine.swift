import Foundation

/// One way of keeping the people in a store. Each function is one workload (or a family of them) and does all of it:
/// what it takes for the values to be read, or to be safe in the file when it returns.
public protocol StoreEngine: AnyObject {
    static var name: String { get }

    /// The kind of file it opens.
    static var storeKind: StoreKind { get }

    /// Opens a store. The time counts only for the workload about opening.
    init(storeAt url: URL, synchronous: Synchronous) throws

    /// Inserts rows, saving whenever `batch` of them have gathered, and at the end.
    func insert(_ rows: [UserRow], savingEvery batch: Int) throws

    /// Fetches everybody as whole objects (the raw engine: as rows) and reads three or all columns of each.
    func fetchAll(reading width: Width) throws -> Checksum

    /// Fetches the identifier of everybody; the closure returned sums them up after the clock has stopped.
    func fetchIdentifiers() throws -> () throws -> Checksum

    /// Counts the friends with a balance above each of the thresholds.
    func countFriends(richerThan thresholds: [Double]) throws -> Checksum

    /// Finds users by their number and reads three columns of each; `together` inside one access (one read
    /// transaction, one queue hop), otherwise each by itself.
    func find(_ userIDs: [Int64], together: Bool) throws -> Checksum

    /// The same inside one access that shows one state of the store, whatever others write meanwhile.
    func findInOneState(_ userIDs: [Int64]) throws -> Checksum

    /// For each fragment: friends whose name contains it (ignoring case), by name, the first `limit`.
    func search(_ fragments: [String], limit: Int) throws -> Checksum

    /// Finds everybody of a status and gives them a new balance and date, in one save.
    func update(status: Int32) throws

    /// Finds everybody of a status and deletes them, in one save. With `nullify` there are messages whose
    /// sender must become nothing.
    func delete(status: Int32, nullify: Bool) throws

    /// Reads all messages of the users up to a number, user by user or prefetched.
    func readMessages(ofUsersUpTo lastID: Int64, prefetched: Bool) throws -> Checksum

    /// Decodes the users from JSON, updates those whose number exists, inserts the others, in one save.
    func importUsers(json: Data) throws

    /// The same without objects, where an engine has another way for that.
    func importBatch(json: Data) throws

    /// Count and average balance by country, as often as said.
    func balancesByCountry(times: Int) throws -> Checksum

    /// One page of users in the order of their numbers, all columns of each.
    func readPage(from userID: Int64, limit: Int) throws -> Checksum

    /// Something that writes to the same store from another thread.
    func makeWriter() throws -> any StoreWriter

    /// Has all users in memory at once and reads three columns of each.
    func holdAll() throws -> Checksum

    /// Walks over all users, reading all columns, with at most `batch` of them in memory.
    func iterate(batch: Int) throws -> Checksum

    /// The same by walking the result of one fetch.
    func walk(batch: Int) throws -> Checksum

    func close() throws
}

/// Inserts rows from a thread of its own, one save a call.
public protocol StoreWriter: Sendable {
    func write(_ rows: [UserRow]) throws
}

/// Stores of both kinds have the tables of `StoreLayout`; Core Data's have its bookkeeping besides.
public enum StoreKind: String, Codable, CaseIterable, Sendable {
    case plain, coreData
}

public enum Width: Sendable {
    case three, all
}

/// One way of keeping objects in memory: what a property, a relationship, a new object cost.
public protocol ObjectEngine: AnyObject {
    static var name: String { get }
    static var storeKind: StoreKind { get }

    /// Gets ready over a store holding users and messages; with `loaded` the first 1,000 users are in memory.
    init(storeAt url: URL, loaded: Bool) throws

    /// Reads two numbers and a short text of each of 1,000 objects, as often as said.
    func readProperties(times: Int) throws -> Checksum

    /// Reads two numbers of each of 1,000 objects, as often as said.
    func readNumbers(times: Int) throws -> Checksum

    /// Reads a short text of each of 1,000 objects, as often as said.
    func readTexts(times: Int) throws -> Checksum

    /// Sets two properties of each of 1,000 objects, as often as said.
    func writeProperties(times: Int) throws

    /// Makes objects from rows, without saving them.
    func insertObjects(_ rows: [UserRow]) throws -> Checksum

    /// From each of the first 1,000 users to their 100 messages, nothing in memory before.
    func traverse(prefetching: Bool) throws -> Checksum

    /// The same walk again, everything in memory.
    func traverseAgain() throws -> Checksum
}

/// A problem in the benchmark itself or in what an engine returned.
public struct BenchmarkError: Error, CustomStringConvertible {
    public var description: String

    public init(_ description: String) {
        self.description = description
    }
}

extension StoreEngine {
    public func importBatch(json: Data) throws { try importUsers(json: json) }

    public func walk(batch: Int) throws -> Checksum { try iterate(batch: batch) }
}

extension StoreEngine {
    /// For engines whose accesses are transactions.
    public func findInOneState(_ userIDs: [Int64]) throws -> Checksum { try find(userIDs, together: true) }
}
