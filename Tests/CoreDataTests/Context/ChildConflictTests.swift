import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Edits of child contexts to rows that another stack on the file has changed since the child read them.
///
/// Apple's reference: conflicts are found by comparing "the state of a managed object in memory" with its snapshot, "when it
/// was fetched" ("Change Management", Core Data Programming Guide); a save of a child "commits changes to the parent only one
/// store up" without conflicts, and the child's values win there. So the row that a child has read is the one that the save to
/// the store compares, while what the child's own parents have saved is no conflict.
@Suite("Conflicts of child contexts with the store")
struct ChildConflictTests {
    private let library: SQLiteLibrary
    private let other: NSManagedObjectContext
    private let id: NSManagedObjectID
    private var root: NSManagedObjectContext { library.context }

    init() throws {
        library = try SQLiteLibrary()
        let context = library.context
        id = try context.performAndWait {
            let author = context.insert("Author", ["name": "Jane"])
            let book = context.insert("Book", ["title": "Emma", "pages": 1, "author": author])
            context.insert("Book", ["title": "Persuasion"])
            context.insert("Tag", ["word": "old"])
            try context.save()
            context.reset()
            return book.objectID
        }
        other = try library.makeSecondContext()
    }

    /// The root and children below it, the last of which edits.
    private func chain(_ depth: Int) -> [NSManagedObjectContext] {
        var result = [root]
        for _ in 0..<depth {
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = result[result.count - 1]
            result.append(child)
        }
        return result
    }

