import CoreData
import CoreDataTestSupport
import Testing

/// Fetch indexes whose elements are expressions: `self` is the key, `entity` the entity's number.
@Suite("Expression elements of fetch indexes")
struct ExpressionIndexTests {
    private static func element(_ name: String, ascending: Bool = true) -> NSFetchIndexElementDescription {
        let expression = NSExpressionDescription()
        expression.name = name
        expression.expression =
            name == "self" ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: name)
        let element = NSFetchIndexElementDescription(property: expression, collationType: .binary)
        element.isAscending = ascending
        return element
    }

    /// Photos of two kinds, with indexes over key and entity besides attributes. The older mirror of compound indexes is
    /// there as well, naming the expressions as if they were properties.
    private static func entities(mirrored: Bool) -> [NSEntityDescription] {
        let asset = FormatStore.entity("Asset"), video = FormatStore.entity("Video")
        let day = LibraryModel.attribute("day", .dateAttributeType)
        asset.properties.append(day)
        asset.subentities = [video]
        let attribute = NSFetchIndexElementDescription(property: day, collationType: .binary)
        asset.indexes = [
            NSFetchIndexDescription(name: "byDay", elements: [attribute, element("self", ascending: false)]),
            NSFetchIndexDescription(name: "byKind", elements: [element("entity"), element("self")]),
        ]
        if mirrored {
            let name = NSFetchIndexElementDescription(property: asset.properties[0], collationType: .binary)
            let other = NSFetchIndexElementDescription(property: day, collationType: .binary)
            video.indexes = [NSFetchIndexDescription(name: "byBoth", elements: [name, other])]
            asset.compoundIndexes = [["day", "self"], ["entity", "self"]]
            video.compoundIndexes = [["name", "day"]]
        }
        return [asset, video]
    }

    @Test(arguments: [true, false])
    func theirColumnsAreKeyAndEntity(mirrored: Bool) throws {
        let store = try FormatStore(Self.entities(mirrored: mirrored))
        #expect(
            try store.sql("SELECT sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z\\_Asset%' ESCAPE '\\'")
                == [
                    "CREATE INDEX Z_Asset_byDay ON ZASSET (ZDAY COLLATE BINARY ASC, Z_PK COLLATE BINARY DESC)",
                    "CREATE INDEX Z_Asset_byKind ON ZASSET (Z_ENT COLLATE BINARY ASC, Z_PK COLLATE BINARY ASC)",
                ])
        let ofVideos = try store.sql(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z\\_Video%' ESCAPE '\\'")
        #expect(ofVideos == (mirrored ? ["Z_Video_byBoth"] : []))
        store.context.insert("Video", ["name": "v"])
        try store.context.save()
        try store.reopen()
        #expect(try store.named("Asset").keys.sorted() == ["v"])
        #expect(try store.problems().isEmpty)
    }

    @Test func copiesOfTheModelKeepThem() throws {
        let model = NSManagedObjectModel()
        model.entities = Self.entities(mirrored: true)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let index = try #require(copy.entitiesByName["Asset"]?.indexes.last)
        #expect(
            index.elements.map { ($0.property as? NSExpressionDescription)?.expression?.description } == [
                "entity", "SELF",
            ])
    }

    /// In compiled models and in the copy that a store carries.
    @Test func compiledModelsKeepThem() throws {
        let folder = try TemporaryFolder()
        let model = NSManagedObjectModel()
        model.entities = Self.entities(mirrored: false)
        try model.write(to: folder.file("Assets.mom"))
        let read = try #require(NSManagedObjectModel(contentsOf: folder.file("Assets.mom")))
        #expect(read.entitiesByName["Asset"]?.indexes.map(\.elements.count).sorted() == [2, 2])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: read)
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("Assets.sqlite"))
        let cached = try NSManagedObjectModel(cachedInStoreAt: folder.file("Assets.sqlite"))
        #expect(cached.entitiesByName["Asset"]?.indexes.count == 2)
    }

    /// Made and filled by a model without the index, as after an index was added: that needs no migration.
    @Test func aFileWithoutTheIndexOpens() throws {
        let store = try FormatStore(Self.entities(mirrored: false))
        store.close()
        try store.run("DROP INDEX Z_Asset_byKind")
        try store.reopen()
        #expect(try store.context.fetchAll("Asset").isEmpty)
    }
}
