import CoreDataSQLiteStorage
import class CoreDataRowStorage.EntityLayout
import class CoreDataRowStorage.ModelLayouts
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import Testing

@testable import CoreData

/// Stores made by Apple's framework: opened, compared value by value with what plain SQL reads, edited, and checked by an
/// auditor that knows the rules of the format.
@Suite(.slow, .enabled(if: RealStores.areAvailable, RealStores.comment))
struct RealStoreTests {
    /// A stack on a copy of a store.
    private struct Stack {
        let copy: RealStores.Copy
        let model: NSManagedObjectModel
        let coordinator: NSPersistentStoreCoordinator
        let context: NSManagedObjectContext

        init(_ sample: RealStores.Sample) throws {
            copy = try RealStores.copy(of: sample)
            model = try sample.loadModel(copy)
            coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: copy.url,
                options: [NSPersistentHistoryTrackingKey: true])
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
        }

        func close() {
            for store in coordinator.persistentStores { try? coordinator.remove(store) }
            copy.remove()
        }
    }

    @Test(arguments: RealStores.all)
    func hashesAgree(_ sample: RealStores.Sample) throws {
        let copy = try RealStores.copy(of: sample)
        defer { copy.remove() }
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType, at: copy.url)
        let model = try sample.loadModel(copy)
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
        if !sample.isOld {
            #expect(
                try NSManagedObjectModel(cachedInStoreAt: copy.url).entitiesByName.keys.sorted()
                    == model.entitiesByName.keys.sorted())
        }
    }

    @Test(arguments: RealStores.all)
    func everyValueIsWhatTheFileSays(_ sample: RealStores.Sample) throws {
        let stack = try Stack(sample)
        defer { stack.close() }
        let before = try FileContent(stack.copy.url)
        var objects = 0
        let schema = try SQLSchema(stack.model.layouts, numbering: EntityNumbering(stack.model.layouts))
        for layout in stack.model.layouts.all where layout.isRoot {
            let request = NSFetchRequest<NSManagedObject>(entityName: layout.name)
            for object in try stack.context.fetch(request) {
                objects += 1
                try compare(object, with: before, schema, stack.model.layouts)
            }
        }
        #expect(try objects == before.rowCount(stack.model.layouts))
        #expect(try FileContent(stack.copy.url) == before)
    }

    private func compare(
        _ object: NSManagedObject, with content: FileContent, _ schema: SQLSchema, _ layouts: ModelLayouts
    ) throws {
        let layout = try #require(layouts.byName[object.entity.name ?? ""])
        let columns = try #require(schema.entities[layout.number])
        let row = try #require(content.row(columns.table, object.objectID.key))
        for cell in layout.cells {
            guard let column = columns.cells[cell.index].column else { continue }
            // Values of transformers that only the program has which wrote the file cannot be read.
            if let name = cell.attribute?.valueTransformerName,
                ValueTransformer.valueTransformer(forName: NSValueTransformerName(name)) == nil
            {
                continue
            }
            let stored = row[column] ?? .null
            if cell.kind == .reference {
                let target = object.value(forKey: cell.name) as? NSManagedObject
                #expect(stored == target.map { .integer($0.objectID.key) } ?? .null, "\(layout.name).\(cell.name)")
            } else if cell.composite == nil {
                let value = object.value(forKey: cell.name)
                #expect(stored.agrees(with: value), "\(layout.name).\(cell.name): \(stored) is not \(value ?? "nil")")
            }
        }
        for relationship in layout.relationships where relationship.isToMany {
            guard let place = schema.columns(of: relationship, in: layout) else { continue }
            let expected = content.related(place, object.objectID.key)
            if relationship.isOrdered {
                let found = (object.value(forKey: relationship.name) as? NSOrderedSet)?.array
                #expect(found?.compactMap { ($0 as? NSManagedObject)?.objectID.key } == expected)
            } else {
                let found = (object.value(forKey: relationship.name) as? NSSet)?.allObjects
                #expect(Set(found?.compactMap { ($0 as? NSManagedObject)?.objectID.key } ?? []) == Set(expected))
            }
        }
    }

    /// One object in four is deleted, every third changed: the file must still keep every rule.
    @Test(arguments: RealStores.all)
    func editsKeepTheRules(_ sample: RealStores.Sample) throws {
        let stack = try Stack(sample)
        defer { stack.close() }
        let layouts = stack.model.layouts
        #expect(try StoreAuditor(stack.copy.url, layouts).problems() == [])
        var saves = 0
        // What a model's own rules forbid is undone, entity by entity.
        for layout in layouts.all where !layout.entity.isAbstract {
            for edit in [delete, change] {
                let request = NSFetchRequest<NSManagedObject>(entityName: layout.name)
                request.includesSubentities = false
                for (number, object) in try stack.context.fetch(request).enumerated() { edit(object, layout, number) }
                do {
                    try stack.context.save()
                    saves += 1
                } catch let error as NSError where (1550...1690).contains(error.code) {
                    stack.context.rollback()
                }
            }
        }
        #expect(saves > 0)
        #expect(try StoreAuditor(stack.copy.url, layouts).problems() == [])
    }

    private func delete(_ object: NSManagedObject, _ layout: EntityLayout, _ number: Int) {
        if number % 4 == 0 { object.managedObjectContext?.delete(object) }
    }

    private func change(_ object: NSManagedObject, _ layout: EntityLayout, _ number: Int) {
        guard number % 3 == 0 else { return }
        let constrained = Set(layout.entity.allUniquenessConstraints.flatMap { $0 })
        for cell in layout.cells where cell.attribute != nil && !cell.isDerived && !constrained.contains(cell.name) {
            switch cell.kind {
            case .string where object.value(forKey: cell.name) != nil:
                object.setValue("changed \(number)", forKey: cell.name)
                return
            case .boolean:
                object.setValue(number % 2 == 0, forKey: cell.name)
                return
            default: continue
            }
        }
    }
}
