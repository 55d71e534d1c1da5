import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Keeps the keys that are none of its properties.
final class WatchedQuake: NSManagedObject {
    var undefined: [String] = []
    override func setValue(_ value: Any?, forUndefinedKey key: String) { undefined.append(key) }
}

/// Elements of composite attributes are set by key paths.
@Suite("Elements by key path")
struct ElementPathTests {
    private let library: SQLiteLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws { library = try SQLiteLibrary(QuakeModel.make()) }

    private func quake() -> NSManagedObject {
        context.insert(
            "Quake",
            [
                "code": "a", "magnitude": ["richter": 1.0, "scale": "R"] as [String: Any],
                "place": ["city": "Lima", "point": ["lat": 1.0, "lon": 2.0]] as [String: Any],
            ])
    }

    @Test func elementsAreSetOneByOne() throws {
        try context.performAndWait {
            let quake = quake()
            try context.save()
            quake.setValue(7.5, forKeyPath: "magnitude.richter")
            quake.setValue(9.0, forKeyPath: "place.point.lat")
            #expect(quake.isUpdated && Set(quake.changedValues().keys) == ["magnitude", "place"])
            #expect((quake.changedValues()["magnitude"] as? [String: Any])?["richter"] as? Double == 7.5)
            #expect(quake.value(forKeyPath: "magnitude.scale") as? String == "R")
            #expect(quake.value(forKeyPath: "place.point.lon") as? Double == 2)
            try context.save()
            let saved = try #require(try library.makeSecondContext().fetchAll("Quake").first)
            #expect(saved.value(forKeyPath: "magnitude.richter") as? Double == 7.5)
            #expect(saved.value(forKeyPath: "place.point.lat") as? Double == 9)
            #expect(saved.value(forKeyPath: "place.city") as? String == "Lima")
        }
    }

    @Test func elementsOfNilMakeAValueAndTheLastOneEndsIt() throws {
        context.performAndWait {
            let quake = context.insert("Quake", ["code": "b"])
            quake.setValue(3.0, forKeyPath: "place.point.lon")
            #expect((quake.value(forKey: "place") as? [String: [String: Double]]) == ["point": ["lon": 3]])
            quake.setValue(nil, forKeyPath: "place.point.lon")
            #expect(quake.value(forKey: "place") == nil)
            quake.setValue(["lat": 4.0], forKeyPath: "place.point")
            #expect(quake.value(forKeyPath: "place.point.lat") as? Double == 4)
        }
    }

    @Test func pathsLeadThroughRelationships() throws {
        try context.performAndWait {
            let quake = quake(), region = context.insert("Region")
            quake.setValue(region, forKey: "region")
            region.setValue(3.0, forKeyPath: "quakes.magnitude.richter")
            #expect(quake.value(forKeyPath: "magnitude.richter") as? Double == 3)
            quake.setValue("South", forKeyPath: "region.name")
            #expect(region.value(forKey: "name") as? String == "South")
            context.insert("Quake").setValue("nobody", forKeyPath: "region.name")
            try context.save()
        }
    }

    @Test func undoTakesAnElementBack() throws {
        context.performAndWait {
            context.undoManager = UndoManager()
            let quake = quake()
            context.processPendingChanges()
            context.undoManager?.removeAllActions()
            quake.setValue(7.5, forKeyPath: "magnitude.richter")
            context.processPendingChanges()
            context.undo()
            #expect(quake.value(forKeyPath: "magnitude.richter") as? Double == 1)
        }
    }

    /// Nothing is dropped: what is no element is an undefined key, which ends the program if the class does not take it.
    @Test func whatIsNoElementIsAnUndefinedKey() throws {
        let library = try SQLiteLibrary(
            QuakeModel.make { $0.managedObjectClassName = NSStringFromClass(WatchedQuake.self) })
        try library.context.performAndWait {
            let quake = try #require(library.context.insert("Quake") as? WatchedQuake)
            quake.setValue(1, forKeyPath: "magnitude.ritcher")
            quake.setValue(1, forKeyPath: "place.point.lat.degrees")
            quake.setValue(["scale": "R", "ritcher": 1] as [String: Any], forKey: "magnitude")
            quake.setValue(["point": ["latitude": 1.0]], forKey: "place")
            #expect(
                quake.undefined == [
                    "magnitude.ritcher", "place.point.lat.degrees", "magnitude.ritcher", "place.point.latitude",
                ])
            #expect(quake.value(forKeyPath: "magnitude.scale") as? String == "R")
        }
    }

    @Test func foundationsDictionariesAndOptionalsAreTaken() throws {
        context.performAndWait {
            let quake = context.insert("Quake")
            quake.setValue(NSDictionary(dictionary: ["richter": 2, "scale": NSNull()]), forKey: "magnitude")
            #expect(quake.value(forKeyPath: "magnitude.richter") as? Double == 2)
            #expect(quake.value(forKeyPath: "magnitude.scale") == nil)
            let none: [String: Any]? = nil
            quake.setValue(none as Any, forKey: "magnitude")
            #expect(quake.value(forKey: "magnitude") == nil)
        }
    }

    // MARK: Validation

    private func code(_ path: String, _ value: Any?, of values: [String: Any]?) throws -> (Int, String?)? {
        let library = try SQLiteLibrary(
            QuakeModel.make { quake in
                let richter = quake.element("magnitude", "richter")
                richter.isOptional = false
                richter.setValidationPredicates(
                    [NSPredicate(format: "SELF < 11")], withValidationWarnings: ["Too strong"])
                quake.element("place", "city").isOptional = false
            })
        return library.context.performAndWait {
            let quake = library.context.insert("Quake", values.map { ["magnitude": $0] } ?? [:])
            quake.setValue(value, forKeyPath: path)
            do {
                try library.context.save()
                return nil
            } catch {
                let error = error as NSError
                return (error.code, error.userInfo[NSValidationKeyErrorKey] as? String)
            }
        }
    }

    @Test func elementsAreValidated() throws {
        let strong = try #require(try code("magnitude.richter", 12.0, of: ["richter": 1.0]))
        #expect(strong == (NSManagedObjectValidationError, "magnitude.richter"))
        let missing = try #require(try code("magnitude.scale", "R", of: nil))
        #expect(missing == (NSValidationMissingMandatoryPropertyError, "magnitude.richter"))
        #expect(try code("magnitude.richter", 9.0, of: ["scale": "R"]) == nil)
        // A composite attribute that may be nil asks nothing of its elements then.
        #expect(try code("magnitude", nil, of: nil) == nil)
    }
}
