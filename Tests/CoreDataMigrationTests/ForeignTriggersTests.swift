import CoreDataTestSupport
import Testing

@testable import CoreData

/// A program's triggers in an inferred migration, on tables that have triggers for derived attributes too.
struct ForeignTriggersTests {
    private func model(_ version: Int) -> NSManagedObjectModel {
        let model = ForeignTablesTests.model(version)
        let count = NSDerivedAttributeDescription()
        count.name = "number"
        count.attributeType = .integer64AttributeType
        count.isOptional = true
        count.derivationExpression = NSExpression(format: "photos.@count")
        model.entitiesByName["Album"]?.properties += [count]
        return model
    }

    private func filled(_ model: NSManagedObjectModel, _ statements: [String]) throws -> MigrationStore {
        let store = try MigrationStore()
        try store.open(model, options: [NSPersistentHistoryTrackingKey: true]) { context in
            let album = context.insert("Album", ["title": "Sea"])
            for name in ["one", "two"] { context.insert("Photo", ["name": name, "old": 7, "album": album]) }
        }
        try ForeignSchema.add(statements, to: store.url)
        return store
    }

    /// Both kinds work after the migration, and those that name what is gone are dropped. By the rule of the file format: the
    /// framework's own triggers are those of its derived attributes, and all others are kept.
    @Test func besideDerivedAttributes() throws {
        let (old, new) = (model(1), model(2))
        let store = try filled(old, ForeignSchema.statements + ForeignSchema.doomed)
        let texts = try ForeignSchema.texts(store.url)
        try store.open(new, options: MigrationStore.automatically) { context in
            let album = try #require(try context.fetchAll("Album").first)
            check(album.value(forKey: "number") as? Int, 2)
            context.insert("Photo", ["name": "three", "album": album])
            try context.save()
            context.refresh(album, mergeChanges: false)
            check(album.value(forKey: "number") as? Int, 3)
        }
        #expect(try ForeignSchema.texts(store.url) == texts)
        #expect(try ForeignSchema.rows(store.url, "SELECT what FROM audit WHERE what LIKE 'new%'") == ["new three"])
        #expect(try ForeignSchema.integrity(store.url) == ["ok"])
    }
}
