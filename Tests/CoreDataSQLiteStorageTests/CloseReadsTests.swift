import CoreData
import Foundation
import Testing

import class CoreDataSQLiteStorage.SQLiteConnection
import CoreDataTestSupport

/// Reads that follow each other in one block of a context: what they see, and what they keep others from.
///
/// They share work as long as nothing changes; whatever was committed before a read begins must be in it all the same.
@Suite("Reads close together")
struct CloseReadsTests {
    let library: SQLiteLibrary

    init() throws {
        library = try SQLiteLibrary()
        for number in 0..<3 { library.context.insert("Tag", ["word": "tag \(number)"]) }
        try library.context.save()
    }

    private func words(_ context: NSManagedObjectContext, like pattern: String = "*") throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = NSPredicate(format: "word LIKE %@", pattern)
        request.sortDescriptors = [NSSortDescriptor(key: "word", ascending: true)]
        request.shouldRefreshRefetchedObjects = true
        return try context.fetch(request).compactMap { $0.value(forKey: "word") as? String }
    }

    private func connection() throws -> SQLiteConnection {
        try SQLiteConnection(path: library.url.path, access: .readWrite, busyTimeout: 0)
    }

    @Test func seeWhatTheSameCoordinatorSaves() throws {
        let reader = library.makeContext(), writer = library.makeContext()
        try reader.performAndWait {
            for number in 3..<20 {
                #expect(try words(reader).count == number)
                try writer.performAndWait {
                    writer.insert("Tag", ["word": "tag \(number)"])
                    try writer.save()
                }
            }
            #expect(try words(reader).count == 20)
        }
    }

    @Test func seeWhatTheSameContextSaves() throws {
        let context = library.makeContext()
        try context.performAndWait {
            for number in 3..<20 {
                #expect(try words(context).count == number)
                context.insert("Tag", ["word": "tag \(number)"])
                try context.save()
            }
        }
    }

    /// A connection of its own stands for another process: nothing but the file tells of its commits.
    @Test func seeWhatOthersCommit() throws {
        let reader = library.makeContext()
        let other = try connection()
        try reader.performAndWait {
            for number in 3..<20 {
                #expect(try words(reader, like: "tag*").count == 3)
                #expect(try words(reader, like: "other*").count == number - 3)
                try other.execute("UPDATE ZTAG SET ZWORD = 'tag 0 ' || \(number) WHERE Z_PK = 1")
                try other.execute(
                    "INSERT INTO ZTAG (Z_ENT, Z_OPT, ZWORD) SELECT Z_ENT, 1, 'other \(number)' FROM ZTAG LIMIT 1")
                #expect(try words(reader).contains("tag 0 \(number)"))
            }
        }
    }

    /// Fills faults until reads go on with one transaction.
    private func readFaults(_ ids: [NSManagedObjectID], _ context: NSManagedObjectContext) -> [String?] {
        (0..<3).flatMap { _ in
            context.reset()
            return ids.map { context.object(with: $0).value(forKey: "word") as? String }
        }
    }

    enum Look: CaseIterable, Sendable { case fetch, refreshing, refreshingAll, merging, resetting, nextBlock }

    /// Faults are filled from one state of the file while they follow each other; whatever asks for its present state has them
    /// see what another process has committed.
    @Test(arguments: Look.allCases)
    func faultsSeeWhatOthersCommittedBefore(_ look: Look) throws {
        let reader = library.makeContext()
        let other = try connection()
        let ids = try reader.performAndWait { try reader.fetchAll("Tag").map(\.objectID) }
        for number in 1...5 {
            try reader.performAndWait {
                _ = readFaults(ids, reader)
                try other.execute("UPDATE ZTAG SET ZWORD = 'other \(number)', Z_OPT = Z_OPT + 1")
                switch look {
                case .fetch: #expect(try words(reader, like: "other*").count == 3)
                case .refreshing: reader.refresh(reader.object(with: ids[0]), mergeChanges: false)
                case .refreshingAll: reader.refreshAllObjects()
                case .merging:
                    NSManagedObjectContext.mergeChanges(
                        fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [reader])
                case .resetting: reader.reset()
                case .nextBlock: return
                }
                let value = reader.object(with: ids[0]).value(forKey: "word") as? String
                #expect(value == "other \(number)", "\(look)")
            }
            reader.performAndWait { #expect(Set(readFaults(ids, reader)) == ["other \(number)"], "\(look)") }
        }
    }

    /// Another coordinator of the process is no other process: what it saves is there for the next fault.
    @Test func faultsSeeWhatOtherCoordinatorsSave() throws {
        for number in 3..<30 { library.context.insert("Tag", ["word": "tag \(number)"]) }
        try library.context.save()
        let reader = library.makeContext(), writer = try library.makeSecondContext()
        try reader.performAndWait {
            let uris = try writer.performAndWait { try writer.fetchAll("Tag").map { $0.objectID.uriRepresentation() } }
            var ids = uris.compactMap(library.coordinator.managedObjectID(forURIRepresentation:))
            #expect(ids.count == 30)
            func readNext() throws -> String? {
                let id = ids.popLast()
                return reader.object(with: try #require(id)).value(forKey: "word") as? String
            }
            for number in 0..<6 {
                for _ in 0..<3 { _ = try readNext() }
                // On a thread of its own: this one's reads know nothing of it.
                let (done, text) = (DispatchSemaphore(value: 0), "second \(number)")
                Thread.detachNewThread {
                    writer.performAndWait {
                        for tag in (try? writer.fetchAll("Tag")) ?? [] { tag.setValue(text, forKey: "word") }
                        try? writer.save()
                    }
                    done.signal()
                }
                done.wait()
                #expect(try readNext() == "second \(number)")
            }
        }
    }

    /// An emptied log begins anew, which must not look like an old state of it.
    @Test func seeCommitsAfterTheLogWasEmptied() throws {
        let reader = library.makeContext(), writer = library.makeContext()
        try reader.performAndWait {
            for number in 3..<10 {
                #expect(try words(reader).count == number)
                #expect(try words(reader).count == number)
                try writer.performAndWait {
                    writer.insert("Tag", ["word": "tag \(number)"])
                    try writer.save()
                }
                try connection().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            }
            #expect(try words(reader).count == 10)
        }
    }

    /// Opening the file again from within a block must not wait for the block's own reads.
    @Test func doNotHoldTheFileAfterwards() throws {
        let reader = library.makeContext()
        try reader.performAndWait {
            for _ in 0..<3 {
                let count = try words(reader).count
                #expect(count == 3)
            }
        }
        library.context.insert("Tag", ["word": "last"])
        try library.context.save()
        let other = try connection()
        try other.execute("DELETE FROM ZTAG WHERE ZWORD = 'last'")
        let statement = try other.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        #expect(try statement.step())
        // First column: whether somebody was in the way.
        #expect(statement.integer(0) == 0)
    }

    @Test func manyContextsReadWhileOneWrites() async throws {
        let library = library
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                let context = library.makeContext()
                group.addTask {
                    for _ in 0..<10 {
                        try await context.perform {
                            var last = 0
                            for _ in 0..<20 {
                                let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
                                #expect(count >= last)
                                last = count
                            }
                        }
                    }
                }
            }
            let writer = library.makeContext()
            group.addTask {
                for number in 0..<50 {
                    try await writer.perform {
                        writer.insert("Tag", ["word": "new \(number)"])
                        try writer.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try words(library.makeContext()).count == 53)
    }
}
