import CoreDataSQLiteStorage
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Uniqueness constraints that another process's rows break.
@Suite("Constraints among processes")
struct ConstraintsOfProcessesTests {
    let folder: TemporaryFolder
    let store: URL
    let context: NSManagedObjectContext

    /// A store with the accounts A and B, which this process has open.
    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("Ledger.sqlite")
        let worker = try Worker("crash", store, ["wal", "100000"])
        try #require(worker.finish())
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(cachedInStoreAt: store))
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: store)
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func elsewhere(_ command: String, _ arguments: String...) throws {
        let worker = try Worker(command, store, arguments)
        try #require(worker.finish(), "\(worker.lines)")
    }

    private func account(_ name: String) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Account")
        request.predicate = NSPredicate(format: "name == %@", name)
        let found = try context.fetch(request)
        try #require(found.count == 1)
        return found[0]
    }

    private func sql(_ text: String) throws -> Int64? {
        try SQLiteConnection(path: store.path, access: .readOnly, busyTimeout: 1).integer(text)
    }

    private func audit() throws {
        let model = try NSManagedObjectModel(cachedInStoreAt: store)
        #expect(try StoreAuditor(store, model.layouts).problems() == [])
    }

    /// Another process took the name after this one had made its object.
    private static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    @Test(arguments: policies) func theNameIsTakenElsewhere(_ policy: NSMergePolicyType) throws {
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: policy)
            let new = context.insert("Account", ["name": "X", "balance": 5])
            let entry = context.insert("Entry", ["text": "mine", "account": new])
            try elsewhere("add", "X", "1")
            if policy == .errorMergePolicyType {
                let error = try #require(throws: NSError.self) { try context.save() }
                #expect(error.code == NSManagedObjectConstraintMergeError)
                let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
                let conflict = try #require(conflicts?.first)
                #expect(conflict.constraint == ["name"] && conflict.constraintValues["name"] as? String == "X")
                #expect(conflict.databaseSnapshot?["balance"] as? Int == 1)
                #expect(conflict.conflictingObjects == [new] && context.insertedObjects == [new, entry])
                // The same save succeeds once it is said who wins.
                context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            }
            try context.save()
            #expect(!context.hasChanges)
            let wins = policy != .mergeByPropertyStoreTrumpMergePolicyType && policy != .rollbackMergePolicyType
            let survivor = try account("X")
            #expect(survivor.value(forKey: "balance") as? Int == (wins ? 5 : 1))
            // What led to the object that went leads to the one that stays, but for the policy that drops it unseen.
            #expect(
                entry.value(forKey: "account") as? NSManagedObject
                    == (policy == .rollbackMergePolicyType ? nil : survivor))
        }
        #expect(try sql("SELECT COUNT(*) FROM ZACCOUNT WHERE ZNAME = 'X'") == 1)
        try audit()
    }

    /// An object known here got the name elsewhere: the conflict shows the row as it is, and the object takes it over.
    @Test(arguments: [false, true]) func aKnownRowTookTheNameElsewhere(_ isChangedHere: Bool) throws {
        try context.performAndWait {
            let known = try account("A")
            let balance = known.value(forKey: "balance") as? Int ?? 0
            if isChangedHere { known.setValue(balance + 100, forKey: "balance") }
            try elsewhere("rename", "A", "X")
            let new = context.insert("Account", ["name": "X"])
            let error = try #require(throws: NSError.self) { try context.save() }
            let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any] ?? []
            if !isChangedHere {
                let conflict = try #require(conflicts.first as? NSConstraintConflict)
                #expect(conflict.databaseObject === known && conflict.conflictingObjects == [new])
                #expect(conflict.databaseSnapshot?["name"] as? String == "X")
            }
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try context.save()
            #expect(known.value(forKey: "name") as? String == "X" && new.managedObjectContext == nil)
            #expect(known.value(forKey: "balance") as? Int == (isChangedHere ? balance + 100 : balance))
        }
        #expect(try sql("SELECT COUNT(*) FROM ZACCOUNT WHERE ZNAME = 'X'") == 1)
        #expect(try sql("SELECT COUNT(*) FROM ZACCOUNT WHERE ZNAME = 'A'") == 0)
        try audit()
    }

    /// Names may change hands within one save, whatever the order they are written in.
    @Test func namesChangeHands() throws {
        try context.performAndWait {
            let (a, b) = (try account("A"), try account("B"))
            a.setValue("B", forKey: "name")
            b.setValue("A", forKey: "name")
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(try sql("SELECT COUNT(*) FROM ZACCOUNT WHERE ZNAME IN ('A', 'B')") == 2)
        try audit()
    }

    /// Several processes insert the same names at once: each name is there once, with everything that led to it.
    @Test(
        .slow,
        arguments: [
            NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
            .overwriteMergePolicyType,
        ])
    func manyProcessesInsertTheSame(_ policy: NSMergePolicyType) throws {
        let times: Int64 = LongForm.choose(20, long: 40)
        let workers = try (0..<3).map { _ in try Worker("upsert", store, ["\(policy.rawValue)", "\(times)"]) }
        for worker in workers { #expect(worker.finish(), "\(worker.lines)") }
        #expect(try sql("SELECT COUNT(*) FROM ZACCOUNT WHERE ZNAME LIKE 'n%'") == 10)
        #expect(try sql("SELECT COUNT(DISTINCT ZNAME) FROM ZACCOUNT WHERE ZNAME LIKE 'n%'") == 10)
        #expect(try sql("SELECT COUNT(*) FROM ZENTRY WHERE ZROUND = -1 AND ZACCOUNT IS NOT NULL") == 3 * times)
        #expect(
            try sql("SELECT SUM(ZENTRYCOUNT) FROM ZACCOUNT WHERE ZNAME LIKE 'n%'") == 3 * times)
        try audit()
    }
}
