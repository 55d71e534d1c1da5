import Foundation

/// The hashes by which Core Data decides whether a store is compatible with a model.
///
/// They equal those that Apple's framework writes into stores and `VersionInfo.plist`; the rules were derived from thousands of
/// such pairs.
extension Model {
    /// Returns the version hash of every entity: 32 bytes by entity name.
    ///
    /// - Parameter configuration: the configuration to hash the entities of; `nil` for all entities.
    /// - Throws: ``ModelFormatError`` for a missing parent, an inheritance cycle, or an unknown configuration.
    public func versionHashes(configuration: String? = nil) throws(ModelFormatError) -> [String: Data] {
        var hasher = EntityHasher(entities)
        var hashes = [String: Data](minimumCapacity: entities.count)
        for entity in try entities(in: configuration) { hashes[entity.name] = Data(try hasher.hash(entity)) }
        return hashes
    }

    /// Returns the base64 text of `NSStoreModelVersionHashesDigest`: SHA-512 over the names and hashes, sorted by name.
    public static func versionHashesDigest(_ hashes: [String: Data]) -> String {
        let message = sorted(hashes).flatMap { Array($0.key.utf8) + Array($0.value) }
        return Data(SHA512.hash(message)).base64EncodedString()
    }

    /// Returns the base64 text of `NSStoreModelVersionChecksumKey` and `NSManagedObjectModel.versionChecksum`: SHA-256 over the
    /// hashes, sorted by name.
    public static func versionChecksum(_ hashes: [String: Data]) -> String {
        Data(SHA256.hash(sorted(hashes).flatMap { Array($0.value) })).base64EncodedString()
    }

    private static func sorted(_ hashes: [String: Data]) -> [(key: String, value: Data)] {
        hashes.sorted(byText: \.key, .literal)
    }

    private func entities(in configuration: String?) throws(ModelFormatError) -> [Entity] {
        guard let configuration else { return entities }
        guard let members = configurations.first(where: { $0.name == configuration }) else {
            throw ModelFormatError(.unknownName, "the model has no configuration \(configuration)")
        }
        let names = Set(members.entityNames)
        return entities.filter { names.contains($0.name) }
    }
}

/// Returns whether a name sorts before another by UTF-16 code units, the order of Core Data's hashes and stores.
package func literallyPrecedes(_ left: String, _ right: String) -> Bool {
    var (first, second) = (left, right)
    return first.withUTF8 { one in
        second.withUTF8 { other in
            for index in 0..<min(one.count, other.count) where one[index] != other[index] {
                // UTF-8 sorts as UTF-16 does except for characters above the surrogates.
                guard one[index] >= 0xEE, other[index] >= 0xEE else { return one[index] < other[index] }
                return left.utf16.lexicographicallyPrecedes(right.utf16)
            }
            return one.count < other.count
        }
    }
}

extension Dictionary where Key == String {
    /// Creates a dictionary of values by name; of several with one name, the first is kept.
    ///
    /// Avoids the array of pairs that `Dictionary(_:uniquingKeysWith:)` takes: instantiating a new array type costs the runtime
    /// more than filling it.
    @inlinable
    package init(_ values: some Sequence<Value>, by name: (Value) -> String) {
        self.init(minimumCapacity: values.underestimatedCount)
        for value in values {
            let name = name(value)
            if self[name] == nil { self[name] = value }
        }
    }
}

/// Computes the hashes of entities and properties, each once.
private struct EntityHasher {
    private let entities: [String: Entity]
    private var known: [String: HashedEntity]

    private struct HashedEntity {
        let hash: [UInt8]
        /// The hashes of all persistent properties, including inherited ones, sorted by name.
        let properties: [HashedProperty]
    }

    private struct HashedProperty {
        let name: String
        let hash: [UInt8]
    }

    /// The properties that an entity declares.
    private struct Declared {
        /// The hashes of the persistent properties, sorted by name.
        var hashed: [HashedProperty] = []
        /// All names, which shadow those of ancestors.
        var names: [String] = []
    }

