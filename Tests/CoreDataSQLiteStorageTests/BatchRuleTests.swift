import CoreData
import CoreDataTestSupport
import PredicateFormat
import Testing

/// Batch requests against rules and contexts: delete rules, constraints, types, merging by IDs.
@Suite
struct BatchRuleTests {
    private func model(_ rule: NSDeleteRule, mandatory: Bool = false) -> [NSEntityDescription] {
        let owner = FormatStore.entity("Owner"),
            item = FormatStore.entity(
                "Item",
                [
                    LibraryModel.attribute("width", .integer16AttributeType, default: 3),
                    LibraryModel.attribute("id", .UUIDAttributeType),
                    LibraryModel.attribute("price", .decimalAttributeType),
                ])
        LibraryModel.relate(owner, "items", many: true, item, "owner", many: false, rule: rule)
        item.relationshipsByName["owner"]?.isOptional = !mandatory
        item.relationshipsByName["owner"]?.deleteRule = .nullifyDeleteRule
        return [owner, item]
    }

    /// Owner a has items 1 and 2, owner b has none, item 3 no owner.
    private func store(_ rule: NSDeleteRule, mandatory: Bool = false) throws -> FormatStore {
        let store = try FormatStore(model(rule, mandatory: mandatory))
        let a = store.context.insert("Owner", ["name": "a"])
        let b = store.context.insert("Owner", ["name": "b"])
        for name in ["1", "2"] { store.context.insert("Item", ["name": name, "owner": a]) }
        if !mandatory { store.context.insert("Item", ["name": "3"]) }
        withExtendedLifetime(b) {}
        try store.context.save()
        return store
    }

