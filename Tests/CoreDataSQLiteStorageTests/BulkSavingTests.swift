import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Saves of many objects, which write several rows at once.
@Suite
struct BulkSavingTests {
    private func makeLibrary() throws -> SQLiteLibrary {
        let model = LibraryModel.make()
        let word = LibraryModel.entity("Word")
        word.properties = [
            LibraryModel.attribute("word", .stringAttributeType),
            LibraryModel.attribute("count", .integer32AttributeType, default: 0),
        ]
        word.uniquenessConstraints = [["word"]]
        model.entities.append(word)
        return try SQLiteLibrary(model)
    }

    private func counts(_ context: NSManagedObjectContext) throws -> [String: Int] {
        let pairs = try context.fetchAll("Word").map {
            ($0.value(forKey: "word") as? String ?? "nil", $0.value(forKey: "count") as? Int ?? 0)
        }
        return Dictionary(pairs) { $0 + $1 }
    }

    @Test(arguments: [63, 64, 65, 79, 80, 200])
    func everyRowHasItsValues(_ number: Int) throws {
        let library = try makeLibrary()
        let context = library.context
        let tags = (0..<number).map { context.insert("Tag", ["word": "w\($0)"]) }
        // Rows without text among them, and objects of another entity, some of which go again.
        for index in stride(from: 0, to: number, by: 7) { tags[index].setValue(nil, forKey: "word") }
        let books = (0..<number).map { context.insert("Book", ["title": "b\($0)"]) }
        for (book, tag) in zip(books, tags) { tag.mutableSetValue(forKey: "books").add(book) }
        for index in stride(from: 0, to: number, by: 5) { context.delete(books[index]) }
        try context.save()
        #expect(Set(tags.map(\.objectID)).count == number && tags.allSatisfy { !$0.objectID.isTemporaryID })

        let other = try library.makeSecondContext()
        for (index, tag) in tags.enumerated() {
            let id = try #require(
                other.persistentStoreCoordinator?.managedObjectID(
                    forURIRepresentation: tag.objectID.uriRepresentation()))
            let same = try other.existingObject(with: id)
            #expect(same.value(forKey: "word") as? String == (index % 7 == 0 ? nil : "w\(index)"))
            let titles = (same.value(forKey: "books") as? Set<NSManagedObject> ?? []).map {
                $0.value(forKey: "title") as? String
            }
            #expect(titles == (index % 5 == 0 ? [] : ["b\(index)"]))
        }
    }

    @Test func everyDuplicateIsFound() throws {
        let library = try makeLibrary()
        let context = library.context
        let taken = ["w0", "w3", "w15", "w16", "w40", "w41", "w150", "w199"]
        for word in taken { context.insert("Word", ["word": word, "count": -1]) }
        try context.save()
        context.reset()

        let words = (0..<200).map { context.insert("Word", ["word": "w\($0)", "count": $0]) }
        let error = try #require(throws: NSError.self) { try context.save() }
        let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict] ?? []
        #expect(conflicts.map { $0.constraintValues["word"] as? String } == taken)
        #expect(conflicts.flatMap(\.conflictingObjects) == taken.map { words[Int($0.dropFirst())!] })
        #expect(context.insertedObjects == Set(words))
        #expect(try counts(library.makeSecondContext()) == Dictionary(uniqueKeysWithValues: taken.map { ($0, -1) }))

        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(
            try counts(library.makeSecondContext())
                == Dictionary(uniqueKeysWithValues: (0..<200).map { ("w\($0)", $0) }))
    }

    /// Two of the rows that are written at once have the same values.
    @Test(arguments: [(10, 12), (10, 100), (0, 127), (126, 127)])
    func duplicatesAmongTheNewAreFound(_ first: Int, _ second: Int) throws {
        let library = try makeLibrary()
        let context = library.context
        context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        for index in 0..<128 {
            context.insert("Word", ["word": "w\(index == second ? first : index)", "count": 1])
        }
        try context.save()
        let saved = try counts(library.makeSecondContext())
        #expect(saved.count == 127 && saved.values.allSatisfy { $0 == 1 })
    }

    /// Of many rows that are deleted, some were changed or deleted by somebody else meanwhile.
    @Test func deletionsNoticeConflicts() throws {
        let library = try makeLibrary()
        let context = library.context
        let words = (0..<100).map { context.insert("Word", ["word": "w\($0)", "count": 1]) }
        try context.save()
        words[50].setValue(2, forKey: "count")
        try context.save()

        let other = try library.makeSecondContext()
        let known = Dictionary(
            uniqueKeysWithValues: try other.fetchAll("Word").map { ($0.value(forKey: "word") as! String, $0) })
        known["w7"]?.setValue(7, forKey: "count")
        if let gone = known["w8"] { other.delete(gone) }
        try other.save()

        for word in words { context.delete(word) }
        let error = try #require(throws: NSError.self) { try context.save() }
        let conflicts = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict] ?? []
        #expect(Set(conflicts.map(\.sourceObject)).isSubset(of: [words[7], words[8]]) && !conflicts.isEmpty)
        #expect(try counts(library.makeSecondContext()).count == 99)

        context.mergePolicy = NSMergePolicy.overwrite
        try context.save()
        #expect(try counts(library.makeSecondContext()).isEmpty)
    }
}
