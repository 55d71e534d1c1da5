import MagicalRecord
import ModelFormat

extension Target {
    /// JSON imports into a context on an in-memory store. Nothing is saved.
    static let imports = Target(
        name: "json-import",
        words: [
            "\"name\"", "\"born\"", "\"friends\"", "\"boss\"", "null", "true", "\\u0041", "\\ud83e\\uddf5", "1e400",
            "-0.0",
            "99999999999999999999", "\"2024-01-02T03:04:05Z\"", "\"1.5\"", "\"AAEC\"", "[[", "{}",
        ],
        seeds: {
            [
                """
                [{"id": 7, "name": "Anna \\u00dc", "years": 30, "big": "9007199254740993", "price": 12.50, "flag": true,
                  "born": "2024-01-02 03:04", "seen": "2024-01-02T03:04:05Z", "data": "AAEC", "home": "https://a.b/c",
                  "key": "00112233-4455-6677-8899-AABBCCDDEEFF", "boss": 8, "friends": [{"id": 9, "name": "B"}, 7, null]},
                 {"id": "8", "name": null, "real": -1.5e3, "nested": {"note": "x"}}]
                """, "{\"id\": 1}\n{\"id\": 2, \"boss\": {\"id\": 1}}\n",
            ].map { Data($0) }
        },
        read: { data in
            let context = context
            try context.performAndWait {
                defer { context.reset() }
                let report = try Person.importAll(from: data, in: context)
                for object in context.insertedObjects { try? object.validateForInsert() }
                if let failure = report.failures.first { throw failure.error }
            }
        })

    private static let context: NSManagedObjectContext = {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Workshop.model(of: model))
        try! coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }()

    private static let model = """
        <model><entity name="Person" representedClassName=".Person">
        <userInfo><entry key="relatedByAttribute" value="id"/></userInfo>
        <attribute name="id" attributeType="Integer 64"/><attribute name="name" optional="YES" attributeType="String"/>
        <attribute name="age" attributeType="Integer 16" defaultValueString="0">
        <userInfo><entry key="mappedKeyName" value="years"/></userInfo></attribute>
        <attribute name="big" optional="YES" attributeType="Integer 64"/>
        <attribute name="price" optional="YES" attributeType="Decimal"/>
        <attribute name="real" optional="YES" attributeType="Float"/>
        <attribute name="flag" optional="YES" attributeType="Boolean"/>
        <attribute name="born" optional="YES" attributeType="Date">
        <userInfo><entry key="dateFormat" value="yyyy-MM-dd HH:mm"/></userInfo></attribute>
        <attribute name="seen" optional="YES" attributeType="Date"/>
        <attribute name="data" optional="YES" attributeType="Binary"/>
        <attribute name="home" optional="YES" attributeType="URI"/>
        <attribute name="key" optional="YES" attributeType="UUID"/>
        <attribute name="note" optional="YES" attributeType="String">
        <userInfo><entry key="mappedKeyName" value="nested.note"/></userInfo></attribute>
        <relationship name="boss" optional="YES" maxCount="1" destinationEntity="Person" inverseName="staff" \
        inverseEntity="Person"/>
        <relationship name="staff" optional="YES" toMany="YES" destinationEntity="Person" inverseName="boss" \
        inverseEntity="Person"/>
        <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Person" inverseName="friends" \
        inverseEntity="Person"/></entity></model>
        """
}

final class Person: NSManagedObject {}
