import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A row that changes once more while a conflict about it is being resolved.
@Suite("Conflicts that are overtaken")
struct LateConflictTests {
    /// Lets others save before it does what it stands for.
    private final class SlowPolicy: NSMergePolicy, @unchecked Sendable {
        var meanwhile: (() throws -> Void)?
        var afterwards: (() throws -> Void)?

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            let change = meanwhile
            meanwhile = nil
            try change?()
            try super.resolve(optimisticLockingConflicts: list)
            let last = afterwards
            afterwards = nil
            try last?()
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

    /// Another context saved the same title as this one, so that it is no change here for a while, and then a third title.
    @Test(arguments: [
        (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, "same/9"), (.overwriteMergePolicyType, "same/9"),
        (.mergeByPropertyStoreTrumpMergePolicyType, "third/9"), (.rollbackMergePolicyType, "third/1"),
    ])
    func anEditStaysOneWhileTheStoreAgrees(_ policy: NSMergePolicyType, _ expected: String) throws {
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
        func change(_ title: String) throws {
            try other.performAndWait {
                let book = try other.existingObject(with: id)
                other.refresh(book, mergeChanges: false)
                book.setValue(title, forKey: "title")
                try other.save()
            }
        }
        try change("same")
        slow.afterwards = { try change("third") }
        try context.performAndWait {
            mine.setValuesForKeys(["title": "same", "pages": 9])
            try context.save()
            #expect(!context.hasChanges)
        }
        #expect(slow.afterwards == nil)
        let reader = library.makeContext()
        try reader.performAndWait {
            let book = try reader.existingObject(with: id)
            #expect("\(book.value(forKey: "title") ?? "nil")/\(book.value(forKey: "pages") ?? "nil")" == expected)
        }
    }
}
