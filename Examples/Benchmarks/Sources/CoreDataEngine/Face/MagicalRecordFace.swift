import CoreData
import Foundation
import MagicalRecord
import Workloads

/// The functions that programs call on MagicalRecord's default stack, in its default shape.
public final class MagicalRecordFace: FaceEngine {
    /// The name on the command line and in the table.
    public nonisolated static let name = "magicalrecord"

    private let stack: MagicalRecord.Stack

    /// Opens the store and sets the default stack.
    public init(storeAt url: URL) throws {
        // Opened by the same function as in the other engine, so that both have the same settings.
        let container = try Container.open(url, synchronous: .normal)
        stack = MagicalRecord.Stack(coordinator: container.persistentStoreCoordinator)
        MagicalRecord.setDefaultStack(stack)
    }

    /// Finds users with `findFirst(where:)`.
    public func find(_ userIDs: [Int64], together: Bool) throws -> Checksum {
        var checksum = Checksum()
        func find(_ userID: Int64) throws {
            try User.findFirst(where: \.userID == userID)?.addThree(to: &checksum)
        }
        if together {
            try stack.mainContext.performAndWait { try userIDs.forEach(find) }
        } else {
            try userIDs.forEach(find)
        }
        return checksum
    }

    /// Finds users with `findFirst(where:in:)` in one `MagicalRecord.read`.
    public func findInOneRead(_ userIDs: [Int64]) throws -> Checksum {
        try awaiting {
            try await MagicalRecord.read { context in
                var checksum = Checksum()
                for userID in userIDs {
                    try User.findFirst(where: \.userID == userID, in: context)?.addThree(to: &checksum)
                }
                return checksum
            }
        }
    }

    /// Searches with `findAll(where:sortedBy:limit:)` for each number.
    public func search(from userIDs: [Int64], limit: Int) throws -> Checksum {
        var checksum = Checksum()
        for first in userIDs {
            let friends = try User.findAll(
                where: { $0.userID >= first && $0.userID < first + 400 && $0.isFriend },
                sortedBy: [.ascending(\.name), .ascending(\.userID)], limit: limit)
            for user in friends { user.addThree(to: &checksum) }
        }
        return checksum
    }

    /// Finds or creates users with `findOrCreate(by:_:in:)` in one save.
    public func findOrCreate(_ rows: [UserRow]) throws {
        try MagicalRecord.saveAndWait { context in
            for row in rows {
                try User.findOrCreate(by: \.userID, row.userID, in: context).balance = row.balance
            }
        }
    }

    /// Creates users with one awaited `MagicalRecord.save` each, then waits for the merges.
    public func saveEach(_ rows: [UserRow]) throws {
        let stack = stack
        try awaiting {
            try await Self.saveEach(rows)
            await stack.mergesHaveEnded()
        }
    }

    private nonisolated static func saveEach(_ rows: [UserRow]) async throws {
        for row in rows {
            try await MagicalRecord.save { context in try User.create(in: context).take(row) }
        }
    }

    /// Imports users with `MagicalRecord.importAll`.
    public func importRecords(json: Data) throws {
        try awaiting {
            let report = try await MagicalRecord.importAll(User.self, from: .data(json))
            guard report.failures.isEmpty else { throw BenchmarkError("records were not imported: \(report)") }
        }
    }

    /// Observes the users with `observeObjects()`.
    public func watch() throws -> @MainActor ([Int]) throws -> Checksum {
        let context = stack.mainContext
        let watching = Watching(User.sorted(by: [.ascending(\.name), .ascending(\.userID)]).observeObjects())
        let first = try awaiting { try await watching.next() }
        return { places in
            try awaiting {
                var (list, checksum) = (first, Checksum())
                for place in places {
                    let other = list[list.count - 1 - place]
                    list[place].name = "\(other.name) \(place)"
                    context.processPendingChanges()
                    list = try await watching.next()
                    checksum.add(UInt64(list.count))
                    list[place].addThree(to: &checksum)
                }
                return checksum
            }
        }
    }

    /// Tears down the default stack.
    public func close() throws {
        try MagicalRecord.tearDownAndWait()
    }
}

/// A holder of the iterator of live results between two lists.
@MainActor
private final class Watching {
    private var iterator: MagicalRecord.LiveResults<User>.Iterator

    init(_ results: MagicalRecord.LiveResults<User>) {
        iterator = results.makeAsyncIterator()
    }

    func next() async throws -> MagicalRecord.ResultList<User> {
        var iterator = iterator
        guard let list = try await iterator.next() else { throw BenchmarkError("the watching has ended") }
        self.iterator = iterator
        return list
    }
}
