import CoreData
import CoreDataTestSupport
import Testing

/// Deletions that the store's newer row denies, under the merge policies in favor of the store.
@Suite("Deletions denied by a merge policy")
struct DeniedDeletionTests {
    private let library: SQLiteLibrary
    private let author: NSManagedObject
    private let book: NSManagedObject
    private let tag: NSManagedObject

    init() throws {
        library = try SQLiteLibrary()
        author = library.context.insert("Author", ["name": "Melville"])
        tag = library.context.insert("Tag", ["word": "sea"])
        book = library.context.insert("Book", ["title": "Moby-Dick", "author": author])
        book.mutableSetValue(forKey: "tags").add(tag)
        try library.context.save()
    }

    private static let policies: [NSMergePolicyType] = [
        .rollbackMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    ]

    /// The book has left its author in the store, and the context has read that: the author stays, without the book.
    @Test(arguments: policies)
    func whatTheStoreTookApartStaysApart(_ policy: NSMergePolicyType) throws {
        let other = library.makeContext()
        other.mergePolicy = NSMergePolicy(merge: policy)
        let theirs = [author, tag, book].map { other.object(with: $0.objectID) }
        #expect((theirs[0].value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
        #expect((theirs[1].value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
        book.setValue(nil, forKey: "author")
        book.setValue(Set<NSManagedObject>(), forKey: "tags")
        author.setValue("Herman Melville", forKey: "name")
        tag.setValue("ocean", forKey: "word")
        try library.context.save()
        other.delete(theirs[0])
        other.delete(theirs[1])
        other.processPendingChanges()
        other.refresh(theirs[2], mergeChanges: true)
        try other.save()
        #expect(!theirs[0].isDeleted && !theirs[1].isDeleted)
        let reader = library.makeContext()
        let saved = try reader.existingObject(with: book.objectID)
        #expect(saved.value(forKey: "author") == nil)
        #expect((saved.value(forKey: "tags") as? Set<NSManagedObject>)?.count == 0)
        #expect(try reader.existingObject(with: author.objectID).value(forKey: "name") as? String == "Herman Melville")
    }

    /// Whose deletion is denied is related to as before, by saved objects and by new ones.
    @Test(arguments: policies)
    func otherRelationshipsAreBack(_ policy: NSMergePolicyType) throws {
        let other = library.makeContext()
        other.mergePolicy = NSMergePolicy(merge: policy)
        let theirs = [author, tag, book].map { other.object(with: $0.objectID) }
        let new = other.insert("Book", ["title": "Typee", "author": theirs[0]])
        for object in theirs[0...1] {
            #expect((object.value(forKey: "books") as? Set<NSManagedObject>)?.isEmpty == false)
        }
        author.setValue("Herman Melville", forKey: "name")
        tag.setValue("ocean", forKey: "word")
        try library.context.save()
        other.delete(theirs[0])
        other.delete(theirs[1])
        try other.save()
        let reader = library.makeContext()
        let books = try reader.existingObject(with: author.objectID).value(forKey: "books") as? Set<NSManagedObject>
        #expect(Set(books?.map(\.objectID) ?? []) == [book.objectID, new.objectID])
        let tags = try reader.existingObject(with: book.objectID).value(forKey: "tags") as? Set<NSManagedObject>
        #expect(tags?.map(\.objectID) == [tag.objectID])
    }
}
