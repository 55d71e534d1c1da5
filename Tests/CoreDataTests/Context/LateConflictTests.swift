import CoreData
import Foundation
import Testing

/// A row that changes once more while a conflict about it is being resolved.
@Suite("Conflicts that are overtaken")
struct LateConflictTests {
    /// Lets others save before it does what it stands for.
    private final class SlowPolicy: NSMergePolicy, @unchecked Sendable {
        var meanwhile: (() throws -> Void)?

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            let change = meanwhile
            meanwhile = nil
            try change?()
            try super.resolve(optimisticLockingConflicts: list)
        }
    }

    /// What is in the file after this context has set title and pages, while another set the pages before the save, and the
    /// title or the pages during it.
    @Test(arguments: [
        (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, "title", "later/2"),
        (.mergeByPropertyStoreTrumpMergePolicyType, "pages", "here/3"),
        (.mergeByPropertyObjectTrumpMergePolicyType, "title", "here/9"),
        (.overwriteMergePolicyType, "title", "here/9"), (.rollbackMergePolicyType, "title", "later/2"),
    ])
    func lastSavesWin(_ policy: NSMergePolicyType, _ late: String, _ expected: String) throws {
        let library = try SQLiteLibrary(LibraryModel.make())
        let (context, other) = (library.context, library.makeContext())
        let slow = SlowPolicy(merge: policy)
        let mine = try context.performAndWait {
            context.mergePolicy = slow
            let book = context.insert("Book", ["title": "one", "pages": 1])
            try context.save()
            return book
        }
        let id = mine.objectID
        func change(_ values: [String: Any]) throws {
            try other.performAndWait {
                let book = try other.existingObject(with: id)
                other.refresh(book, mergeChanges: false)
                book.setValuesForKeys(values)
                try other.save()
            }
        }
        try change(["pages": 2])
        slow.meanwhile = { try change(late == "title" ? ["title": "later"] : ["pages": 3]) }
        try context.performAndWait {
            mine.setValuesForKeys(["title": "here", "pages": 9])
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(slow.meanwhile == nil)
        let reader = library.makeContext()
        try reader.performAndWait {
            let book = try reader.existingObject(with: id)
            #expect("\(book.value(forKey: "title") ?? "nil")/\(book.value(forKey: "pages") ?? "nil")" == expected)
        }
    }
}