    init(_ entities: [Entity]) {
        self.entities = [String: Entity](entities, by: \.name)
        known = [String: HashedEntity](minimumCapacity: entities.count)
    }

    mutating func hash(_ entity: Entity) throws(ModelFormatError) -> [UInt8] {
        if let known = known[entity.name] { return known.hash }
        // Ancestors are hashed first, from the root down, so that deep hierarchies need no recursion.
        for ancestor in try unknownLineage(of: entity).reversed() {
            let parent = ancestor.parentName.flatMap { known[$0] }
            let properties = Self.merged(declared(in: ancestor), with: parent?.properties ?? [])
            known[ancestor.name] = HashedEntity(
                hash: digest(ancestor, parent: parent?.hash, properties: properties), properties: properties)
        }
        return known[entity.name]?.hash ?? []
    }

    /// Returns the entity and those of its ancestors that have not been hashed, nearest first.
    private func unknownLineage(of entity: Entity) throws(ModelFormatError) -> [Entity] {
        var lineage = [entity]
        if entity.parentName == nil { return lineage }
        var names: Set = [entity.name]
        while let parentName = lineage[lineage.count - 1].parentName, known[parentName] == nil {
            guard let parent = entities[parentName] else {
                throw ModelFormatError(.unknownName, "the parent entity \(parentName) is missing", entity: entity.name)
            }
            guard names.insert(parentName).inserted else {
                throw ModelFormatError(.cycle, "the entity inherits from itself", entity: entity.name)
            }
            lineage.append(parent)
        }
        return lineage
    }

    /// Returns all properties of an entity, sorted by name; declared ones shadow inherited ones.
    private static func merged(_ own: Declared, with inherited: [HashedProperty]) -> [HashedProperty] {
        if own.names.isEmpty { return inherited }
        if inherited.isEmpty { return own.hashed }
        let shadowed = Set(own.names)
        var merged: [HashedProperty] = []
        merged.reserveCapacity(inherited.count + own.hashed.count)
        var rest = own.hashed[...]
        for property in inherited where !shadowed.contains(property.name) {
            while let next = rest.first, literallyPrecedes(next.name, property.name) {
                merged.append(next)
                rest.removeFirst()
            }
            merged.append(property)
        }
        return merged + rest
    }

    private func declared(in entity: Entity) -> Declared {
        var properties = Declared()
        for attribute in entity.attributes {
            properties.names.append(attribute.name)
            if attribute.isTransient { continue }
            properties.hashed.append(HashedProperty(name: attribute.name, hash: PropertyHash.attribute(attribute)))
        }
        for relationship in entity.relationships {
            properties.names.append(relationship.name)
            if relationship.isTransient { continue }
            let reflexive = relationship.inverseName == relationship.name && isReflexive(relationship, in: entity)
            properties.hashed.append(
                HashedProperty(
                    name: relationship.name, hash: PropertyHash.relationship(relationship, isOwnInverse: reflexive)))
        }
        properties.names += entity.fetchedProperties.lazy.map(\.name)
        properties.hashed = properties.hashed.sorted(byText: \.name, .literal)
        return properties
    }

    /// Returns whether a relationship with an inverse of the same name is its own inverse: its destination is the entity that
    /// declares it, or one that inherits it.
    private func isReflexive(_ relationship: Relationship, in entity: Entity) -> Bool {
        var name: String? = relationship.destinationName
        var steps = 0
        while let current = name, steps <= entities.count {
            if current == entity.name { return true }
            if entities[current]?.relationships.contains(where: { $0.name == relationship.name }) == true {
                return false
            }
            name = entities[current]?.parentName
            steps += 1
        }
        return false
    }

    private func digest(_ entity: Entity, parent: [UInt8]?, properties: [HashedProperty]) -> [UInt8] {
        var message = Array(entity.name.utf8)
        message.append(entity.isAbstract ? 1 : 0)
        message += parent ?? []
        message.reserveCapacity(message.count + 32 * (properties.count + 1))
        for property in properties { message += property.hash }
        message += Array((entity.versionHashModifier ?? "").utf8)
        let constraints = entity.uniquenessConstraints.map { names in
            names.dropFirst().reduce(names.first ?? "") { $0 + "." + $1 }
        }
        for constraint in constraints.sorted(byText: \.self, .literal) { message += Array(constraint.utf8) }
        return SHA256.hash(message)
    }
}

