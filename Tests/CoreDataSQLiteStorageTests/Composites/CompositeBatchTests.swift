import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Batch requests set composite attributes as wholes and by their elements.
@Suite("Batch requests for composite attributes")
struct CompositeBatchTests {
    private func library(_ change: (NSEntityDescription) -> Void = { _ in }) throws -> SQLiteLibrary {
        let library = try SQLiteLibrary(QuakeModel.make(change))
        try library.context.performAndWait {
            library.context.insert(
                "Quake",
                [
                    "code": "a", "magnitude": ["richter": 1.0, "scale": "R"] as [String: Any],
                    "place": ["city": "Lima", "point": ["lat": 1.0]] as [String: Any],
                ])
            try library.context.save()
        }
        return library
    }

    private func text(_ value: Any?) -> String {
        guard let value = value as? [String: Any] else { return value.map { "\($0)" } ?? "nil" }
        return "[" + value.keys.sorted().map { "\($0): \(text(value[$0]))" }.joined(separator: ", ") + "]"
    }

    private func value(_ path: String, in library: SQLiteLibrary, _ code: String = "a") throws -> String {
        let context = library.makeContext()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Quake")
            request.predicate = NSPredicate(format: "code == %@", code)
            return text(try context.fetch(request).first?.value(forKeyPath: path))
        }
    }

    // MARK: Updates

    private func update(_ values: [AnyHashable: Any], in library: SQLiteLibrary) throws {
        let request = NSBatchUpdateRequest(entityName: "Quake")
        request.propertiesToUpdate = values
        try library.context.performAndWait { _ = try library.context.execute(request) }
    }

    @Test func wholesAreUpdated() throws {
        let library = try library()
        try update(["magnitude": ["richter": 5.0]], in: library)
        #expect(try value("magnitude", in: library) == "[richter: 5.0]")
        try update(["place.point": ["lon": 3]], in: library)
        #expect(try value("place", in: library) == "[city: Lima, point: [lon: 3.0]]")
        try update(["forecast": NSExpression(forKeyPath: "magnitude")], in: library)
        #expect(try value("forecast", in: library) == "[richter: 5.0]")
        try update(["magnitude": NSNull(), "place": ["city": "Rome"], "place.point.lat": 7], in: library)
        #expect(try value("magnitude", in: library) == "nil")
        #expect(try value("place", in: library) == "[city: Rome, point: [lat: 7.0]]")
    }

    @Test func elementsAreUpdated() throws {
        let library = try library()
        let quake = try #require(library.coordinator.managedObjectModel.entitiesByName["Quake"])
        try update(["magnitude.richter": 6, quake.element("place", "city"): "Oslo"], in: library)
        #expect(try value("magnitude", in: library) == "[richter: 6.0, scale: R]")
        #expect(try value("place.city", in: library) == "Oslo")
        try update(["magnitude.richter": NSExpression(format: "magnitude.richter * 2")], in: library)
        #expect(try value("magnitude.richter", in: library) == "12.0")
    }

    @Test func updatesSayWhatTheyCannotDo() throws {
        let library = try library { quake in
            quake.attributesByName["place"]?.isOptional = false
            quake.element("magnitude", "richter").isOptional = false
        }
        func key(_ values: [AnyHashable: Any]) -> String? {
            let error = #expect(throws: NSError.self) { try update(values, in: library) }
            return error?.userInfo[NSValidationKeyErrorKey] as? String ?? error?.localizedDescription
        }
        #expect(key(["place": NSNull()]) == "place")
        #expect(key(["magnitude": ["scale": "R"]]) == "magnitude.richter")
        #expect(key(["magnitude": ["ritcher": 1]])?.contains("magnitude.ritcher") == true)
        #expect(key(["magnitude": 5])?.contains("magnitude") == true)
        try update(["magnitude": NSNull()], in: library)
        #expect(try value("magnitude", in: library) == "nil")
    }

    // MARK: Inserts

    private func insert(_ rows: [[String: Any]], in library: SQLiteLibrary) throws {
        try library.context.performAndWait {
            _ = try library.context.execute(NSBatchInsertRequest(entityName: "Quake", objects: rows))
        }
    }

    @Test func elementsAreInserted() throws {
        let library = try library { $0.element("magnitude", "scale").defaultValue = "R" }
        try insert(
            [
                ["code": "b", "magnitude.richter": 2.0, "place.point": ["lat": 1.0], "place.city": "Rome"],
                ["code": "c", "magnitude": ["richter": 3.0]],
                ["code": "d", "place": ["city": "Oslo", "point": ["lat": 1.0]], "place.point.lon": 2.0],
                ["code": "e", "magnitude": NSNull()],
            ], in: library)
        // What a row leaves out has its default value; what a whole leaves out is nil.
        #expect(try value("magnitude", in: library, "b") == "[richter: 2.0, scale: R]")
        #expect(try value("place", in: library, "b") == "[city: Rome, point: [lat: 1.0]]")
        #expect(try value("magnitude", in: library, "c") == "[richter: 3.0]")
        #expect(try value("place", in: library, "d") == "[city: Oslo, point: [lat: 1.0, lon: 2.0]]")
        #expect(try value("magnitude", in: library, "e") == "nil")
    }

    @Test func handlersGiveElementsAndObjects() throws {
        let library = try library()
        var left = 1
        let dictionaries = NSBatchInsertRequest(entityName: "Quake") { (row: NSMutableDictionary) in
            row["code"] = "b"
            row["magnitude.richter"] = 2.0
            left -= 1
            return left < 0
        }
        var objects = 1
        let managed = NSBatchInsertRequest(entityName: "Quake") { (quake: NSManagedObject) in
            quake.setValue("c", forKey: "code")
            quake.setValue(4.0, forKeyPath: "place.point.lon")
            objects -= 1
            return objects < 0
        }
        try library.context.performAndWait {
            _ = try library.context.execute(dictionaries)
            _ = try library.context.execute(managed)
        }
        #expect(try value("magnitude", in: library, "b") == "[richter: 2.0]")
        #expect(try value("place", in: library, "c") == "[point: [lon: 4.0]]")
    }

    @Test func insertsSayWhatIsMissingOrUnknown() throws {
        let library = try library { quake in
            quake.attributesByName["place"]?.isOptional = false
            quake.element("magnitude", "richter").isOptional = false
        }
        let place: [String: Any] = ["city": "Rome"]
        func key(_ row: [String: Any]) -> String? {
            let error = #expect(throws: NSError.self) { try insert([row], in: library) }
            return error?.userInfo[NSValidationKeyErrorKey] as? String ?? error?.localizedDescription
        }
        #expect(key(["place": place, "magnitude": ["scale": "R"]]) == "magnitude.richter")
        #expect(key(["code": "x"])?.hasPrefix("place") == true)
        #expect(key(["place": ["town": "Rome"]])?.contains("place.town") == true)
        #expect(key(["place": "Rome"]) == "place")
        #expect(key(["place": place, "magnitude.ritcher": 1])?.contains("magnitude.ritcher") == true)
        try insert([["code": "b", "place": place]], in: library)
        #expect(try value("magnitude", in: library, "b") == "nil")
    }

    /// With merge policies that overwrite what is given, an element leaves its neighbours alone.
    @Test func elementsOverwriteThemselvesOnly() throws {
        let library = try library { $0.uniquenessConstraints = [["code"]] }
        library.context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try insert([["code": "a", "magnitude.richter": 9.0]], in: library)
        #expect(try value("magnitude", in: library) == "[richter: 9.0, scale: R]")
    }
}
