import CoreData

extension Target {
    /// Binary stores. Inputs lack the checksum at the end of the file, which `read` appends: mutations would invalidate it.
    static let binaryStores = Target(
        name: "binary-stores", words: ["bplist00", "Base", "Leaf", "Owner"],
        seeds: { [try sampleFile(NSBinaryStoreType).dropLast(8)] },
        read: { data in
            var sum: UInt64 = 0xcbf2_9ce4_8422_2325
            for byte in data { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
            try open(data + withUnsafeBytes(of: sum.littleEndian) { Data($0) }, NSBinaryStoreType)
        })

    static let xmlStores = Target(
        name: "xml-stores",
        words: [
            "<object type=\"LEAF\" id=\"", "<attribute name=\"", "type=\"string\"", "encoding=\"base64\"",
            "<relationship name=\"", "idrefs=\"", "<databaseInfo>", "<metadata>", "<plist>", "</database>",
        ],
        seeds: { [try sampleFile(NSXMLStoreType)] },
        read: { try open($0, NSXMLStoreType) })

    /// Opens a store, reads its metadata and all values of its objects.
    private static func open(_ data: Data, _ type: String) throws {
        let url = Workshop.folder.appendingPathComponent("Input.\(type)")
        try data.write(to: url)
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: [NSReadOnlyPersistentStoreOption: true])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for name in ["Leaf", "Owner"] {
                for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)) {
                    _ = object.dictionaryWithValues(forKeys: Array(object.entity.propertiesByName.keys))
                }
            }
        }
        try coordinator.remove(store)
    }

    /// Returns the file of a store with a few objects.
    private static func sampleFile(_ type: String) throws -> Data {
        let url = Workshop.folder.appendingPathComponent("Sample.\(type)")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let owner = NSEntityDescription.insertNewObject(forEntityName: "Owner", into: context)
            owner.setValue(Set([owner]), forKey: "friends")
            for name in ["a", "ü & <x>"] {
                let leaf = NSEntityDescription.insertNewObject(forEntityName: "Leaf", into: context)
                let values: [String: Any] = [
                    "name": name, "id": UUID(), "born": Date(), "price": NSDecimalNumber(string: "1.25"), "size": 4,
                    "owner": owner, "site": URL(string: "https://a.b/c")!, "photo": Data(0..<9), "list": ["a", 1],
                ]
                for (key, value) in values { leaf.setValue(value, forKey: key) }
            }
            try context.save()
        }
        try coordinator.remove(store)
        return try Data(contentsOf: url)
    }

    private static let model = Workshop.model(
        of: """
            <model><entity name="Base" isAbstract="YES"><attribute name="id" optional="YES" attributeType="UUID"/>
            <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Owner" inverseName="things" \
            inverseEntity="Owner"/></entity>
            <entity name="Leaf" parentEntity="Base"><attribute name="name" attributeType="String"/>
            <attribute name="born" optional="YES" attributeType="Date"/>
            <attribute name="price" optional="YES" attributeType="Decimal"/>
            <attribute name="size" attributeType="Integer 16"/>
            <attribute name="site" optional="YES" attributeType="URI"/>
            <attribute name="photo" optional="YES" attributeType="Binary"/>
            <attribute name="list" optional="YES" attributeType="Transformable"/></entity>
            <entity name="Owner"><relationship name="things" optional="YES" toMany="YES" ordered="YES" \
            destinationEntity="Base" inverseName="owner" inverseEntity="Base"/>
            <relationship name="friends" optional="YES" toMany="YES" destinationEntity="Owner" inverseName="friends" \
            inverseEntity="Owner"/></entity></model>
            """)
}