    private func book(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "pages < 100")
        return try #require(try context.fetch(request).first)
    }

    /// What another process saves.
    private func change(_ values: [String: Any]) throws {
        try other.performAndWait {
            other.reset()
            try book(other).setValuesForKeys(values)
            try other.save()
        }
    }

    private func saveAll(_ contexts: [NSManagedObjectContext]) throws {
        for context in contexts.reversed() { try context.performAndWait { try context.save() } }
    }

    private func expectConflict(
        _ contexts: [NSManagedObjectContext], _ location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: NSError.self, sourceLocation: location) { try saveAll(contexts) }
        #expect(error?.code == NSManagedObjectMergeError, sourceLocation: location)
    }

    /// What the file has: "title/pages"; nil when the row is gone.
    private func stored() throws -> String? {
        let reader = try library.makeSecondContext()
        return try reader.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages < 100")
            return try reader.fetch(request).first.map {
                "\($0.value(forKey: "title") ?? "nil")/\($0.value(forKey: "pages") ?? "nil")"
            }
        }
    }

    private func increment(_ book: NSManagedObject) {
        book.setValue((book.value(forKey: "pages") as? Int ?? 0) + 1, forKey: "pages")
    }

    // MARK: The parent has not loaded the row

    @Test(arguments: 0...3) func anEditIsRefused(_ depth: Int) throws {
        let contexts = chain(depth), child = contexts[depth]
        try child.performAndWait {
            let book = try book(child)
            #expect(book.value(forKey: "pages") as? Int == 1)
            try change(["pages": 2])
            increment(book)
            expectConflict(contexts)
        }
        #expect(try stored() == "Emma/2")
        // The parent shows what is in the store once it has rolled back, and the edit succeeds on the new row.
        for context in contexts { context.performAndWait { context.rollback() } }
        try root.performAndWait {
            let book = try book(root)
            root.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "pages") as? Int == 2)
        }
        try child.performAndWait {
            child.reset()
            try increment(book(child))
            try saveAll(contexts)
        }
        #expect(try stored() == "Emma/3")
    }

    /// Apple's reference of `NSMergePolicyType`: properties that both sides have changed are the object's, or the store's.
    @Test(
        arguments: [
            (NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, "there/9"),
            (.mergeByPropertyStoreTrumpMergePolicyType, "there/2"), (.rollbackMergePolicyType, "there/2"),
        ], 1...2)
    func theRootsPolicyDecides(_ rule: (NSMergePolicyType, String), _ depth: Int) throws {
        let contexts = chain(depth), child = contexts[depth]
        root.performAndWait { root.mergePolicy = NSMergePolicy(merge: rule.0) }
        try child.performAndWait {
            let book = try book(child)
            #expect(book.value(forKey: "title") as? String == "Emma")
            try change(["pages": 2, "title": "there"])
            book.setValue(9, forKey: "pages")
            try saveAll(contexts)
            #expect(try stored() == rule.1)
            // It is settled: the child's next edit is in no conflict.
            root.performAndWait { root.mergePolicy = NSMergePolicy.error }
            book.setValue(20, forKey: "pages")
            try saveAll(contexts)
        }
        #expect(try stored() == "there/20")
    }

    @Test(arguments: 0...2) func aDeletionIsRefused(_ depth: Int) throws {
        let contexts = chain(depth), child = contexts[depth]
        try child.performAndWait {
            let book = try book(child)
            #expect(book.value(forKey: "pages") as? Int == 1)
            try change(["pages": 2])
            child.delete(book)
            expectConflict(contexts)
        }
        #expect(try stored() == "Emma/2")
    }

    /// Only values that would be overwritten are in conflict below a parent: what the other changed is in the row it reads.
    @Test(arguments: 1...3) func otherPropertiesStayAsTheyAre(_ depth: Int) throws {
        let contexts = chain(depth), child = contexts[depth]
        try child.performAndWait {
            let book = try book(child)
            #expect(book.value(forKey: "pages") as? Int == 1)
            let tag = try #require(try child.fetchAll("Tag").first)
            try change(["pages": 2])
            book.setValue("here", forKey: "title")
            book.mutableSetValue(forKey: "tags").add(tag)
            try saveAll(contexts)
        }
        #expect(try stored() == "here/2")
        let tags = try other.performAndWait {
            other.reset()
            return try (book(other).value(forKey: "tags") as? Set<NSManagedObject>)?.count
        }
        #expect(tags == 1)
    }

    @Test(arguments: 0...2) func aToOneRelationshipIsRefused(_ depth: Int) throws {
        let contexts = chain(depth), child = contexts[depth]
        try child.performAndWait {
            let book = try book(child)
            #expect(book.value(forKey: "author") != nil)
            try other.performAndWait {
                other.reset()
                try self.book(other).setValue(other.insert("Author", ["name": "Charlotte"]), forKey: "author")
                try other.save()
            }
            child.insert("Author", ["name": "Anne"]).mutableSetValue(forKey: "books").add(book)
            expectConflict(contexts)
        }
        let author = try other.performAndWait {
            other.reset()
            return try book(other).value(forKeyPath: "author.name") as? String
        }
        #expect(author == "Charlotte")
    }

    @Test(arguments: [true, false]) func rowsOfBatchesAndPrefetching(_ isBatched: Bool) throws {
        let contexts = chain(1), child = contexts[1]
        try child.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: isBatched ? "Book" : "Author")
            if isBatched { request.fetchBatchSize = 1 }
            request.relationshipKeyPathsForPrefetching = [isBatched ? "author" : "books"]
            let found = try child.fetch(request)
            let book = try #require(
                isBatched
                    ? found.first { $0.objectID == id }
                    : (found.first?.value(forKey: "books") as? Set<NSManagedObject>)?.first)
            #expect(book.value(forKey: "pages") as? Int == 1)
            try change(["pages": 2])
            increment(book)
            expectConflict(contexts)
        }
        #expect(try stored() == "Emma/2")
    }

    // MARK: The parent has loaded a newer row

    @Test(arguments: [true, false]) func onlyValuesThatWouldBeLostAreInConflict(_ isSame: Bool) throws {
        let contexts = chain(1), child = contexts[1]
        try child.performAndWait {
            let mine = try book(child)
            #expect(mine.value(forKey: "pages") as? Int == 1)
            try change(["pages": 2])
            let held = try root.performAndWait {
                let book = try book(root)
                #expect(book.value(forKey: "pages") as? Int == 2)
                return book
            }
            if isSame {
                increment(mine)
                expectConflict(contexts)
                root.performAndWait {
                    root.rollback()
                    #expect(held.value(forKey: "pages") as? Int == 2 && !root.hasChanges)
                }
            } else {
                mine.setValue("here", forKey: "title")
                try saveAll(contexts)
            }
            withExtendedLifetime(held) {}
        }
        #expect(try stored() == (isSame ? "Emma/2" : "here/2"))
    }

    @Test func theParentHasUnsavedChangesOfANewerRow() throws {
        let contexts = chain(1), child = contexts[1]
        try child.performAndWait {
            let mine = try book(child)
            #expect(mine.value(forKey: "pages") as? Int == 1)
            try change(["pages": 2])
            try root.performAndWait { try book(root).setValue("root", forKey: "title") }
            increment(mine)
            expectConflict(contexts)
        }
        #expect(try stored() == "Emma/2")
    }

    @Test func theParentHasUnsavedChangesOfAnOlderRow() throws {
        let contexts = chain(1), child = contexts[1]
        let held = try root.performAndWait {
            let book = try book(root)
            book.setValue("root", forKey: "title")
            return book
        }
        try change(["pages": 2])
        try child.performAndWait {
            try increment(book(child))
            expectConflict(contexts)
        }
        withExtendedLifetime(held) {}
        #expect(try stored() == "Emma/2")
    }

    // MARK: No conflicts

    @Test(arguments: 1...3) func whatItsOwnParentsSaveIsNoConflict(_ depth: Int) throws {
        let contexts = chain(depth), child = contexts[depth]
        let sibling = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        sibling.parent = contexts[depth - 1]
        try child.performAndWait {
            let mine = try book(child)
            for pages in 2...5 {
                mine.setValue(pages, forKey: "pages")
                try saveAll(contexts)
                // Another child of the same parent, and the root itself.
                try sibling.performAndWait {
                    try book(sibling).setValue(50, forKey: "pages")
                    try saveAll(contexts.dropLast() + [sibling])
                    sibling.reset()
                }
                try root.performAndWait {
                    try book(root).setValue(60, forKey: "pages")
                    try root.save()
                }
            }
            mine.setValue(7, forKey: "pages")
            try saveAll(contexts)
        }
        #expect(try stored() == "Emma/7")
    }

    @Test(arguments: 1...3) func objectsMadeInTheChild(_ depth: Int) throws {
        let contexts = chain(depth), child = contexts[depth]
        try child.performAndWait {
            child.delete(try book(child))
            let mine = child.insert("Book", ["title": "Sanditon", "pages": 1])
            try saveAll(contexts)
            for pages in 2...4 {
                mine.setValue(pages, forKey: "pages")
                try saveAll(contexts)
            }
            try change(["pages": 20])
            increment(mine)
            expectConflict(contexts)
        }
        #expect(try stored() == "Sanditon/20")
    }

    @Test(arguments: [false, true]) func aChildThatIsRefreshedReadsTheNewRow(_ isMerged: Bool) throws {
        let contexts = chain(1), child = contexts[1]
        try child.performAndWait {
            let mine = try book(child)
            #expect(mine.value(forKey: "pages") as? Int == 1)
            try change(["pages": 2])
            if isMerged { mine.setValue("here", forKey: "title") }
            child.refresh(mine, mergeChanges: isMerged)
            increment(mine)
            try saveAll(contexts)
        }
        #expect(try stored() == (isMerged ? "here/3" : "Emma/3"))
    }

    /// Values of the parent that were never saved are not taken for the store's.
    @Test func valuesThatTheParentHasTakenBack() throws {
        let contexts = chain(1), child = contexts[1]
        let mine = try child.performAndWait {
            try root.performAndWait { try book(root).setValue("draft", forKey: "title") }
            let mine = try book(child)
            #expect(mine.value(forKey: "title") as? String == "draft")
            return mine
        }
        root.performAndWait { root.rollback() }
        try change(["pages": 2])
        child.performAndWait {
            increment(mine)
            expectConflict(contexts)
        }
        try root.performAndWait {
            root.rollback()
            let book = try root.existingObject(with: id)
            #expect(book.value(forKey: "title") as? String == "Emma" && book.value(forKey: "pages") as? Int == 2)
        }
        #expect(try stored() == "Emma/2")
    }
}
