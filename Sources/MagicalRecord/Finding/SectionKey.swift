import CoreData

/// The key of sections: an attribute by which the store sorts, or a value computed from each object.
struct SectionKey: Sendable {
    /// The name of the property, or chain of properties; nil for a computed property.
    private let name: String?

    init<Object: NSManagedObject>(_ key: KeyPath<Object, some Any>) {
        name = Self.isDeclaredComputed(key) ? nil : try? KeyPathName.of(key).get()
    }

    /// Returns the attribute by which the store sorts objects of an entity; nil if the key is not one.
    ///
    /// - Throws: ``MagicalRecordError/Code/unknownKey`` for a property that the model lacks.
    func attribute(of entity: NSEntityDescription) throws -> String? {
        guard let name, !name.isEmpty, name != "objectID" else { return nil }
        let parts = name.split(separator: ".").map(String.init)
        let owner = parts.dropLast().reduce(Optional(entity)) { $0?.relationshipsByName[$1]?.destinationEntity }
        if let attribute = owner?.attributesByName[parts.last ?? ""] { return attribute.isSortable ? name : nil }
        #if !canImport(ObjectiveC)
        // Accessors of the model alone have names. On Apple's platforms those of computed properties in Objective-C have too.
        _ = try AggregateFetch.attributeType(of: name, in: entity)
        #endif
        return nil
    }

    /// Returns whether the class declares that the property is computed, so that its getter need not be tried.
    private static func isDeclaredComputed<Object: NSManagedObject>(_ key: KeyPath<Object, some Any>) -> Bool {
        #if canImport(ObjectiveC)
        return false
        #else
        return (Object.self as? any ComputedKeys.Type)?.computedKeys.values.contains(key) ?? false
        #endif
    }
}

extension NSAttributeDescription {
    /// True if stores sort by the attribute.
    var isSortable: Bool {
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *), self is NSCompositeAttributeDescription {
            return false
        }
        let others: [NSAttributeType] = [
            .binaryDataAttributeType, .transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType,
        ]
        return !isTransient && !others.contains(attributeType)
    }
}
