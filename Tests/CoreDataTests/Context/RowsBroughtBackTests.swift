import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// A policy in favour of the object inserts a deleted row again, under its key. Contexts that know the old row must not take
/// the new one for it once its version has come as far.
@Suite("Rows brought back after a deletion")
struct RowsBroughtBackTests {
    @Test(
        arguments: [NSMergePolicyType.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType],
        StoreKind.allCases)
    func areNotTakenForTheOldOnes(_ type: NSMergePolicyType, _ store: StoreKind) throws {
        let library = try Library(store: store)
        let first = library.context
        let others = (0..<2).map { _ in library.makeContext() }
        let (second, third) = (others[0], others[1])
        second.mergePolicy = NSMergePolicy(merge: type)
        let id = try first.performAndWait {
            let book = first.insert("Book", ["title": "a", "pages": 1])
            try first.save()
            for title in ["b", "c"] {
                book.setValue(title, forKey: "title")
                try first.save()
            }
            return book.objectID
        }
        let (kept, stale) = try (
            second.performAndWait { try second.existingObject(with: id) },
            third.performAndWait { try third.existingObject(with: id) }
        )
        third.performAndWait { #expect(stale.value(forKey: "title") as? String == "c") }
        try first.performAndWait {
            first.delete(try first.existingObject(with: id))
            try first.save()
        }
        try second.performAndWait {
            for title in ["back", "d", "e"] {
                kept.setValue(title, forKey: "title")
                try second.save()
            }
        }
        third.performAndWait {
            stale.setValue(2, forKey: "pages")
            stale.setValue("stale", forKey: "title")
            let error = #expect(throws: NSError.self) { try third.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        let reader = library.makeContext()
        try reader.performAndWait {
            let titles = try reader.fetchAll("Book").map { $0.value(forKey: "title") as? String }
            #expect(titles == ["e"])
        }
    }

    /// Two contexts that know the same row bring it back one after the other, deleted again in between.
    @Test(arguments: StoreKind.allCases)
    func areNotTakenForOneAnother(_ store: StoreKind) throws {
        let library = try Library(store: store)
        let first = library.context
        let others = (0..<3).map { _ in library.makeContext() }
        let id = try first.performAndWait {
            let book = first.insert("Book", ["title": "a"])
            try first.save()
            return book.objectID
        }
        func delete() throws {
            try first.performAndWait {
                let book = try first.existingObject(with: id)
                first.refresh(book, mergeChanges: false)
                first.delete(book)
                try first.save()
            }
        }
        let known = try others[..<2].map { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            return try context.performAndWait {
                let book = try context.existingObject(with: id)
                context.refresh(book, mergeChanges: false)
                #expect(book.value(forKey: "title") as? String == "a")
                return book
            }
        }
        func bringBack(_ index: Int, title: String) throws {
            try others[index].performAndWait {
                known[index].setValue(title, forKey: "title")
                try others[index].save()
            }
        }
        try delete()
        try bringBack(0, title: "once")
        let third = others[2]
        let stale = try third.performAndWait { try #require(try third.fetchAll("Book").first) }
        third.performAndWait { #expect(stale.value(forKey: "title") as? String == "once") }
        try delete()
        try bringBack(1, title: "twice")
        third.performAndWait {
            stale.setValue("stale", forKey: "title")
            let error = #expect(throws: NSError.self) { try third.save() }
            #expect(error?.code == NSManagedObjectMergeError)
        }
        let reader = library.makeContext()
        try reader.performAndWait {
            let titles = try reader.fetchAll("Book").map { $0.value(forKey: "title") as? String }
            #expect(titles == ["twice"])
        }
    }
}
