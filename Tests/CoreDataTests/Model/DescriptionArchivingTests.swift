import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Single descriptions in keyed archives, the secure kind.
@Suite("Descriptions in archives")
struct DescriptionArchivingTests {
    private func revived<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
    }

    private func library() -> NSManagedObjectModel {
        let model = makeModel([
            ("Base abstract", "id: uuid?"),
            (
                "Book : Base unique=(title)",
                "title: string modifier=\"2\"; pages: i16?; cover: data? external preserve; "
                    + "author -> Author.books 0..1?; sequels -> Book.prequels 0..0? ordered; "
                    + "prequels -> Book.sequels 0..0?"
            ),
            ("Author", "name: string?; books -> Book.author 0..0?"),
        ])
        let book = model.entitiesByName["Book"]
        book?.userInfo = ["shelf": "A"]
        book?.renamingIdentifier = "OldBook"
        let title = book?.attributesByName["title"]
        title?.defaultValue = "Untitled"
        title?.setValidationPredicates([NSPredicate(format: "length > 1")], withValidationWarnings: ["Too short"])
        return model
    }

    @Test("An attribute says the same after an archive, and is editable")
    func attributes() throws {
        let model = library()
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        for (name, attribute) in model.entitiesByName["Book"]?.attributesByName ?? [:] {
            let copy = try revived(attribute)
            #expect(copy.name == name)
            #expect(copy.versionHash == attribute.versionHash)
            #expect(copy.attributeType == attribute.attributeType)
            #expect(copy.defaultValue as? String == attribute.defaultValue as? String)
            #expect(copy.validationPredicates == attribute.validationPredicates)
            #expect(copy.validationWarnings as? [String] == attribute.validationWarnings as? [String])
            #expect(copy.allowsExternalBinaryDataStorage == attribute.allowsExternalBinaryDataStorage)
            #expect(copy.preservesValueInHistoryOnDeletion == attribute.preservesValueInHistoryOnDeletion)
            copy.name = "other"
        }
    }

    @Test("Each kind of property comes back as what it is")
    func kinds() throws {
        let derived = NSDerivedAttributeDescription()
        derived.name = "plain"
        derived.type = .string
        derived.derivationExpression = NSExpression(format: "canonical:(title)")
        #expect(try revived(derived) == derived)
        #expect(try revived(NSDerivedAttributeDescription()).derivationExpression == nil)

        let city = NSAttributeDescription()
        (city.name, city.type) = ("city", .string)
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [city]
        #expect(try revived(address) == address)

        let fetched = NSFetchedPropertyDescription()
        fetched.name = "namesakes"
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "title == $FETCH_SOURCE.title")
        fetched.fetchRequest = request
        let again = try revived(fetched)
        #expect(again.isTransient)
        #expect(again.fetchRequest?.entityName == "Book")
        #expect(again.fetchRequest?.predicate == request.predicate)

        let total = NSExpressionDescription()
        (total.name, total.resultType, total.userInfo) = ("total", .double, ["a": "b"])
        total.expression = NSExpression(format: "sum:(pages)")
        let sum = try revived(total)
        #expect(sum == total)
        #expect(sum.expression == total.expression)
        #expect(sum.userInfo?["a"] as? String == "b")
    }

    @Test("A relationship keeps the names of its other end until it is in a model")
    func relationship() throws {
        let model = library()
        let author = try #require(model.entitiesByName["Book"]?.relationshipsByName["author"])
        let copy = try revived(author)
        #expect(copy.destinationEntity == nil)
        #expect(copy.maxCount == 1)
        #expect(copy.versionHash == author.versionHash)
        #expect(try revived(copy).versionHash == author.versionHash)

        let writer = NSEntityDescription()
        writer.name = "Author"
        let book = NSEntityDescription()
        book.name = "Book"
        book.properties = [copy]
        writer.properties = [
            try revived(try #require(model.entitiesByName["Author"]?.relationshipsByName["books"]))
        ]
        let other = NSManagedObjectModel()
        other.entities = [writer, book]
        #expect(copy.destinationEntity === writer)
        #expect(copy.inverseRelationship === writer.relationshipsByName["books"])
        #expect(copy.inverseRelationship?.inverseRelationship === copy)
    }

    @Test("Entities archived one by one make the same model again")
    func entities() throws {
        let model = library()
        let attribute = try #require(model.entitiesByName["Base"]?.attributesByName["id"])
        let book = try #require(model.entitiesByName["Book"])
        book.indexes = [
            NSFetchIndexDescription(
                name: "byID",
                elements: [
                    NSFetchIndexElementDescription(property: attribute, collationType: .binary),
                    NSFetchIndexElementDescription(
                        property: try #require(book.attributesByName["title"]), collationType: .binary),
                ])
        ]
        let lone = try #require(book.copy() as? NSEntityDescription)
        let copy = try revived(lone)
        #expect(copy == lone)
        #expect(copy.userInfo?["shelf"] as? String == "A")
        // Relationships to itself need no model.
        #expect(copy.relationshipsByName["sequels"]?.destinationEntity === copy)
        #expect(
            copy.relationshipsByName["sequels"]?.inverseRelationship === copy.relationshipsByName["prequels"])
        #expect(copy.relationshipsByName["author"]?.destinationEntity == nil)

        let again = NSManagedObjectModel()
        again.entities = try [book, try #require(model.entitiesByName["Author"])].map { try revived($0) }
        #expect(again.entitiesByName["Book"]?.superentity == nil)
        let base = try #require(model.entitiesByName["Base"]?.copy() as? NSEntityDescription)
        again.entities.append(base)
        #expect(again == model)
        #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
        let elements = try #require(again.entitiesByName["Book"]?.indexes.first?.elements)
        #expect(elements.map { $0.property?.entity.name } == ["Base", "Book"])
    }

    @Test("An entity takes its subentities along")
    func subentities() throws {
        let model = library()
        let base = try revived(try #require(model.entitiesByName["Base"]))
        let book = try #require(base.subentities.first)
        #expect(book.superentity === base)
        #expect(Set(book.attributesByName.keys) == ["id", "title", "pages", "cover"])
        #expect(book.relationshipsByName["sequels"]?.destinationEntity === book)
    }

    @Test("An index comes back with elements that find their properties in the entity it is given to")
    func indexes() throws {
        let entity = library().entitiesByName["Book"]?.copy() as? NSEntityDescription
        let title = try #require(entity?.attributesByName["title"])
        let element = NSFetchIndexElementDescription(property: title, collationType: .binary)
        element.isAscending = false
        #expect(try revived(element) == element)
        let index = NSFetchIndexDescription(name: "byTitle", elements: [element])
        index.partialIndexPredicate = NSPredicate(format: "pages > 10")
        let copy = try revived(index)
        #expect(copy == index)
        #expect(copy.elements[0].property !== title)
        entity?.indexes = [copy]
        #expect(copy.elements[0].property === title)
    }

    @Test("Archives of something else give errors")
    func damaged() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: NSString(string: "x"), requiringSecureCoding: true)
        #expect(throws: (any Error).self) {
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
            unarchiver.requiresSecureCoding = false
            unarchiver.decodingFailurePolicy = .setErrorAndReturn
            let entity = NSEntityDescription(coder: unarchiver)
            #expect(entity == nil)
            if let error = unarchiver.error { throw error }
        }
    }
}
