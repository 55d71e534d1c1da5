import MagicalRecord
import Testing

@Suite("Imports of composite attributes") struct ImportCompositeTests {
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    private func imported(_ record: [String: Any]) throws -> NSDictionary? {
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [
            Build.attribute("latitude", .doubleAttributeType, info: ["mappedKeyName": "lat"]),
            Build.attribute(
                "longitude", .doubleAttributeType, info: ["mappedKeyName": "lng", "mappedKeyName.1": "lon.degrees"]),
            Build.attribute("name", .stringAttributeType),
        ]
        let quake = Build.entity("Quake")
        quake.properties = [place]
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Build.model(quake))
        return try context.runAndWait {
            let quake = NSEntityDescription.insertNewObject(forEntityName: "Quake", into: context)
            try quake.importValues(from: record)
            return quake.value(forKey: "place") as? NSDictionary
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("find elements where mappedKeyName says")
    func elementsHaveKeysOfTheirOwn() throws {
        let place = try imported(["place": ["lat": "61.5", "lon": ["degrees": -150], "name": "Anchorage", "depth": 3]])
        #expect(place == ["latitude": 61.5, "longitude": -150.0, "name": "Anchorage"] as NSDictionary)
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("name the element whose value does not fit")
    func errorsNameTheElement() throws {
        let error = try #require(throws: MagicalRecordError.self) { _ = try imported(["place": ["lat": "north"]]) }
        #expect(error.code == .unconvertibleValue)
        #expect(error.key == "place.latitude")
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test("read what an export has written under the elements' keys")
    func exports() throws {
        let place = NSCompositeAttributeDescription()
        place.name = "place"
        place.elements = [
            Build.attribute("latitude", .doubleAttributeType, info: ["mappedKeyName": "lat"]),
            Build.attribute("longitude", .doubleAttributeType, info: ["mappedKeyName": "lon.degrees"]),
            Build.attribute("since", .dateAttributeType, info: ["dateFormat": "UnixTime"]),
        ]
        let quake = Build.entity("Quake")
        quake.properties = [place]
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: Build.model(quake))
        try context.runAndWait {
            let quake = NSEntityDescription.insertNewObject(forEntityName: "Quake", into: context)
            let value: [String: Any] = ["latitude": 61.5, "longitude": -150.0, "since": Date(timeIntervalSince1970: 2)]
            quake.setValue(value, forKey: "place")
            let record = try quake.exported()
            let expected: NSDictionary = ["place": ["lat": 61.5, "lon": ["degrees": -150.0], "since": 2000.0]]
            #expect(record as NSDictionary == expected)
            quake.setValue(nil, forKey: "place")
            try quake.importValues(from: record)
            #expect(quake.value(forKey: "place") as? NSDictionary == value as NSDictionary)
        }
    }
}
