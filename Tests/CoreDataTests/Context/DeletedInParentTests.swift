import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A child's edit of an object that its parent has deleted meanwhile is a conflict, decided by the child's merge policy as
/// one with the store is: no edit is dropped without an error under the default policy.
@Suite("Edits of what the parent has deleted")
struct DeletedInParentTests {
    private let library: SQLiteLibrary
    private let child: NSManagedObjectContext
    private let book: NSManagedObject
    private var parent: NSManagedObjectContext { library.context }

    init() throws {
        let library = try SQLiteLibrary()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = library.context
        let id = try library.context.performAndWait {
            let book = library.context.insert("Book", ["title": "Emma", "pages": 474])
            try library.context.save()
            return book.objectID
        }
        book = try child.performAndWait { try child.existingObject(with: id) }
        self.library = library
        self.child = child
    }

    private func deleteInParent(saving: Bool) throws {
        try parent.performAndWait {
            parent.delete(try parent.existingObject(with: book.objectID))
            if saving { try parent.save() }
        }
    }

    /// The titles that another context reads.
    private func titles() throws -> [String] {
        let other = library.makeContext()
        return try other.performAndWait {
            try other.fetchAll("Book").compactMap { $0.value(forKey: "title") as? String }.sorted()
        }
    }

    @Test(arguments: [false, true])
    func isAnErrorByDefault(_ isSaved: Bool) throws {
        try deleteInParent(saving: isSaved)
        child.performAndWait {
            book.setValue("Persuasion", forKey: "title")
            child.insert("Tag", ["word": "new"])
            let error = #expect(throws: NSError.self) { try child.save() }
            #expect(error?.code == NSManagedObjectMergeError)
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map(\.sourceObject) == [book])
            #expect(conflicts?.first?.newVersionNumber == 0)
            #expect(child.hasChanges)
            #expect(book.value(forKey: "title") as? String == "Persuasion")
        }
        // Nothing has moved.
        parent.performAndWait { #expect(parent.insertedObjects.isEmpty) }
    }

    @Test(
        arguments: [false, true],
        [NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType])
    func isDroppedWhereTheStoreWins(_ isSaved: Bool, _ type: NSMergePolicyType) throws {
        try deleteInParent(saving: isSaved)
        try child.performAndWait {
            child.mergePolicy = NSMergePolicy(merge: type)
            book.setValue("Persuasion", forKey: "title")
            child.insert("Book", ["title": "Sanditon"])
            try child.save()
            #expect(!child.hasChanges)
            #expect(book.isDeleted || book.managedObjectContext == nil)
        }
        try parent.performAndWait { try parent.save() }
        #expect(try titles() == ["Sanditon"])
    }

    @Test(arguments: [NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType])
    func bringsTheObjectBackWhereItWins(_ type: NSMergePolicyType) throws {
        try deleteInParent(saving: true)
        try child.performAndWait {
            child.mergePolicy = NSMergePolicy(merge: type)
            book.setValue("Persuasion", forKey: "title")
            try child.save()
        }
        try parent.performAndWait {
            let inserted = try #require(parent.insertedObjects.first)
            #expect(inserted.value(forKey: "title") as? String == "Persuasion")
            #expect(inserted.value(forKey: "pages") as? Int == 474)
            try parent.save()
        }
        #expect(try titles() == ["Persuasion"])
    }

    /// A child with the error policy has nothing to decide: the context on the store would meet the conflict.
    @Test(
        arguments: [
            NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
            .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType,
        ])
    func isDecidedByTheParentWhereTheChildDecidesNothing(_ type: NSMergePolicyType) throws {
        let other = library.makeContext()
        parent.performAndWait { parent.mergePolicy = NSMergePolicy(merge: type) }
        child.performAndWait { #expect(book.value(forKey: "title") as? String == "Emma") }
        try other.performAndWait {
            other.delete(try other.existingObject(with: book.objectID))
            try other.save()
        }
        parent.performAndWait { parent.reset() }
        let grandchild = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        grandchild.parent = child
        try grandchild.performAndWait {
            try grandchild.existingObject(with: book.objectID).setValue("Persuasion", forKey: "title")
            try grandchild.save()
        }
        for context in [child, parent] { try context.performAndWait { try context.save() } }
        let wins = type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
        #expect(try titles() == (wins ? ["Persuasion"] : []))
        for context in [grandchild, child, parent] { context.performAndWait { #expect(!context.hasChanges) } }
    }

    /// The parent has found its object without a row before its child brings that back.
    @Test func anObjectBroughtBackIsNotDeleted() throws {
        let other = library.makeContext()
        let original = try parent.performAndWait { try parent.existingObject(with: book.objectID) }
        child.performAndWait { #expect(book.value(forKey: "title") as? String == "Emma") }
        parent.performAndWait { parent.refresh(original, mergeChanges: false) }
        try other.performAndWait {
            other.delete(try other.existingObject(with: book.objectID))
            try other.save()
        }
        parent.performAndWait {
            #expect(original.value(forKey: "title") == nil)
            #expect(original.isDeleted)
        }
        try child.performAndWait {
            child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            book.setValue("Persuasion", forKey: "title")
            try child.save()
        }
        try parent.performAndWait {
            #expect(parent.insertedObjects == [original])
            #expect(!original.isDeleted && original.isInserted)
            #expect(original.value(forKey: "pages") as? Int == 474)
            try parent.save()
        }
        #expect(try titles() == ["Persuasion"])
    }

    /// What the parent is about to delete cannot be brought back by its child.
    @Test func isAnErrorWhereItWinsOverADeletionThatIsNotSaved() throws {
        try deleteInParent(saving: false)
        child.performAndWait {
            child.mergePolicy = NSMergePolicy.overwrite
            book.setValue("Persuasion", forKey: "title")
            let error = #expect(throws: NSError.self) { try child.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
    }

    @Test func isAnErrorForObjectsTheParentNeverSaved() throws {
        let id = parent.performAndWait { parent.insert("Book", ["title": "Lady Susan"]).objectID }
        let draft = try child.performAndWait {
            let draft = try child.existingObject(with: id)
            draft.setValue("The Watsons", forKey: "title")
            return draft
        }
        try parent.performAndWait {
            parent.delete(try parent.existingObject(with: id))
            parent.processPendingChanges()
        }
        child.performAndWait {
            let error = #expect(throws: NSError.self) { try child.save() }
            let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
            #expect(conflicts?.map(\.sourceObject) == [draft])
        }
    }

    @Test func deletingOnBothSidesIsNoConflict() throws {
        try deleteInParent(saving: true)
        try child.performAndWait {
            child.delete(book)
            try child.save()
        }
        try parent.performAndWait { try parent.save() }
        #expect(try titles() == [])
    }

    /// What the child knows to be deleted is not changed there.
    @Test func theDeletionOfAnOwnerIsNoConflict() throws {
        let author = try child.performAndWait {
            let author = child.insert("Author", ["name": "Austen"])
            book.setValue(author, forKey: "author")
            try child.save()
            return author
        }
        try parent.performAndWait {
            try parent.save()
            parent.delete(try parent.existingObject(with: author.objectID))
            try parent.save()
        }
        try child.performAndWait {
            book.setValue("Persuasion", forKey: "title")
            try child.save()
        }
        try parent.performAndWait { try parent.save() }
        #expect(try titles() == ["Persuasion"])
    }
}
