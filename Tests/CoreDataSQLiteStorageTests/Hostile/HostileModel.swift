import CoreData
import CoreDataTestSupport
import Foundation

/// The model of the stores that are damaged: every attribute type, every kind of relationship, inheritance, a derived
/// attribute, a uniqueness constraint, an index, external data.
enum HostileModel {
    /// Attribute types by the attribute's name in the entity Base.
    static let types: KeyValuePairs<String, NSAttributeType> = [
        "small": .integer16AttributeType, "medium": .integer32AttributeType, "large": .integer64AttributeType,
        "price": .decimalAttributeType, "ratio": .doubleAttributeType, "share": .floatAttributeType,
        "name": .stringAttributeType, "isOn": .booleanAttributeType, "born": .dateAttributeType,
        "blob": .binaryDataAttributeType, "mark": .UUIDAttributeType, "site": .URIAttributeType,
    ]

    /// - Parameter version: 0 for the version of the stores, 1 for one that SQL migrates them to, 2 for one whose rows are
    ///   copied object by object.
    static func make(version: Int = 0) -> NSManagedObjectModel {
        let base = FormatStore.entity("Base"), leaf = FormatStore.entity("Leaf"), scan = FormatStore.entity("Scan")
        let owner = FormatStore.entity("Owner"), tag = FormatStore.entity("Tag")
        base.properties = types.map { LibraryModel.attribute($0, $1) }
        let list = LibraryModel.attribute("list", .transformableAttributeType)
        list.valueTransformerName = NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue
        base.properties.append(list)
        leaf.properties = [LibraryModel.attribute("extra", .stringAttributeType, optional: false, default: "x")]
        base.subentities = [leaf]
        LibraryModel.relate(owner, "things", many: true, base, "owner", many: false, ordered: true)
        LibraryModel.relate(base, "children", many: true, base, "parent", many: false, rule: .cascadeDeleteRule)
        LibraryModel.relate(base, "tags", many: true, tag, "things", many: true)
        LibraryModel.relate(leaf, "picks", many: true, tag, "pickers", many: true, ordered: true)
        LibraryModel.relate(owner, "scan", many: false, scan, "owner", many: false)
        owner.properties += [
            derived("count", .integer64AttributeType, "things.@count"),
            derived("plain", .stringAttributeType, "canonical:(name)"),
        ]
        let data = LibraryModel.attribute("data", .binaryDataAttributeType)
        data.allowsExternalBinaryDataStorage = version != 2
        scan.properties.append(data)
        tag.uniquenessConstraints = [["name"]]
        if let small = base.attributesByName["small"], let name = base.attributesByName["name"] {
            base.indexes = [
                NSFetchIndexDescription(
                    name: "bySmall",
                    elements: [small, name].map { .init(property: $0, collationType: .binary) })
            ]
        }
        if version > 0 {
            base.properties.append(LibraryModel.attribute("note", .stringAttributeType, default: "new"))
            base.attributesByName["small"]?.attributeType = .integer64AttributeType
        }
        let model = NSManagedObjectModel()
        model.entities = [base, leaf, owner, scan, tag]
        return model
    }

    private static func derived(_ name: String, _ type: NSAttributeType, _ format: String) -> NSAttributeDescription {
        let attribute = NSDerivedAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.derivationExpression = NSExpression(format: format)
        return attribute
    }

    /// Fills a store with three saves.
    static func fill(_ context: NSManagedObjectContext) throws {
        let tags = (0..<5).map { context.insert("Tag", ["name": "tag \($0)"]) }
        let owners = (0..<3).map { context.insert("Owner", ["name": "Öwner \($0)"]) }
        for (number, owner) in owners.enumerated() {
            let data = Data((0..<(number == 0 ? 200_000 : 50)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            context.insert("Scan", ["name": "scan \(number)", "data": data, "owner": owner])
        }
        var last: NSManagedObject?
        for number in 0..<24 {
            let thing = context.insert(number % 3 == 0 ? "Leaf" : "Base", values(number))
            thing.setValue(owners[number % 3], forKey: "owner")
            thing.setValue(number % 4 == 0 ? nil : last, forKey: "parent")
            thing.mutableSetValue(forKey: "tags").addObjects(from: [tags[number % 5], tags[(number + 1) % 5]])
            if number % 3 == 0 {
                thing.mutableOrderedSetValue(forKey: "picks").addObjects(from: [tags[number % 4], tags[4]])
            }
            last = thing
        }
        try context.save()
        owners[1].setValue("renamed", forKey: "name")
        try context.save()
        context.delete(owners[2])
        try context.save()
    }

    static func values(_ number: Int) -> [String: Any] {
        [
            "small": number, "medium": number * 1000, "large": number << 40, "ratio": Double(number) / 3,
            "price": NSDecimalNumber(string: "\(number).25"), "share": Float(number) / 2, "name": "name \(number)",
            "isOn": number % 2 == 0, "born": Date(timeIntervalSinceReferenceDate: Double(number) * 1e6),
            "blob": Data(repeating: UInt8(number), count: 20), "mark": UUID(),
            "site": URL(string: "https://example.org/\(number)") as Any,
            "list": ["a", number, ["k": Date(timeIntervalSinceReferenceDate: 0)]] as NSArray,
        ]
    }
}
