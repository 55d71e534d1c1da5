import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A row that changed is in conflict; before the merge policy reads it once more, it is deleted. The policy then has only the
/// row of the conflict.
@Suite("Rows deleted while their conflict is resolved")
struct DeletedWhileResolvedTests {
    /// Runs a block before the first conflict is resolved.
    final class InterruptedPolicy: NSMergePolicy, @unchecked Sendable {
        var interruption: (() throws -> Void)?

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            let interruption = interruption
            self.interruption = nil
            try interruption?()
            try super.resolve(optimisticLockingConflicts: list)
        }
    }

    /// The policy overwrites the row: what is inserted again is the object, without the other context's price.
    @Test(arguments: StoreKind.allCases)
    func overwritingKeepsTheWholeObject(_ store: StoreKind) throws {
        let row = try saveAfterDeletion(.overwriteMergePolicyType, store)
        #expect(row?["title"] as? String == "mine" && row?["pages"] as? Int == 7 && row?["price"] == nil)
    }

    /// Where the object wins by property, what the object did not change is as the other context saved it.
    @Test(arguments: StoreKind.allCases)
    func changesOfTheObjectWin(_ store: StoreKind) throws {
        let row = try saveAfterDeletion(.mergeByPropertyObjectTrumpMergePolicyType, store)
        #expect(row?["title"] as? String == "mine" && row?["pages"] as? Int == 7 && row?["price"] as? Double == 2.5)
    }

    /// Policies in favor of the store drop an object that the store has deleted.
    @Test(
        arguments: [NSMergePolicyType.rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType],
        StoreKind.allCases)
    func deletionWins(_ type: NSMergePolicyType, _ store: StoreKind) throws {
        #expect(try saveAfterDeletion(type, store) == nil)
    }

    /// Saves a book with a changed title and page count over one that another context has changed and, during the conflict's
    /// resolution, deleted.
    ///
    /// - Returns: The values in the store afterwards.
    private func saveAfterDeletion(_ type: NSMergePolicyType, _ store: StoreKind) throws -> [String: Any]? {
        let library = try Library(store: store)
        let mine = library.context, other = library.makeContext()
        let policy = InterruptedPolicy(merge: type)
        mine.mergePolicy = policy
        let book = try mine.performAndWait {
            let book = mine.insert("Book", ["title": "a", "pages": 1])
            try mine.save()
            return book
        }
        let id = book.objectID
        try other.performAndWait {
            let theirs = try other.existingObject(with: id)
            theirs.setValue("theirs", forKey: "title")
            theirs.setValue(2.5, forKey: "price")
            try other.save()
        }
        policy.interruption = {
            try other.performAndWait {
                other.delete(try other.existingObject(with: id))
                try other.save()
            }
        }
        try mine.performAndWait {
            book.setValue("mine", forKey: "title")
            book.setValue(7, forKey: "pages")
            try mine.save()
        }
        #expect(policy.interruption == nil)
        let reader = library.makeContext()
        return try reader.performAndWait {
            let books = try reader.fetchAll("Book")
            #expect(books.count <= 1)
            return books.first?.dictionaryWithValues(forKeys: ["title", "pages", "price"])
                .filter { !($0.value is NSNull) }
        }
    }
}
