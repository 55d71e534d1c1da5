import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Uniqueness constraints and indexes on composite attributes as wholes and on their elements.
@Suite("Constraints and indexes of composite attributes")
struct CompositeConstraintTests {
    private func library(_ constraints: [[Any]]) throws -> SQLiteLibrary {
        try SQLiteLibrary(QuakeModel.unique(constraints))
    }

    private func insert(_ magnitudes: [[String: Any]?], in context: NSManagedObjectContext) {
        for (index, magnitude) in magnitudes.enumerated() {
            context.insert("Quake", ["code": "\(index)"]).setValue(magnitude, forKey: "magnitude")
        }
    }

    /// Whether the magnitudes may stand side by side.
    private func areUnique(_ constraints: [[Any]], _ magnitudes: [[String: Any]?]) throws -> Bool {
        let library = try library(constraints)
        return library.context.performAndWait {
            insert(magnitudes, in: library.context)
            do {
                try library.context.save()
                return true
            } catch {
                #expect((error as NSError).code == NSManagedObjectConstraintMergeError)
                let conflicts = (error as NSError).userInfo["conflictList"] as? [NSConstraintConflict]
                #expect(conflicts?.first?.constraint == constraints[0].map { $0 as? String ?? "magnitude.richter" })
                return false
            }
        }
    }

    @Test func wholesAreUnique() throws {
        let constraint = [["magnitude"]]
        #expect(try !areUnique(constraint, [["richter": 1.0, "scale": "R"], ["richter": 1.0, "scale": "R"]]))
        #expect(try areUnique(constraint, [["richter": 1.0, "scale": "R"], ["richter": 1.0, "scale": "M"]]))
        // Half a value is a value, and no value is none.
        #expect(try !areUnique(constraint, [["richter": 1.0], ["richter": 1.0]]))
        #expect(try areUnique(constraint, [["richter": 0.0], ["scale": "0"], nil, nil]))
    }

    @Test func elementsAreUnique() throws {
        let values: [[String: Any]] = [["richter": 1.0, "scale": "R"], ["richter": 1.0, "scale": "M"]]
        #expect(try !areUnique([["magnitude.richter"]], values))
        #expect(try areUnique([["magnitude.scale"]], values))
        #expect(try areUnique([["magnitude", "code"]], [values[0], values[0]]))
        // The description of an element stands for its path.
        let model = QuakeModel.make { $0.uniquenessConstraints = [[$0.element("magnitude", "richter")]] }
        #expect(model.entitiesByName["Quake"]?.uniquenessConstraints as? [[String]] == [["magnitude.richter"]])
    }

    @Test func mergePoliciesFindTheRow() throws {
        let library = try library([["magnitude"]])
        let context = library.context
        context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try context.performAndWait {
            insert([["richter": 2.0], ["richter": 1.0, "scale": "R"]], in: context)
            try context.save()
            context.insert("Quake", ["code": "new", "magnitude": ["richter": 2.0]])
            try context.save()
            let all = try library.makeSecondContext().fetchAll("Quake").compactMap {
                $0.value(forKey: "code") as? String
            }
            #expect(all.sorted() == ["1", "new"])
        }
    }

    @Test func storeTrumpTakesBackTheElement() throws {
        let library = try library([["magnitude.richter"]])
        let context = library.context
        context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
        try context.performAndWait {
            insert([["richter": 1.0, "scale": "R"], ["richter": 2.0, "scale": "R"]], in: context)
            try context.save()
            let second = try #require(try library.fetch("Quake", "code == '1'").first)
            second.setValue(["richter": 1.0, "scale": "M"] as [String: Any], forKey: "magnitude")
            try context.save()
            #expect(second.value(forKeyPath: "magnitude.richter") as? Double == 2)
            #expect(second.value(forKeyPath: "magnitude.scale") as? String == "M")
        }
    }

