import CoreData
import CoreDataTestSupport
import Testing

/// Mapping models as Xcode keeps them are XML stores written by Apple's framework.
@Suite("XML stores made by Apple's framework", .enabled(if: RealStores.areAvailable, RealStores.comment))
struct AppleXMLStoreTests {
    private let sample = RealStores.folder.appendingPathComponent("sample/V2toV3.xcmappingmodel/xcmapping.xml")

    /// The part of Xcode's model the test looks at.
    private func model() -> NSManagedObjectModel {
        let mapping = LibraryModel.entity("XDDevEntityMapping"),
            attribute = LibraryModel.entity("XDDevAttributeMapping")
        mapping.properties = [
            LibraryModel.attribute("destinationName", .stringAttributeType),
            LibraryModel.attribute("mappingNumber", .integer16AttributeType),
            LibraryModel.attribute("autoGenerateExpression", .booleanAttributeType),
        ]
        attribute.properties = [LibraryModel.attribute("name", .stringAttributeType)]
        LibraryModel.relate(mapping, "attributeMappings", many: true, attribute, "entityMapping", many: false)
        let model = NSManagedObjectModel()
        model.entities = [mapping, attribute]
        return model
    }

    @Test func metadataIsRead() throws {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSXMLStoreType, at: sample)
        #expect(metadata[NSStoreUUIDKey] as? String == "498313E6-D672-4887-A947-08765F4F1012")
        #expect(metadata["NSPersistenceFrameworkVersion"] as? Int == 1044)
        let hashes = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
        #expect(hashes.count == 5)
        #expect(hashes.values.allSatisfy { $0.count == 32 })
    }

    @Test func objectsAreReadAndWrittenBack() throws {
        let folder = try TemporaryFolder()
        let url = folder.file("mapping.xml")
        try FileManager.default.copyItem(at: sample, to: url)
        let options = [NSIgnorePersistentStoreVersioningOption: true]
        func check(_ context: NSManagedObjectContext) throws {
            let request = NSFetchRequest<NSManagedObject>(entityName: "XDDevEntityMapping")
            request.predicate = NSPredicate(format: "mappingNumber == 4")
            let car = try #require(try context.fetch(request).first)
            #expect(car.objectID.uriRepresentation().lastPathComponent == "p103")
            #expect(car.value(forKey: "destinationName") as? String == "SportCar")
            #expect(car.value(forKey: "autoGenerateExpression") as? Bool == true)
            let attributes = try #require(car.value(forKey: "attributeMappings") as? Set<NSManagedObject>)
            #expect(
                Set(attributes.map { $0.objectID.uriRepresentation().lastPathComponent }) == ["p113", "p114", "p133"])
        }
        try Library(model(), type: NSXMLStoreType, at: url, options: options).perform { context in
            try check(context)
            // New objects go on where Apple's numbering stopped.
            let new = context.insert("XDDevAttributeMapping", ["name": "new"])
            try context.save()
            #expect(new.objectID.uriRepresentation().lastPathComponent == "p134")
        }
        try Library(model(), type: NSXMLStoreType, at: url, options: options).perform { context in
            try check(context)
        }
        let text = try String(contentsOf: url, encoding: .utf8)
        #expect(text.contains("<nextObjectID>134</nextObjectID>"))
        #expect(text.contains("<UUID>498313E6-D672-4887-A947-08765F4F1012</UUID>"))
        #expect(
            text.contains(
                """
                    <object type="XDDEVATTRIBUTEMAPPING" id="z102">
                        <attribute name="name" type="string">markedForDeletionAsOf</attribute>
                        <relationship name="entitymapping"
                """))
    }
}
