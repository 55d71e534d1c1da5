import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The text of an error is often all that a log has: it names the entity, the property, the value and the objects. Codes and keys
/// of the user info are Apple's and are tested elsewhere. Apple's framework describes a conflict by its code alone.
@Suite("Descriptions of errors of saves")
struct ErrorDescriptionTests {
    let library: SQLiteLibrary
    var context: NSManagedObjectContext { library.context }

    init() throws {
        let model = LibraryModel.make()
        let tag = try #require(model.entitiesByName["Tag"])
        tag.properties += [
            LibraryModel.attribute("count", .integer32AttributeType),
            LibraryModel.attribute("image", .binaryDataAttributeType),
        ]
        tag.uniquenessConstraints = [["word"]]
        tag.attributesByName["count"]?.setValidationPredicates(
            [NSPredicate(format: "SELF <= 150")], withValidationWarnings: ["Too many."])
        tag.attributesByName["image"]?.setValidationPredicates(
            [NSPredicate(format: "SELF == nil")], withValidationWarnings: ["No images."])
        model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .denyDeleteRule
        library = try SQLiteLibrary(model)
    }

    /// The error of a save, after checking that what it prints is one short line without a placeholder.
    private func failure(_ context: NSManagedObjectContext) throws -> NSError {
        let error = try #require(throws: NSError.self) { try context.save() }
        for text in ["\(error)", error.localizedDescription] {
            #expect(!text.contains("(null)") && !text.contains("\n") && text.count < 4000, "\(text)")
        }
        return error
    }

    private static func uri(_ object: NSManagedObject) -> String { object.objectID.uriRepresentation().absoluteString }

    /// The beginning is Apple's sentence, which programs may show or compare.
    @Test func aMissingValue() throws {
        try context.performAndWait {
            let author = context.insert("Author")
            let error = try failure(context)
            #expect(error.code == NSValidationMissingMandatoryPropertyError)
            #expect(
                error.localizedDescription
                    == "name is a required value. Author.name of \(Self.uri(author)) is required, but nil.")
            #expect("\(error)".hasPrefix("Error Domain=NSCocoaErrorDomain Code=1570 \"name is a required value."))
            #expect("\(error)".contains("NSValidationErrorObject=<Author \(Self.uri(author))>"))
        }
    }

    /// The model's own message is shown to users as it is; the rest is the failure reason. Bytes are not printed.
    @Test func aMessageOfTheModelAndBinaryData() throws {
        try context.performAndWait {
            let tag = context.insert("Tag", ["image": Data("secret".utf8)])
            let error = try failure(context)
            #expect(error.localizedDescription == "No images.")
            let reason = try #require(error.localizedFailureReason)
            #expect(reason.hasPrefix("Tag.image of \(Self.uri(tag)) is 6 bytes, against the rule "), "\(reason)")
            #expect("\(error)".contains("NSValidationErrorValue=6 bytes"))
        }
    }

    @Test func severalErrors() throws {
        try context.performAndWait {
            let author = context.insert("Author")
            context.insert("Tag", ["count": 200])
            let text = try failure(context).localizedDescription
            #expect(text.hasPrefix("2 validation errors: "))
            #expect(text.contains("Author.name of \(Self.uri(author)) is required, but nil"))
            // The model's own message.
            #expect(text.contains("; Too many"))
            for _ in 0..<100 { context.insert("Author") }
            #expect(try failure(context).localizedDescription.hasSuffix("; and 97 more."))
        }
    }

    @Test func aDeniedDeletion() throws {
        try context.performAndWait {
            let author = context.insert("Author", ["name": "Austen"])
            let book = context.insert("Book", ["title": "Emma", "author": author])
            try context.save()
            context.delete(author)
            let error = try failure(context)
            #expect(error.code == NSValidationRelationshipDeniedDeleteError)
            #expect(
                error.localizedDescription.hasSuffix(
                    "Author.books of \(Self.uri(author)) still has [<Book \(Self.uri(book))>]."))
            #expect(error.localizedRecoverySuggestion?.contains("deny") == true)
        }
    }

    @Test func aValueThatMustBeUnique() throws {
        try context.performAndWait {
            let first = context.insert("Tag", ["word": "novel"])
            try context.save()
            let second = context.insert("Tag", ["word": "novel"])
            let error = try failure(context)
            #expect(error.code == NSManagedObjectConstraintMergeError)
            #expect(
                error.localizedDescription == "Tag.word \"novel\" is already used by <Tag \(Self.uri(first))>.")
            context.delete(second)
            let pair = ["drama", "drama"].map { context.insert("Tag", ["word": $0]) }
            let text = try failure(context).localizedDescription
            #expect(text.hasPrefix("Tag.word \"drama\" is used by 2 objects of this save, "))
            for tag in pair { #expect(text.contains("<Tag \(Self.uri(tag))>")) }
        }
    }

    @Test(arguments: [false, true]) func aChangeSavedMeanwhile(_ deletes: Bool) throws {
        try context.performAndWait {
            let book = context.insert("Book", ["title": "one", "pages": 1])
            try context.save()
            let other = library.makeContext()
            try other.performAndWait {
                let same = try other.existingObject(with: book.objectID)
                if deletes { other.delete(same) } else { same.setValuesForKeys(["title": "there", "pages": 2]) }
                try other.save()
            }
            book.setValue("here", forKey: "title")
            let error = try failure(context)
            #expect(error.code == NSManagedObjectMergeError)
            let end = deletes ? "deleted from the store" : "changed in the store (title \"here\" here, \"there\" there)"
            #expect(
                error.localizedDescription
                    == "The changes conflict with others saved meanwhile: <Book \(Self.uri(book))> was \(end).")
        }
    }
}
