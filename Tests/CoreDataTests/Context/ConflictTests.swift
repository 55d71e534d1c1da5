import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The five merge policies, and policies of one's own, against changes made by another context, by another coordinator,
/// and against uniqueness constraints.
@Suite("Conflicts")
struct ConflictTests {
    static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    let library: SQLiteLibrary
    var context: NSManagedObjectContext { library.context }

    init() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["word"]]
        model.entitiesByName["Tag"]?.properties.append(LibraryModel.attribute("count", .integer32AttributeType))
        library = try SQLiteLibrary(model)
    }

    /// A book that both contexts know, changed there and saved: "there"/2/nil. Here it is about to be.
    private func makeConflict(
        _ policy: NSMergePolicyType, there change: (NSManagedObject) -> Void
    ) throws -> NSManagedObject {
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: policy)
            let book = context.insert("Book", ["title": "one", "pages": 1])
            try context.save()
            let other = library.makeContext()
            try other.performAndWait {
                change(try other.existingObject(with: book.objectID))
                try other.save()
            }
            return book
        }
    }

    private func values(_ object: NSManagedObject?) -> [String] {
        guard let object else { return [] }
        let inPrint = object.value(forKey: "inPrint") as? Bool
        return ["title", "pages"].map { "\(object.value(forKey: $0) ?? "nil")" } + ["\(inPrint ?? false)"]
    }

    /// Both change the title; pages are changed there alone, `inPrint` here alone.
    @Test(arguments: policies)
    func updatesOnBothSides(_ policy: NSMergePolicyType) throws {
        let book = try makeConflict(policy) { $0.setValuesForKeys(["title": "there", "pages": 2]) }
        try context.performAndWait {
            book.setValuesForKeys(["title": "here", "inPrint": false])
            if policy == .errorMergePolicyType {
                let error = try #require(throws: NSError.self) { try context.save() }
                #expect(error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectMergeError)
                let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
                let conflict = try #require(conflicts?.first)
                #expect(conflict.sourceObject === book)
                #expect(conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
                #expect(conflict.objectSnapshot?["title"] as? String == "here")
                #expect(conflict.cachedSnapshot?["title"] as? String == "one")
                #expect(conflict.persistedSnapshot?["title"] as? String == "there")
                #expect(conflict.persistedSnapshot?["pages"] as? Int == 2)
                #expect(conflict.objectSnapshot?["tags"] == nil)
                // Everything is as it was before the save.
                #expect(values(book) == ["here", "1", "false"] && book.isUpdated)
                return
            }
            try context.save()
            #expect(!context.hasChanges)
            let expected: [String] =
                switch policy {
                case .mergeByPropertyStoreTrumpMergePolicyType: ["there", "2", "false"]
                case .mergeByPropertyObjectTrumpMergePolicyType: ["here", "2", "false"]
                case .overwriteMergePolicyType: ["here", "1", "false"]
                default: ["there", "2", "true"]
                }
            #expect(values(book) == expected)
        }
        guard policy != .errorMergePolicyType else { return }
        let other = library.makeContext()
        try other.performAndWait {
            let saved = try other.fetchAll("Book").first
            #expect(values(saved) == context.performAndWait { values(book) })
        }
    }

    /// Deleted there, changed here: policies for the object keep it, the others let it go.
    @Test(arguments: policies)
    func deletedThere(_ policy: NSMergePolicyType) throws {
        let book = try makeConflict(policy) { $0.managedObjectContext?.delete($0) }
        try context.performAndWait {
            book.setValue("here", forKey: "title")
            if policy == .errorMergePolicyType {
                let error = try #require(throws: NSError.self) { try context.save() }
                let conflict = try #require(
                    (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
                #expect(conflict.newVersionNumber == 0 && conflict.persistedSnapshot == nil)
                return
            }
            try context.save()
            let stays =
                policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
            #expect(try context.fetchAll("Book").count == (stays ? 1 : 0))
            if stays {
                #expect(book.value(forKey: "title") as? String == "here" && book.value(forKey: "pages") as? Int == 1)
            } else {
                #expect(book.managedObjectContext == nil)
            }
            #expect(!context.hasChanges)
        }
    }

    /// Changed there, deleted here.
    @Test(arguments: policies)
    func deletedHere(_ policy: NSMergePolicyType) throws {
        let book = try makeConflict(policy) { $0.setValue("there", forKey: "title") }
        try context.performAndWait {
            context.delete(book)
            if policy == .errorMergePolicyType {
                let error = try #require(throws: NSError.self) { try context.save() }
                #expect(error.code == NSManagedObjectMergeError && book.isDeleted)
                return
            }
            try context.save()
            let stays =
                policy == .rollbackMergePolicyType || policy == .mergeByPropertyStoreTrumpMergePolicyType
            #expect(
                try context.fetchAll("Book").map { $0.value(forKey: "title") as? String } == (stays ? ["there"] : []))
            #expect(!context.hasChanges)
        }
    }

    @Test(arguments: policies)
    func deletedOnBothSides(_ policy: NSMergePolicyType) throws {
        guard policy != .errorMergePolicyType else { return }
        let book = try makeConflict(policy) { $0.managedObjectContext?.delete($0) }
        try context.performAndWait {
            context.delete(book)
            try context.save()
            #expect(try context.fetchAll("Book").isEmpty && !context.hasChanges)
        }
    }

    /// One object was changed, and that was processed, before the other, whose row is gone: that is the last event.
    @Test(arguments: [false, true])
    func theNotificationNamesWhatWasWritten(deleting: Bool) throws {
        let book = try makeConflict(.mergeByPropertyObjectTrumpMergePolicyType) { $0.managedObjectContext?.delete($0) }
        try context.performAndWait {
            let other = context.insert("Book", ["title": "other"])
            try context.save()
            nonisolated(unsafe) var saved: [String: Set<NSManagedObject>] = [:]
            let token = NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { note in
                for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
                    saved[key] = note.userInfo?[key] as? Set<NSManagedObject> ?? []
                }
            }
            defer { NotificationCenter.default.removeObserver(token) }
            for object in [other, book] {
                context.processPendingChanges()
                if deleting { context.delete(object) } else { object.setValue("here", forKey: "title") }
            }
            try context.save()
            #expect(saved[NSInsertedObjectsKey] == (deleting ? [] : [book]))
            #expect(saved[NSUpdatedObjectsKey] == (deleting ? [] : [other]))
            #expect(saved[NSDeletedObjectsKey] == (deleting ? [other] : []))
        }
    }

    @Test func policiesOfOnesOwn() throws {
        /// Takes the larger number of pages, and leaves the rest to the store.
        final class LargerWins: NSMergePolicy, @unchecked Sendable {
            nonisolated(unsafe) var seen: [String] = []
            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                for conflict in list {
                    seen.append("\(conflict.oldVersionNumber)-\(conflict.newVersionNumber)")
                    let mine = conflict.objectSnapshot?["pages"] as? Int ?? 0
                    let theirs = conflict.persistedSnapshot?["pages"] as? Int ?? 0
                    try super.resolve(optimisticLockingConflicts: [conflict])
                    conflict.sourceObject.setValue(max(mine, theirs), forKey: "pages")
                }
            }
        }
        let book = try makeConflict(.errorMergePolicyType) { $0.setValuesForKeys(["title": "there", "pages": 2]) }
        let policy = LargerWins(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        try context.performAndWait {
            context.mergePolicy = policy
            book.setValuesForKeys(["title": "here", "pages": 7])
            try context.save()
            #expect(values(book).prefix(2) == ["there", "7"] && policy.seen == ["1-2"])
        }
    }

    @Test func aPolicyThatFailsStopsTheSave() throws {
        struct Undecided: Error {}
        final class Never: NSMergePolicy, @unchecked Sendable {
            override func resolve(mergeConflicts list: [Any]) throws { throw Undecided() }
        }
        let book = try makeConflict(.errorMergePolicyType) { $0.setValue("there", forKey: "title") }
        context.performAndWait {
            context.mergePolicy = Never(merge: .overwriteMergePolicyType)
            book.setValue("here", forKey: "title")
            #expect(throws: Undecided.self) { try context.save() }
            #expect(context.hasChanges && book.value(forKey: "title") as? String == "here")
        }
    }

    @Test func unchangedObjectsMayBeGuarded() throws {
        let book = try makeConflict(.errorMergePolicyType) { $0.setValue("there", forKey: "title") }
        try context.performAndWait {
            context.insert("Shelf")
            context.detectConflicts(for: book)
            let error = try #require(throws: NSError.self) { try context.save() }
            #expect(error.code == NSManagedObjectMergeError)
            context.refresh(book, mergeChanges: true)
            try context.save()
        }
    }

    @Test func anotherCoordinatorsChangesAreConflictsToo() throws {
        let library = try SQLiteLibrary()
        try library.context.performAndWait {
            library.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let book = library.context.insert("Book", ["title": "one", "pages": 1])
            try library.context.save()
            let other = try library.makeSecondContext()
            try other.performAndWait {
                let same = try #require(try other.fetchAll("Book").first)
                same.setValuesForKeys(["title": "there", "pages": 2])
                try other.save()
            }
            book.setValue("here", forKey: "title")
            try library.context.save()
            #expect(values(book) == ["here", "2", "true"])
        }
    }

    // MARK: Constraints

    /// A row has the values already: errors fail, the store's policies drop the new object, the others update the row.
    @Test(arguments: policies)
    func theRowIsThereAlready(_ policy: NSMergePolicyType) throws {
        try context.performAndWait {
            context.insert("Tag", ["word": "sea", "count": 1])
            try context.save()
            context.reset()
            context.mergePolicy = NSMergePolicy(merge: policy)
            let new = context.insert("Tag", ["word": "sea", "count": 5])
            if policy == .errorMergePolicyType {
                let error = try #require(throws: NSError.self) { try context.save() }
                #expect(error.code == NSManagedObjectConstraintMergeError)
                let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
                let conflict = try #require(conflicts?.first)
                #expect(conflict.constraint == ["word"] && conflict.constraintValues["word"] as? String == "sea")
                #expect(conflict.databaseObject?.value(forKey: "count") as? Int == 1)
                #expect(conflict.databaseSnapshot?["count"] as? Int == 1)
                #expect(conflict.conflictingObjects == [new] && context.insertedObjects == [new])
                return
            }
            try context.save()
            let tags = try context.fetchAll("Tag")
            let wins = policy == .overwriteMergePolicyType || policy == .mergeByPropertyObjectTrumpMergePolicyType
            #expect(tags.count == 1 && tags.first?.value(forKey: "count") as? Int == (wins ? 5 : 1))
            #expect(!context.hasChanges)
        }
    }

    /// "Changed objects' state is forced upon the persistent store" (`NSOverwriteMergePolicy`), nil included; of the policies that
    /// merge by property only what was set counts.
    @Test(arguments: [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType])
    func whatTheNewObjectDoesNotHave(_ policy: NSMergePolicyType) throws {
        try context.performAndWait {
            let isWhole = policy == .overwriteMergePolicyType
            let old = context.insert("Tag", ["word": "sea", "count": 1])
            try context.save()
            context.mergePolicy = NSMergePolicy(merge: policy)
            context.insert("Tag", ["word": "sea"])
            try context.save()
            #expect(old.value(forKey: "count") as? Int == (isWhole ? nil : 1))
            let set = context.insert("Tag", ["word": "sea", "count": 5])
            set.setValue(nil, forKey: "count")
            old.setValue(4, forKey: "count")
            try context.save()
            context.reset()
            let tags = try context.fetchAll("Tag")
            #expect(tags.count == 1 && tags.first?.value(forKey: "count") == nil)
        }
    }

    @Test(arguments: policies)
    func twoNewObjectsAreTheSame(_ policy: NSMergePolicyType) throws {
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy(merge: policy)
            let book = context.insert("Book", ["title": "Moby-Dick"])
            let tags = (1...2).map { context.insert("Tag", ["word": "sea", "count": $0]) }
            tags[1].mutableSetValue(forKey: "books").add(book)
            if policy == .errorMergePolicyType {
                let error = try #require(throws: NSError.self) { try context.save() }
                #expect(error.code == NSManagedObjectConstraintMergeError)
                let conflict = try #require(
                    (error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.first)
                #expect(conflict.databaseObject == nil && Set(conflict.conflictingObjects) == Set(tags))
                return
            }
            try context.save()
            #expect(try context.fetchAll("Tag").count == 1 && !context.hasChanges)
        }
    }

    @Test func aKeyFreedInASaveMayBeTakenInIt() throws {
        try context.performAndWait {
            let old = context.insert("Tag", ["word": "sea"])
            try context.save()
            context.delete(old)
            context.insert("Tag", ["word": "sea", "count": 2])
            try context.save()
            #expect(try context.fetchAll("Tag").map { $0.value(forKey: "count") as? Int } == [2])
        }
    }

    @Test func nilIsNeverADuplicate() throws {
        try context.performAndWait {
            for _ in 0..<3 { context.insert("Tag") }
            try context.save()
            #expect(try context.fetchAll("Tag").count == 3)
        }
    }

    @Test func constraintsHoldAcrossCoordinators() throws {
        let model = LibraryModel.make()
        model.entitiesByName["Tag"]?.uniquenessConstraints = [["word"]]
        model.entitiesByName["Tag"]?.properties.append(LibraryModel.attribute("count", .integer32AttributeType))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: library.url)
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        try other.performAndWait {
            other.insert("Tag", ["word": "sea", "count": 1])
            try other.save()
        }
        try context.performAndWait {
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            context.insert("Tag", ["word": "sea", "count": 9])
            try context.save()
            #expect(try context.fetchAll("Tag").map { $0.value(forKey: "count") as? Int } == [9])
        }
    }
}