    /// Only one element of each differs, and still it is wholes that move.
    @Test func objectsSwapTheirValues() throws {
        let library = try library([["magnitude"]])
        let context = library.context
        try context.performAndWait {
            insert([["richter": 1.0, "scale": "R"], ["richter": 2.0, "scale": "R"]], in: context)
            try context.save()
            let quakes = try context.fetchAll("Quake")
            let values = quakes.map { $0.value(forKey: "magnitude") }
            quakes[0].setValue(values[1], forKey: "magnitude")
            quakes[1].setValue(values[0], forKey: "magnitude")
            try context.save()
            let saved = try library.makeSecondContext().fetchAll("Quake")
            #expect(Set(saved.compactMap { $0.value(forKeyPath: "magnitude.scale") as? String }) == ["R"])
            #expect(Set(saved.compactMap { $0.value(forKeyPath: "magnitude.richter") as? Double }) == [1, 2])
        }
    }

    // MARK: Indexes

    private func schema(_ change: (NSEntityDescription) -> Void) throws -> String {
        try MigrationStore.schema(ofNewStore: QuakeModel.make(change)).joined(separator: "\n")
    }

    @Test func indexesOnElementsAndWholes() throws {
        func index(_ name: String, _ property: NSPropertyDescription) -> NSFetchIndexDescription {
            NSFetchIndexDescription(
                name: name, elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
        }
        let text = try schema { quake in
            quake.indexes = [
                index("byRichter", quake.element("magnitude", "richter")),
                index("byPlace", quake.attributesByName["place"]!), index("byPoint", quake.element("place", "point")),
            ]
            quake.element("place", "city").isIndexed = true
        }
        // The elements of "forecast" come first, and take the plain names.
        #expect(text.contains("Z_Quake_byRichter"))
        #expect(text.contains("ON ZQUAKE (ZRICHTER1 COLLATE BINARY ASC)"))
        #expect(text.contains("(ZCITY COLLATE BINARY ASC, ZLAT COLLATE BINARY ASC, ZLON COLLATE BINARY ASC)"))
        #expect(text.contains("(ZLAT COLLATE BINARY ASC, ZLON COLLATE BINARY ASC)"))
        #expect(text.contains("Z_Quake_place_city"))
    }

    /// An element is found by its path even where the entity has an attribute of the same name.
    @Test func indexesSurviveCopiesAndArchives() throws {
        let model = QuakeModel.make { quake in
            let other = LibraryModel.attribute("richter", .stringAttributeType)
            quake.properties += [other]
            let elements = [
                NSFetchIndexElementDescription(property: quake.element("magnitude", "richter"), collationType: .binary)
            ]
            quake.indexes = [NSFetchIndexDescription(name: "byRichter", elements: elements)]
            quake.uniquenessConstraints = [["forecast.scale"]]
        }
        let data = try NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: data)
        for copy in [model.copy() as? NSManagedObjectModel, read] {
            let quake = try #require(copy?.entitiesByName["Quake"])
            let element = try #require(quake.indexes.first?.elements.first)
            #expect(element.property === quake.element("magnitude", "richter") && element.propertyName == "richter")
            #expect(quake.indexes == model.entitiesByName["Quake"]?.indexes)
            #expect(quake.propertiesByName == model.entitiesByName["Quake"]?.propertiesByName)
        }
        let entity = try #require(model.entitiesByName["Quake"])
        let archived = try NSKeyedArchiver.archivedData(withRootObject: entity, requiringSecureCoding: true)
        let quake = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: NSEntityDescription.self, from: archived))
        #expect(quake.indexes.first?.elements.first?.property === quake.element("magnitude", "richter"))
    }

    /// A constraint over what is not there would not hold.
    @Test(arguments: [["magnitude.ritcher"], ["depth"], ["place.point.lat.x"]])
    func constraintsOverNothingAreRefused(_ constraint: [String]) throws {
        let error = #expect(throws: NSError.self) { try library([constraint]) }
        #expect(error?.code == NSPersistentStoreIncompatibleSchemaError)
        #expect(error?.localizedFailureReason?.contains(constraint[0]) == true)
    }

    @Test func indexesOverNothingAreRefused() throws {
        let model = QuakeModel.make { quake in
            let stray = LibraryModel.attribute("depth", .doubleAttributeType)
            quake.indexes = [
                NSFetchIndexDescription(
                    name: "byDepth", elements: [NSFetchIndexElementDescription(property: stray, collationType: .binary)]
                )
            ]
        }
        let error = #expect(throws: NSError.self) { try SQLiteLibrary(model) }
        #expect(error?.localizedFailureReason?.contains("byDepth") == true)
    }
}
