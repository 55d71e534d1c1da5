import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import ModelFormat
import ModelPredicates
import StoreTools
import Testing

/// The columns of a schema hold what objects have.
@Suite struct SchemaValuesTests {
    /// An object's URI, and what its relationships have, by name.
    private struct Saved {
        var uri: URL
        var entity: String
        var attributes: [String: Int64]
        var toOnes: [String: URL?]
        var toManys: [String: [URL]]
    }

    @Test func relationshipsOfRandomModels() throws {
        let folder = try TemporaryFolder()
        var links = 0
        for seed in 0..<LongForm.choose(8, long: 80) {
            var models = SchemaRandomModels(seed: 5000 + seed, redeclares: false)
            var model = models.make()
            // Constraints would refuse some of the values.
            for index in model.entities.indices { model.entities[index].uniquenessConstraints = [] }
            let file = folder.file("\(seed).mom")
            try model.archive(parser: FormatTextParser()).write(to: file)
            let built = try #require(NSManagedObjectModel(contentsOf: file))
            let url = folder.file("\(seed).sqlite")
            var generator = SeededGenerator(seed: UInt64(seed))
            var saved: [Saved] = []
            try SchemaTestStore.open(built, at: url) { Self.fill($0, built, &generator) }
            // An object can be in one relationship without inverse only, whatever was set.
            try SchemaTestStore.open(built, at: url) { context in
                for entity in built.entities where entity.superentity == nil {
                    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name!)
                    saved += try context.fetch(request).map(Self.saved)
                }
            }
            let database = try SchemaTestStore.database(url)
            let schema = try StoreDescription(database).schema()
            for object in saved { links += try Self.check(object, schema, database, "seed \(seed)") }
        }
        #expect(links > 200)
    }

    // MARK: Objects

    private static func fill(
        _ context: NSManagedObjectContext, _ model: NSManagedObjectModel, _ generator: inout SeededGenerator
    ) {
        var objects: [NSManagedObject] = []
        for entity in model.entities.filter({ !$0.isAbstract }).sorted(by: { $0.name! < $1.name! }) {
            for _ in 0..<3 {
                let object = NSEntityDescription.insertNewObject(forEntityName: entity.name!, into: context)
                for (name, attribute) in entity.attributesByName
                where attribute.attributeType == .integer64AttributeType && !attribute.isTransient
                    && !(attribute is NSDerivedAttributeDescription)
                {
                    object.setValue(Int64.random(in: 0..<1000, using: &generator), forKey: name)
                }
                objects.append(object)
            }
        }
        for object in objects {
            for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key })
            where !relationship.isTransient {
                let fitting = objects.filter { $0.entity.isKindOf(entity: relationship.destinationEntity!) }
                guard !fitting.isEmpty, Int.random(in: 0..<100, using: &generator) < 60 else { continue }
                let chosen = fitting.shuffled(using: &generator).prefix(relationship.isToMany ? 3 : 1)
                if !relationship.isToMany {
                    object.setValue(chosen[0], forKey: name)
                } else if relationship.isOrdered {
                    object.setValue(NSOrderedSet(array: Array(chosen)), forKey: name)
                } else {
                    object.setValue(Set(chosen), forKey: name)
                }
            }
        }
    }

    private static func saved(_ object: NSManagedObject) -> Saved {
        var saved = Saved(
            uri: object.objectID.uriRepresentation(), entity: object.entity.name!, attributes: [:], toOnes: [:],
            toManys: [:])
        for (name, attribute) in object.entity.attributesByName where attribute.attributeType == .integer64AttributeType
        {
            guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription) else { continue }
            saved.attributes[name] = object.value(forKey: name) as? Int64
        }
        for (name, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
            // What a transient inverse would hold is not stored.
            if relationship.inverseRelationship?.isTransient == true { continue }
            if !relationship.isToMany {
                saved.toOnes[name] = (object.value(forKey: name) as? NSManagedObject)?.objectID.uriRepresentation()
            } else if relationship.isOrdered {
                let set = object.mutableOrderedSetValue(forKey: name)
                saved.toManys[name] = set.array.map { ($0 as! NSManagedObject).objectID.uriRepresentation() }
            } else {
                let set = object.value(forKey: name) as! Set<NSManagedObject>
                saved.toManys[name] = set.map { $0.objectID.uriRepresentation() }
            }
        }
        return saved
    }

    // MARK: Rows

    private static func key(_ uri: URL) -> Int64 { Int64(uri.lastPathComponent.dropFirst()) ?? 0 }
    private static func entity(_ uri: URL) -> String { uri.deletingLastPathComponent().lastPathComponent }

    /// Compares one object with its row; returns the number of links.
    private static func check(
        _ object: Saved, _ schema: StoreSchema, _ database: Database, _ comment: Comment
    ) throws -> Int {
        let entity = try #require(schema.entity(named: object.entity))
        let key = key(object.uri)
        let number = try database.integer("SELECT Z_ENT FROM \(entity.table) WHERE Z_PK = \(key)")
        #expect(number == Int64(entity.number), comment)
        for (name, value) in object.attributes {
            let column = try #require(entity.attributes.first { $0.path == name }?.column)
            let found = try database.integer("SELECT \(column) FROM \(entity.table) WHERE Z_PK = \(key)")
            #expect(found == value, comment)
        }
        var links = 0
        for (name, value) in object.toOnes {
            let place = try #require(entity.toOnes.first { $0.name == name })
            let found = try database.integer("SELECT \(place.column) FROM \(entity.table) WHERE Z_PK = \(key)")
            #expect(found == value.map(Self.key), comment)
            guard let column = place.entityColumn, let value else { continue }
            let number = try database.integer("SELECT \(column) FROM \(entity.table) WHERE Z_PK = \(key)")
            #expect(number == schema.entity(named: Self.entity(value)).map { Int64($0.number) }, comment)
        }
        for (name, value) in object.toManys {
            let place = try #require(entity.toManys.first { $0.name == name })
            let sql: String
            let isSorted: Bool
            switch place.place {
            case .foreignKey(let table, let column, _, let order):
                sql = "SELECT Z_PK FROM \(table) WHERE \(column) = \(key)" + (order.map { " ORDER BY \($0)" } ?? "")
                isSorted = order != nil
            case .join(let table, let source, let target, _) where place.isOwnInverse:
                // Pairs in either direction, which are read without their order.
                sql =
                    "SELECT \(target) FROM \(table) WHERE \(source) = \(key) "
                    + "UNION SELECT \(source) FROM \(table) WHERE \(target) = \(key)"
                isSorted = false
            case .join(let table, let source, let target, let order):
                sql =
                    "SELECT \(target) FROM \(table) WHERE \(source) = \(key)" + (order.map { " ORDER BY \($0)" } ?? "")
                isSorted = order != nil
            }
            #expect(isSorted == (place.isOrdered && !place.isOwnInverse), comment)
            var found: [Int64] = []
            let statement = try database.prepare(sql)
            while try statement.step() { found.append(statement.integer(0)) }
            let expected = value.map(Self.key)
            #expect(
                isSorted ? found == expected : found.sorted() == expected.sorted(), "\(comment) \(object.uri) \(name)")
            links += found.count
        }
        return links
    }
}
