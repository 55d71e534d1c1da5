import CoreDataTestSupport
import Foundation
import Testing

// The rules of the file are told by the layouts of the model.
@testable import CoreData

/// An object is deleted that another context has related to meanwhile: no row leads to the one that is gone.
@Suite("Deletions of objects that others relate to")
struct StaleDeletionTests {
    private let library: SQLiteLibrary
    private var context: NSManagedObjectContext { library.context }

    /// `Author` ⟷ `Passport` one to one, beside the library's relationships.
    init() throws {
        let model = LibraryModel.make()
        let passport = LibraryModel.entity("Passport")
        model.entities.append(passport)
        LibraryModel.relate(
            try #require(model.entitiesByName["Author"]), "passport", many: false, passport, "holder", many: false)
        library = try SQLiteLibrary(model, options: [NSPersistentHistoryTrackingKey: true])
    }

    /// An author in a second context that knows all of its relationships, before the first relates more to it.
    private func makeAuthor(_ other: NSManagedObjectContext) throws -> (here: NSManagedObject, there: NSManagedObject) {
        let author = context.insert("Author", ["name": "Melville"])
        try context.save()
        let same = other.object(with: author.objectID)
        for name in ["books", "passport"] { _ = (same.value(forKey: name) as? Set<NSManagedObject>)?.count }
        return (author, same)
    }

    private func relate(to author: NSManagedObject) throws {
        context.insert("Book", ["author": author])
        context.insert("Passport", ["holder": author])
        try context.save()
    }

    private func expectNoReference() throws {
        #expect(try StoreAuditor(library.url, library.model.layouts).problems() == [])
        let reader = library.makeContext()
        #expect(try reader.fetchAll("Author").isEmpty)
        for (entity, name) in [("Book", "author"), ("Passport", "holder")] {
            let objects = try reader.fetchAll(entity)
            #expect(objects.count == 1 && objects.first?.value(forKey: name) == nil)
        }
    }

    @Test(arguments: [NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType])
    func deletionsThatWinAConflict(_ policy: NSMergePolicyType) throws {
        let other = library.makeContext()
        other.mergePolicy = NSMergePolicy(merge: policy)
        let (here, there) = try makeAuthor(other)
        try relate(to: here)
        other.delete(there)
        try other.save()
        try expectNoReference()
    }

    /// The row was merged while its deletion waited: there is no conflict.
    @Test func deletionsThatAreMerged() throws {
        let other = library.makeContext()
        let (here, there) = try makeAuthor(other)
        other.delete(there)
        other.processPendingChanges()
        let saved = Saved()
        let token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { saved.notification = $0 }
        try relate(to: here)
        NotificationCenter.default.removeObserver(token)
        other.mergeChanges(fromContextDidSave: try #require(saved.notification))
        try other.save()
        try expectNoReference()
    }

    @Test func historyNamesTheRowsThatChanged() throws {
        let other = library.makeContext()
        other.mergePolicy = NSMergePolicy.overwrite
        let (here, there) = try makeAuthor(other)
        try relate(to: here)
        other.delete(there)
        try other.save()
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let last = try #require((result?.result as? [NSPersistentHistoryTransaction])?.last)
        let updates = last.changes?.filter { $0.changeType == .update } ?? []
        let names = updates.map { "\($0.changedObjectID.entity.name ?? "").\($0.updatedProperties?.first?.name ?? "")" }
        #expect(names.sorted() == ["Book.author", "Passport.holder"])
    }

    private final class Saved: @unchecked Sendable {
        var notification: Notification?
    }
}
