import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A store that was set back to a backup goes on with numbers its history has had before. A token from after the backup stands for
/// changes that are gone: its holder has to read everything anew, and must not be told that nothing has changed.
@Suite("History tokens after a backup was restored")
struct RestoredStoreTests {
    private let library: SQLiteLibrary
    private let backup: URL
    private static var options: [AnyHashable: Any] { [NSPersistentHistoryTrackingKey: true] }

    init() throws {
        library = try SQLiteLibrary(options: Self.options)
        backup = library.url.deletingLastPathComponent().appendingPathComponent("Backup.sqlite")
        try save("a")
        try library.coordinator.replacePersistentStore(
            at: backup, destinationOptions: nil, withPersistentStoreFrom: library.url, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
    }

    private func save(_ word: String) throws {
        try library.context.performAndWait {
            library.context.insert("Tag", ["word": word])
            try library.context.save()
        }
    }

    private func restore() throws {
        library.context.performAndWait { library.context.reset() }
        try library.coordinator.remove(library.store)
        try library.coordinator.replacePersistentStore(
            at: library.url, destinationOptions: nil, withPersistentStoreFrom: backup, sourceOptions: nil,
            ofType: NSSQLiteStoreType)
        _ = try library.coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: library.url, options: Self.options)
    }

    private var token: NSPersistentHistoryToken {
        get throws { try #require(library.coordinator.currentPersistentHistoryToken(fromStores: nil)) }
    }

    private func execute(_ request: NSPersistentHistoryChangeRequest) throws -> [Int64] {
        try library.context.performAndWait {
            let result = try library.context.execute(request) as? NSPersistentHistoryResult
            return (result?.result as? [NSPersistentHistoryTransaction] ?? []).map(\.transactionNumber)
        }
    }

    private func expectExpired(
        _ request: NSPersistentHistoryChangeRequest, _ location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: NSError.self, sourceLocation: location) { try execute(request) }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError, sourceLocation: location)
        #expect(error?.localizedFailureReason?.contains("backup") == true, sourceLocation: location)
    }

    @Test func tokensFromAfterTheBackupHaveExpired() throws {
        let atBackup = try token
        try save("b")
        try save("c")
        let later = try token
        try restore()
        expectExpired(.fetchHistory(after: later))
        expectExpired(.deleteHistory(before: later))
        #expect(try execute(.fetchHistory(after: atBackup)) == [])
        // Once there are as many transactions again, and more.
        for word in ["d", "e", "f"] { try save(word) }
        expectExpired(.fetchHistory(after: later))
        expectExpired(.deleteHistory(before: later))
        #expect(try execute(.fetchHistory(after: atBackup)) == [2, 3, 4])
    }

    @Test func archivesAndTransactionsKnowTheirTime() throws {
        try save("b")
        let archive = try NSKeyedArchiver.archivedData(withRootObject: try token, requiringSecureCoding: true)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let last = try library.context.performAndWait {
            let result = try library.context.execute(request) as? NSPersistentHistoryResult
            return try #require((result?.result as? [NSPersistentHistoryTransaction])?.last?.token)
        }
        #expect(last == (try token))
        try restore()
        try save("c")
        let kept = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: archive)
        expectExpired(.fetchHistory(after: kept))
        expectExpired(.fetchHistory(after: last))
        #expect(last != (try token))
    }

    /// What observers of a save get is the token of its transaction.
    @Test func tokensOfSavesKnowTheirTime() throws {
        nonisolated(unsafe) var told: NSPersistentHistoryToken?
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: library.context, queue: nil
        ) { told = $0.userInfo?["newChangeToken"] as? NSPersistentHistoryToken }
        defer { NotificationCenter.default.removeObserver(observer) }
        try save("b")
        let saved = try #require(told)
        #expect(saved == (try token))
        try restore()
        try save("c")
        expectExpired(.fetchHistory(after: saved))
    }

    @Test func aPredicateOfSuchATokenIsRefused() throws {
        try save("b")
        let later = try token
        try restore()
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "token > %@", later)
        expectExpired(.fetchHistory(withFetch: fetch))
    }
}