    private func delete(_ store: FormatStore, _ entity: String, _ format: String) throws -> [NSManagedObjectID] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = NSPredicate(format: format)
        let batch = NSBatchDeleteRequest(fetchRequest: request)
        batch.resultType = .resultTypeObjectIDs
        return (try store.context.execute(batch) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID] ?? []
    }

    @Test func nullify() throws {
        let store = try store(.nullifyDeleteRule)
        #expect(try delete(store, "Owner", "name == 'a'").count == 1)
        #expect(
            try store.sql("SELECT ZNAME, ZOWNER, Z_OPT FROM ZITEM ORDER BY 1") == ["1|NULL|2", "2|NULL|2", "3|NULL|1"])
        #expect(try store.problems() == [])
    }

    @Test func cascade() throws {
        let store = try store(.cascadeDeleteRule)
        #expect(try delete(store, "Owner", "name == 'a'").count == 1)
        #expect(try store.sql("SELECT ZNAME FROM ZITEM") == ["3"])
        #expect(try store.problems() == [])
    }

    @Test func deny() throws {
        let store = try store(.denyDeleteRule)
        #expect { try delete(store, "Owner", "TRUEPREDICATE") } throws: {
            ($0 as NSError).code == NSValidationRelationshipDeniedDeleteError
        }
        #expect(try store.sql("SELECT COUNT(*) FROM ZOWNER") == ["2"])
        #expect(try delete(store, "Owner", "name == 'b'").count == 1)
    }

    @Test func mandatoryInverses() throws {
        let store = try store(.nullifyDeleteRule, mandatory: true)
        #expect { try delete(store, "Owner", "name == 'a'") } throws: {
            ($0 as NSError).code == NSValidationMissingMandatoryPropertyError
        }
        #expect(try store.sql("SELECT COUNT(*) FROM ZOWNER") == ["2"])
        #expect(try delete(store, "Item", "TRUEPREDICATE").count == 2)
        #expect(try delete(store, "Owner", "TRUEPREDICATE").count == 2)
    }

    @Test func contextsFollowByMergingIDs() throws {
        let store = try store(.cascadeDeleteRule)
        let context = store.makeContext()
        let (owner, item) = try context.performAndWait {
            (
                try context.fetchAll("Owner").first { $0.value(forKey: "name") as? String == "b" }!,
                try context.fetchAll("Item").first { $0.value(forKey: "name") as? String == "1" }!
            )
        }
        let update = NSBatchUpdateRequest(entityName: "Item")
        update.predicate = NSPredicate(format: "name == '1'")
        update.propertiesToUpdate = ["width": 77]
        update.resultType = .updatedObjectIDsResultType
        let updated = (try store.context.execute(update) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID]
        let deleted = try delete(store, "Owner", "name == 'b'")
        let insert = NSBatchInsertRequest(entityName: "Item", objects: [["name": "new"]])
        insert.resultType = .objectIDs
        let inserted = (try store.context.execute(insert) as? NSBatchInsertResult)?.result as? [NSManagedObjectID]
        context.performAndWait { #expect(item.value(forKey: "width") as? Int == 3) }
        NSManagedObjectContext.mergeChanges(
            fromRemoteContextSave: [
                NSUpdatedObjectsKey: updated ?? [], NSDeletedObjectsKey: deleted, NSInsertedObjectsKey: inserted ?? [],
            ], into: [context])
        context.performAndWait {
            #expect(item.value(forKey: "width") as? Int == 77)
            #expect(owner.isDeleted || owner.managedObjectContext == nil)
            #expect(inserted?.count == 1)
        }
    }

    @Test func resultTypes() throws {
        let store = try store(.nullifyDeleteRule)
        let insert = NSBatchInsertRequest(entityName: "Item", objects: [["name": "x"], ["name": "y"]])
        #expect((try store.context.execute(insert) as? NSBatchInsertResult)?.result as? Bool == true)
        insert.resultType = .count
        #expect((try store.context.execute(insert) as? NSBatchInsertResult)?.result as? Int == 2)
        let update = NSBatchUpdateRequest(entityName: "Item")
        update.predicate = NSPredicate(format: "name == 'x'")
        update.propertiesToUpdate = ["width": NSExpression(format: "width * 2"), "name": "z"]
        #expect((try store.context.execute(update) as? NSBatchUpdateResult)?.result as? Bool == true)
        update.resultType = .updatedObjectsCountResultType
        #expect((try store.context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 0)
        #expect(try store.sql("SELECT ZWIDTH, Z_OPT FROM ZITEM WHERE ZNAME = 'z'") == ["6|2", "6|2"])
        let delete = NSBatchDeleteRequest(
            fetchRequest: {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.fetchLimit = 3
                request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
                return request
            }())
        #expect((try store.context.execute(delete) as? NSBatchDeleteResult)?.result as? Bool == true)
        delete.resultType = .resultTypeCount
        #expect((try store.context.execute(delete) as? NSBatchDeleteResult)?.result as? Int == 3)
        #expect(try store.sql("SELECT COUNT(*) FROM ZITEM") == ["1"])
    }

    @Test func valuesAreThoseOfTheAttribute() throws {
        let store = try store(.nullifyDeleteRule)
        let id = UUID()
        try _ = store.context.execute(
            NSBatchInsertRequest(
                entityName: "Item",
                objects: [["name": "n", "width": 3.7, "id": id, "price": NSDecimalNumber(string: "1.25")]]))
        #expect(
            try store.sql("SELECT ZWIDTH, typeof(ZWIDTH), length(ZID), ZPRICE FROM ZITEM WHERE ZNAME = 'n'")
                == ["3|integer|16|1.25"])
        for bad: [String: Any] in [["width": "many"], ["name": 5], ["id": "no"], ["price": Data()]] {
            #expect { try store.context.execute(NSBatchInsertRequest(entityName: "Item", objects: [bad])) } throws: {
                ($0 as NSError).code == NSManagedObjectValidationError
            }
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = bad
            #expect { try store.context.execute(update) } throws: {
                ($0 as NSError).code == NSManagedObjectValidationError
            }
        }
        #expect(try store.sql("SELECT COUNT(*) FROM ZITEM") == ["4"])
    }

    /// As a value of another type is: 70,000 is not stored as 4,464 in an Integer 16.
    @Test func numbersBeyondTheAttributeAreRefused() throws {
        let store = try store(.nullifyDeleteRule)
        let before = try store.sql("SELECT * FROM ZITEM ORDER BY Z_PK")
        let wide: [Any] = [
            70_000, 32_768, NSNumber(value: Int32(-32_769)), Int.max, 1e300, -Double.infinity, Double.nan,
            UInt64.max, NSDecimalNumber(string: "1e30"), 32_768.0,
        ]
        for value in wide {
            let insert = NSBatchInsertRequest(entityName: "Item", objects: [["name": "n", "width": value]])
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = ["width": value]
            for request in [insert, update] {
                let error = #expect(throws: NSError.self, "\(value)") { try store.context.execute(request) }
                #expect(error?.code == NSManagedObjectValidationError)
                #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "width")
            }
        }
        for format in ["width + 70000", "0 - 70000"] {
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = ["width": NSExpression(format: format)]
            let error = #expect(throws: NSError.self, "\(format)") { try store.context.execute(update) }
            #expect(error?.code == NSManagedObjectValidationError)
            #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "width")
        }
        #expect(try store.sql("SELECT * FROM ZITEM ORDER BY Z_PK") == before)
        for value in [32_767, -32_768, 32_767.5] as [Any] {
            let update = NSBatchUpdateRequest(entityName: "Item")
            update.propertiesToUpdate = ["width": value]
            _ = try store.context.execute(update)
        }
    }

    @Test func updatesOfRelationships() throws {
        let store = try store(.nullifyDeleteRule)
        let b = try #require(try store.named("Owner")["b"])
        let update = NSBatchUpdateRequest(entityName: "Item")
        update.propertiesToUpdate = ["owner": b.objectID]
        _ = try store.context.execute(update)
        store.context.reset()
        #expect(FormatStore.names(try store.named("Owner")["b"], "items") == ["1", "2", "3"])
        let wrong = NSBatchUpdateRequest(entityName: "Item")
        for properties: [AnyHashable: Any] in [
            ["owner": "b"], ["nothing": 1], [:], ["width": NSExpression(format: "owner.name")],
        ] {
            wrong.propertiesToUpdate = properties
            #expect(throws: (any Error).self, "\(properties)") { try store.context.execute(wrong) }
        }
    }

    @Test func objectsOfTheirClassAreFilledIn() throws {
        let store = try store(.nullifyDeleteRule)
        var number = 0
        let request = NSBatchInsertRequest(entityName: "Item") { (object: NSManagedObject) in
            #expect(object.entity.name == "Item" && object.value(forKey: "width") as? Int == 3)
            number += 1
            object.setValue("made \(number)", forKey: "name")
            return number > 20
        }
        request.resultType = .count
        #expect((try store.context.execute(request) as? NSBatchInsertResult)?.result as? Int == 20)
        #expect(try store.sql("SELECT COUNT(*) FROM ZITEM WHERE ZNAME LIKE 'made%' AND ZWIDTH = 3") == ["20"])
    }

    @Test func otherStoresRefuse() throws {
        let library = try Library()
        #expect { try library.context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [[:]])) } throws: {
            ($0 as NSError).code == NSPersistentStoreUnsupportedRequestTypeError
        }
    }
}
