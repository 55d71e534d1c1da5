import Foundation

/// A database library under test. Each function runs one workload, or a family of them, completely: when it returns, the
/// values have been read, or are committed to the file.
public protocol StoreEngine: AnyObject {
    /// The name on the command line and in the table.
    static var name: String { get }

    /// The kind of file that the engine opens.
    static var storeKind: StoreKind { get }

    /// Opens a store. Not part of the measured time, except in the workload `openCold`.
    init(storeAt url: URL, synchronous: Synchronous) throws

    /// Inserts rows, with a save after every `batch` rows and at the end.
    func insert(_ rows: [UserRow], savingEvery batch: Int) throws

    /// Fetches all users as complete objects (the raw engine: as rows) and reads three or all columns of each.
    func fetchAll(reading width: Width) throws -> Checksum

    /// Fetches the identifiers of all users. The returned closure computes their checksum outside the measured time.
    func fetchIdentifiers() throws -> () throws -> Checksum

    /// Counts the friends with a balance above each of the thresholds.
    func countFriends(richerThan thresholds: [Double]) throws -> Checksum

    /// Finds users by number and reads three columns of each: with `together` in one access (one read transaction, one queue
    /// hop), otherwise in one access each.
    func find(_ userIDs: [Int64], together: Bool) throws -> Checksum

    /// Finds users by number in one access with snapshot isolation from concurrent writes, and reads three columns of each.
    func findInOneState(_ userIDs: [Int64]) throws -> Checksum

    /// Fetches, for each fragment, the first `limit` friends by name with a name that contains it, compared without regard to
    /// case.
    func search(_ fragments: [String], limit: Int) throws -> Checksum

    /// Updates balance and date of all users with a status, in one save.
    func update(status: Int32) throws

    /// Deletes all users with a status, in one save. With `nullify`, the sender of their messages must be set to nil.
    func delete(status: Int32, nullify: Bool) throws

    /// Reads all messages of the users up to a number, with one query per user or prefetched.
    func readMessages(ofUsersUpTo lastID: Int64, prefetched: Bool) throws -> Checksum

    /// Decodes users from JSON, updates those with an existing number and inserts the others, in one save.
    func importUsers(json: Data) throws

    /// Imports users from JSON by a batch request without objects. By default the same as ``importUsers(json:)``.
    func importBatch(json: Data) throws

    /// Computes count and average balance by country, `times` times.
    func balancesByCountry(times: Int) throws -> Checksum

    /// Reads all columns of one page of users, sorted by number.
    func readPage(from userID: Int64, limit: Int) throws -> Checksum

    /// Returns a writer that writes to the same store from another thread.
    func makeWriter() throws -> any StoreWriter

    /// Fetches all users, keeps them in memory and reads three columns of each.
    func holdAll() throws -> Checksum

    /// Iterates over all users and reads all columns, with at most `batch` users in memory.
    func iterate(batch: Int) throws -> Checksum

    /// Iterates over the result of one fetch in batches and reads all columns. By default the same as ``iterate(batch:)``.
    func walk(batch: Int) throws -> Checksum

    /// Closes the store.
    func close() throws
}

/// A writer for a separate thread. Each call makes one save.
public protocol StoreWriter: Sendable {
    /// Inserts rows in one save.
    func write(_ rows: [UserRow]) throws
}

/// The kind of a store. Both kinds of files have the tables of `StoreLayout`; Core Data's also has its metadata tables. A store in
/// a PostgreSQL database has the tables that Core Data creates there.
public enum StoreKind: String, Codable, CaseIterable, Sendable {
    case plain, coreData, postgreSQL
}

/// The columns that a workload reads of each user.
public enum Width: Sendable {
    case three, all
}

/// An implementation of objects in memory, to measure the cost of property access, relationships and object creation.
public protocol ObjectEngine: AnyObject {
    /// The name on the command line and in the table.
    static var name: String { get }
    /// The kind of file that the engine opens.
    static var storeKind: StoreKind { get }

    /// Opens a store with users and messages. With `loaded`, loads the first 1,000 users into memory.
    init(storeAt url: URL, loaded: Bool) throws

    /// Reads two numbers and a short text of each of 1,000 objects, `times` times.
    func readProperties(times: Int) throws -> Checksum

    /// Reads two numbers of each of 1,000 objects, `times` times.
    func readNumbers(times: Int) throws -> Checksum

    /// Reads a short text of each of 1,000 objects, `times` times.
    func readTexts(times: Int) throws -> Checksum

    /// Sets two properties of each of 1,000 objects, `times` times.
    func writeProperties(times: Int) throws

    /// Creates objects from rows without saving them.
    func insertObjects(_ rows: [UserRow]) throws -> Checksum

    /// Reads the 100 messages of each of the first 1,000 users. Nothing is in memory before.
    func traverse(prefetching: Bool) throws -> Checksum

    /// Reads the same messages again, all of them in memory.
    func traverseAgain() throws -> Checksum
}

/// An error of the benchmark itself, or a wrong result of an engine.
public struct BenchmarkError: Error, CustomStringConvertible {
    public var description: String

    /// Creates an error with a message.
    public init(_ description: String) {
        self.description = description
    }
}

extension StoreEngine {
    /// Imports with ``importUsers(json:)``, for engines without batch requests.
    public func importBatch(json: Data) throws { try importUsers(json: json) }

    /// Iterates with ``iterate(batch:)``, for engines without batched results.
    public func walk(batch: Int) throws -> Checksum { try iterate(batch: batch) }
}

extension StoreEngine {
    /// Finds users in one access, for engines with one transaction per access.
    public func findInOneState(_ userIDs: [Int64]) throws -> Checksum { try find(userIDs, together: true) }
}