/// Computes the hashes of single properties.
enum PropertyHash {
    static func attribute(_ attribute: Attribute) -> [UInt8] {
        if let derivation = attribute.derivation {
            return SHA256.hash(Array(DerivationText.normalized(derivation).utf8))
        }
        if attribute.type == .composite {
            let elements = flattened(attribute.elements).sorted(byText: \.name, .literal)
            return SHA256.hash(elements.flatMap { self.attribute($0) })
        }
        var message = base(
            attribute.name, isOptional: attribute.isOptional, isTransient: attribute.isTransient,
            isReadOnly: attribute.isReadOnly, modifier: attribute.versionHashModifier)
        message += littleEndian(attribute.type.rawValue)
        if attribute.allowsExternalBinaryDataStorage { message.append(1) }
        if attribute.preservesValueInHistoryOnDeletion { message.append(1) }
        return SHA256.hash(message)
    }

    static func relationship(_ relationship: Relationship, isOwnInverse: Bool) -> [UInt8] {
        var message = base(
            relationship.name, isOptional: relationship.isOptional, isTransient: relationship.isTransient,
            isReadOnly: relationship.isReadOnly, modifier: relationship.versionHashModifier)
        message += Array(relationship.destinationName.utf8)
        if !isOwnInverse { message += Array((relationship.inverseName ?? "").utf8) }
        message += littleEndian(UInt32(truncatingIfNeeded: relationship.maxCount))
        message += littleEndian(UInt32(truncatingIfNeeded: relationship.minCount))
        if relationship.isOrdered { message += [1, 0] }
        return SHA256.hash(message)
    }

    /// Returns the hash of a fetched property, which is not part of the entity's hash.
    static func fetchedProperty(_ property: FetchedProperty) -> [UInt8] {
        base(
            property.name, isOptional: property.isOptional, isTransient: true, isReadOnly: true,
            modifier: property.versionHashModifier)
    }

    private static func base(
        _ name: String, isOptional: Bool, isTransient: Bool, isReadOnly: Bool, modifier: String?
    ) -> [UInt8] {
        let flags: UInt8 = (isOptional ? 1 : 0) + (isTransient ? 2 : 0) + (isReadOnly ? 4 : 0)
        var message: [UInt8] = []
        message.reserveCapacity(name.utf8.count + 2)
        message.append(contentsOf: name.utf8)
        message.append(flags)
        message.append(0)
        if let modifier { message.append(contentsOf: modifier.utf8) }
        return SHA256.hash(message)
    }

    private static func flattened(_ elements: [Attribute]) -> [Attribute] {
        elements.flatMap { $0.type == .composite ? flattened($0.elements) : [$0] }
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        [
            UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8),
            UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 24),
        ]
    }
}

extension Attribute {
    /// The version hash of the attribute, equal to `NSPropertyDescription.versionHash`: 32 bytes.
    public var versionHash: Data { Data(PropertyHash.attribute(self)) }
}

extension FetchedProperty {
    /// The version hash of the property, equal to `NSPropertyDescription.versionHash`: 32 bytes.
    public var versionHash: Data { Data(PropertyHash.fetchedProperty(self)) }
}

extension Relationship {
    /// Returns the version hash of the relationship, equal to `NSPropertyDescription.versionHash`: 32 bytes.
    ///
    /// - Parameter isOwnInverse: true if the relationship is its own inverse.
    public func versionHash(isOwnInverse: Bool) -> Data {
        Data(PropertyHash.relationship(self, isOwnInverse: isOwnInverse))
    }
}

/// Normalizes the expressions of derived attributes.
enum DerivationText {
    /// Returns the form that Core Data prints and hashes: `items.@count` becomes `count:(items)`, spaces are removed, and names
    /// that are reserved words are escaped. Text beyond the forms that stores compute is unchanged.
    static func normalized(_ text: String) -> String {
        SimpleExpression.parse(text)?.text ?? text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
