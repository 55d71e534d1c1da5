import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Composite attributes and their elements in predicates, orders and dictionary results. What is saved and what is pending
/// answer alike.
@Suite("Queries for composite attributes")
struct CompositeQueryTests {
    private let library: SQLiteLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try SQLiteLibrary(QuakeModel.make())
        let context = library.context
        try context.performAndWait {
            let north = context.insert("Region", ["name": "North"]), south = context.insert("Region", ["name": "South"])
            let values: [(String, [String: Any]?, [String: Any]?, [String: Any]?, NSManagedObject)] = [
                ("a", ["richter": 1.0, "scale": "R"], ["richter": 1.0, "scale": "R"], ["city": "Lima"], north),
                ("b", ["richter": 2.0], ["richter": 2.0, "scale": "R"], ["point": ["lat": 1.0, "lon": 2.0]], north),
                ("c", nil, ["richter": 2.0], ["city": "Rome", "point": ["lat": 1.0]], north),
                ("d", ["richter": 2.0, "scale": "M"], nil, nil, south),
            ]
            for (code, magnitude, forecast, place, region) in values {
                let quake = context.insert("Quake", ["code": code, "region": region])
                quake.setValue(magnitude, forKey: "magnitude")
                quake.setValue(forecast, forKey: "forecast")
                quake.setValue(place, forKey: "place")
            }
            try context.save()
        }
    }

    /// The codes of those found in the store, and in memory where all of them are pending.
    private func codes(_ format: String, _ arguments: Any...) throws -> String {
        let predicate = NSPredicate(format: format, argumentArray: arguments)
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Quake")
            request.predicate = predicate
            request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
            let stored = try context.fetch(request).compactMap { $0.value(forKey: "code") as? String }.joined()
            let all = try context.fetchAll("Quake")
            let pending = all.filter { predicate.evaluate(with: $0) }.compactMap { $0.value(forKey: "code") as? String }
            #expect(pending.sorted().joined() == stored, "in memory")
            return stored
        }
    }

    @Test func nilWholes() throws {
        #expect(try codes("magnitude == nil") == "c")
        #expect(try codes("magnitude != nil") == "abd")
        #expect(try codes("place.point == nil") == "ad")
        #expect(try codes("NOT (place.point == nil)") == "bc")
        #expect(try codes("region.quakes.@count > 2 AND magnitude != nil") == "ab")
    }

    @Test func wholesAndDictionaries() throws {
        let strong: [String: Any] = ["richter": 2.0]
        #expect(try codes("magnitude == %@", strong) == "b")
        #expect(try codes("%@ == forecast", strong) == "c")
        #expect(try codes("magnitude == %@", ["richter": 2, "scale": "M"] as [String: Any]) == "d")
        #expect(try codes("magnitude == %@", ["richter": 2.0, "depth": 1] as [String: Any]) == "")
        #expect(try codes("place == %@", ["city": "Rome", "point": ["lat": 1.0]] as [String: Any]) == "c")
        #expect(try codes("place.point == %@", ["lat": 1.0, "lon": 2.0]) == "b")
        #expect(try codes("magnitude != nil AND magnitude != %@", strong) == "ad")
        #expect(try codes("magnitude == forecast AND magnitude != nil") == "a")
        #expect(try codes("magnitude IN {%@, %@}", strong, ["richter": 2.0, "scale": "M"] as [String: Any]) == "bd")
    }

    @Test func elements() throws {
        #expect(try codes("magnitude.richter > 1.5") == "bd")
        #expect(try codes("place.point.lat == 1") == "bc")
        #expect(try codes("place.city BEGINSWITH 'R'") == "c")
        #expect(try codes("place.city.length == 4 AND magnitude == nil") == "c")
    }

    @Test func throughRelationships() throws {
        func names(_ format: String) throws -> [String] {
            try context.performAndWait {
                try library.fetch("Region", format).compactMap { $0.value(forKey: "name") as? String }.sorted()
            }
        }
        #expect(try names("ANY quakes.magnitude == nil") == ["North"])
        #expect(try names("ANY quakes.place.point != nil") == ["North"])
        #expect(try names("SUBQUERY(quakes, $q, $q.magnitude != nil AND $q.place == nil).@count == 1") == ["South"])
    }

    @Test func orders() throws {
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Quake")
            request.predicate = NSPredicate(format: "forecast != nil")
            request.sortDescriptors = [
                NSSortDescriptor(key: "forecast.richter", ascending: false),
                NSSortDescriptor(key: "forecast.scale", ascending: true),
            ]
            let codes = try context.fetch(request).compactMap { $0.value(forKey: "code") as? String }
            #expect(codes == ["c", "b", "a"])
        }
    }

    /// What takes a single value says so, and names an element.
    @Test(arguments: ["magnitude > 5", "magnitude CONTAINS 'R'", "magnitude BETWEEN {1, 2}", "magnitude == 5"])
    func wholesAreNoSingleValues(_ format: String) throws {
        context.performAndWait {
            let error = #expect(throws: NSError.self) { try library.fetch("Quake", format) }
            #expect(error?.localizedDescription.contains("composite") == true)
        }
    }

    @Test func unknownElementsAreErrors() throws {
        context.performAndWait {
            #expect(throws: NSError.self) { try library.fetch("Quake", "magnitude.ritcher == 1") }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Quake")
            request.sortDescriptors = [NSSortDescriptor(key: "magnitude", ascending: true)]
            #expect(throws: NSError.self) { try context.fetch(request) }
        }
    }

    // MARK: Dictionaries

    private func rows(
        _ properties: [Any]?, groupedBy groups: [Any]? = nil, distinct: Bool = false, sortedBy key: String? = "code"
    ) throws -> [[String: Any]] {
        let request = NSFetchRequest<NSDictionary>(entityName: "Quake")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = properties
        request.propertiesToGroupBy = groups
        request.returnsDistinctResults = distinct
        request.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return try context.performAndWait { try context.fetch(request).map { $0 as? [String: Any] ?? [:] } }
    }

    @Test func wholesInDictionaries() throws {
        let rows = try rows(["code", "magnitude", "place", "region.name"])
        #expect((rows[0]["magnitude"] as? [String: Any])?["scale"] as? String == "R")
        #expect((rows[1]["magnitude"] as? [String: Double]) == ["richter": 2])
        #expect((rows[1]["place"] as? [String: [String: Double]]) == ["point": ["lat": 1, "lon": 2]])
        #expect(rows[2]["magnitude"] == nil && rows[3]["place"] == nil)
        #expect(rows[2]["region.name"] as? String == "North")
    }

    @Test func elementsInDictionaries() throws {
        let quake = try #require(library.coordinator.managedObjectModel.entitiesByName["Quake"])
        let rows = try rows(["magnitude.richter", quake.element("place", "city"), "place.point"])
        #expect(rows[0]["magnitude.richter"] as? Double == 1 && rows[0]["place.city"] as? String == "Lima")
        #expect((rows[2]["place.point"] as? [String: Double]) == ["lat": 1])
    }

    @Test func everyAttributeIsThere() throws {
        let rows = try rows(nil)
        #expect((rows[3]["magnitude"] as? [String: Any])?["scale"] as? String == "M")
    }

    @Test func groupsAndDistinctRows() throws {
        let count = NSExpressionDescription()
        count.name = "count"
        count.expression = NSExpression(format: "count:(code)")
        count.expressionResultType = .integer64AttributeType
        let whole = try rows(["place.point", count], groupedBy: ["place.point"], sortedBy: nil)
        #expect(whole.count == 3 && whole.compactMap { $0["count"] as? Int }.sorted() == [1, 1, 2])
        let element = try rows(["magnitude.richter", count], groupedBy: ["magnitude.richter"], sortedBy: nil)
        #expect(element.first { $0["magnitude.richter"] as? Double == 2 }?["count"] as? Int == 2)
        #expect(try rows(["forecast.scale", "forecast.richter"], distinct: true, sortedBy: nil).count == 4)
        #expect(throws: NSError.self) {
            try rows(["magnitude", count], groupedBy: ["magnitude.richter"], sortedBy: nil)
        }
        let present = NSExpressionDescription()
        present.name = "present"
        present.expression = NSExpression(format: "count:(magnitude)")
        #expect(try rows([present], sortedBy: nil).first?["present"] as? Int == 3)
    }
}
