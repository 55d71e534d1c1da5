import Foundation

/// Writes a compiled model: an archive of an `NSManagedObjectModel` with the classes and keys Apple's tools use.
struct ModelArchiveWriter {
    /// The destination of the archive, which determines some details.
    enum Purpose {
        /// A `.mom` file: entities hold their own properties.
        case file
        /// The cache in a store: entities repeat inherited properties, up to a limit, and are listed in a dictionary with known
        /// keys.
        case cache
        /// Part of a model: as in a file, but referenced entities may be missing.
        case part
    }

    private let model: Model
    private let purpose: Purpose
    private let parser: (any PredicateTextParser)?
    private var builder = KeyedArchiveBuilder()
    private var entityIndexes: [String: Int] = [:]
    private var relationshipIndexes: [String: Int] = [:]
    private let byName: [String: Entity]
    private let childNames: [String: [String]]
    /// True if entities repeat inherited properties.
    private let repeatsInherited: Bool
    private var root = 0

    /// The limit of inherited properties and ancestors, over all entities, up to which they are repeated. A thousand levels of
    /// inheritance have half a million.
    private static let mostRepeated = 20_000

    init(_ model: Model, purpose: Purpose, parser: (any PredicateTextParser)?) {
        self.model = model
        self.purpose = purpose
        self.parser = parser
        byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        childNames = Dictionary(grouping: model.entities.lazy.filter { $0.parentName != nil }) { $0.parentName ?? "" }
            .mapValues { $0.map(\.name) }
        repeatsInherited = purpose == .cache && Self.inheritedCount(model, byName) <= Self.mostRepeated
    }

    /// Returns the number of ancestors of all entities plus the properties of these.
    private static func inheritedCount(_ model: Model, _ byName: [String: Entity]) -> Int {
        // The counts of an entity including its ancestors.
        var counts = [String: Int](minimumCapacity: model.entities.count)
        var total = 0
        for entity in model.entities {
            var path: [Entity] = []
            var next: Entity? = entity
            while let current = next, counts[current.name] == nil, path.count < model.entities.count {
                path.append(current)
                next = current.parentName.flatMap { byName[$0] }
            }
            for one in path.reversed() {
                let own = 1 + one.attributes.count + one.relationships.count + one.fetchedProperties.count
                counts[one.name] = own + (one.parentName.flatMap { counts[$0] } ?? 0)
            }
            total += entity.parentName.flatMap { counts[$0] } ?? 0
        }
        return total
    }

    mutating func write() throws(ModelFormatError) -> Data {
        if purpose != .part, let problem = model.problems().first { throw problem }
        root = builder.reserve()
        let entities = model.entities.sorted(byText: \.name, .literal)
        for entity in entities {
            entityIndexes[entity.name] = builder.reserve()
            for relationship in properties(of: entity).relationships {
                relationshipIndexes[entity.name + "." + relationship.name] = builder.reserve()
            }
        }
        for entity in entities { try write(entity) }
        var values: [String: PropertyListNode] = [
            "NSEntities": dictionaryOfEntities(entities.map(\.name)),
            "NSVersionIdentifiers": strings(model.versionIdentifiers, class: "NSSet"),
            "NSFetchRequestTemplates": KeyedArchiveBuilder.null,
        ]
        if !model.fetchTemplates.isEmpty {
            var templates: [(key: String, value: PropertyListNode)] = []
            for template in model.fetchTemplates {
                do throws(ModelFormatError) {
                    templates.append((template.name, try request(template)))
                } catch {
                    var error = error
                    error.property = template.name
                    throw error
                }
            }
            values["NSFetchRequestTemplates"] = builder.add(dictionary: templates)
        }
        if !model.configurations.isEmpty {
            let configurations = model.configurations.map { configuration in
                let members = configuration.entityNames.compactMap { entityIndexes[$0] }.map {
                    PropertyListNode.uid($0)
                }
                return (key: configuration.name, value: builder.add(array: members, class: "NSMutableSet"))
            }
            values["NSConfigurations"] = builder.add(dictionary: configurations)
        }
        builder.fill(root, class: "NSManagedObjectModel", values)
        return builder.finished(root: .uid(root))
    }

    private mutating func strings(_ texts: [String], class name: String) -> PropertyListNode {
        let references = texts.map { builder.add(string: $0) }
        return builder.add(array: references, class: name)
    }

    private mutating func dictionaryOfEntities(_ names: [String]) -> PropertyListNode {
        let references = names.map { PropertyListNode.uid(entityIndexes[$0] ?? 0) }
        if purpose != .cache { return builder.add(dictionary: Array(zip(names, references)).map { ($0, $1) }) }
        let mapping = builder.add(
            class: "NSKnownKeysMappingStrategy1",
            [
                "length": .integer(Int64(names.count)), "keys": strings(names, class: "NSArray"),
                "version": .integer(1),
            ])
        return builder.add(
            class: "NSKnownKeysDictionary1",
            [
                "values": builder.add(array: references), "searchMapping": mapping, "version": .integer(1),
                "emptyToken": builder.add(string: "__empty_slot_token_4c24_98dc_ac1e_b773__"),
            ])
    }

    // MARK: Entities

    /// Returns the entity with the properties to write into it.
    private func properties(of entity: Entity) -> Entity {
        guard repeatsInherited else { return entity }
        var all = entity
        var names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
        names.formUnion(entity.fetchedProperties.map(\.name))
        var parent = entity.parentName.flatMap { byName[$0] }
        while let ancestor = parent {
            all.attributes += ancestor.attributes.filter { names.insert($0.name).inserted }
            all.relationships += ancestor.relationships.filter { names.insert($0.name).inserted }
            all.fetchedProperties += ancestor.fetchedProperties.filter { names.insert($0.name).inserted }
            parent = ancestor.parentName.flatMap { byName[$0] }
        }
        return all
    }

    private mutating func write(_ entity: Entity) throws(ModelFormatError) {
        guard let index = entityIndexes[entity.name] else { return }
        do throws(ModelFormatError) {
            let values = try values(of: entity, index: index)
            builder.fill(index, class: "NSEntityDescription", values)
        } catch {
            var error = error
            if error.entity == nil { error.entity = entity.name }
            throw error
        }
    }

    private mutating func values(
        of entity: Entity, index: Int
    ) throws(ModelFormatError) -> [String: PropertyListNode] {
        let all = properties(of: entity)
        var properties: [(key: String, value: PropertyListNode)] = []
        let indexed = singleIndexes(entity)
        for attribute in all.attributes {
            var attribute = attribute
            if indexed.contains(attribute.name) { attribute.isIndexed = true }
            properties.append((attribute.name, try write(attribute, entity: index)))
        }
        for relationship in all.relationships {
            properties.append((relationship.name, try write(relationship, in: entity.name, indexed: indexed)))
        }
        for property in all.fetchedProperties { properties.append((property.name, try write(property, entity: index))) }
        let children = childNames[entity.name] ?? []
        var values: [String: PropertyListNode] = [
            "NSEntityName": builder.add(string: entity.name),
            "NSClassNameForEntity": builder.add(string: entity.className ?? "NSManagedObject"),
            "NSManagedObjectModel": .uid(root),
            "NSSuperentity": .uid(entity.parentName.flatMap { entityIndexes[$0] } ?? 0),
            "NSSubentities": builder.add(
                dictionary: children.map { ($0, PropertyListNode.uid(entityIndexes[$0] ?? 0)) }),
            "NSProperties": builder.add(dictionary: properties),
            "NSRenamingIdentifier": builder.add(string: entity.renamingIdentifier ?? entity.name),
            "NSVersionHashModifier": builder.add(string: entity.versionHashModifier),
            "NSUserInfo": builder.add(values: entity.userInfo),
        ]
        if entity.isAbstract { values["NSIsAbstract"] = .bool(true) }
        if !entity.uniquenessConstraints.isEmpty { values["NSUniqueTuples"] = lists(entity.uniquenessConstraints) }
        let compound = entity.compoundIndexes + compoundIndexes(entity)
        if !compound.isEmpty { values["NSCompoundIndexes"] = lists(compound) }
        if !entity.fetchIndexes.isEmpty {
            var indexes: [PropertyListNode] = []
            for fetchIndex in entity.fetchIndexes { indexes.append(try write(fetchIndex, entity: index)) }
            values["NSFetchIndexDescriptions"] = builder.add(array: indexes, class: "NSMutableArray")
        }
        return values
    }

    private mutating func lists(_ lists: [[String]]) -> PropertyListNode {
        let references = lists.map { strings($0, class: "NSMutableArray") }
        return builder.add(array: references, class: "NSMutableArray")
    }

    /// Returns the properties of ascending one-property indexes, which are also flagged in the legacy form.
    private func singleIndexes(_ entity: Entity) -> Set<String> {
        Set(plainIndexes(entity).filter { $0.count == 1 }.map { $0[0] })
    }

    /// Returns the ascending multi-property indexes, which are also listed in the legacy form.
    private func compoundIndexes(_ entity: Entity) -> [[String]] {
        plainIndexes(entity).filter { $0.count > 1 && !entity.compoundIndexes.contains($0) }
    }

    private func plainIndexes(_ entity: Entity) -> [[String]] {
        entity.fetchIndexes.compactMap { index in
            guard index.partialIndexPredicate == nil else { return nil }
            var names: [String] = []
            for element in index.elements {
                guard case .property(let name) = element.subject, element.kind == .binary, element.isAscending else {
                    return nil
                }
                names.append(name)
            }
            return names
        }
    }

    private mutating func write(
        _ fetchIndex: FetchIndex, entity: Int
    ) throws(ModelFormatError) -> PropertyListNode {
        let index = builder.reserve()
        var elements: [PropertyListNode] = []
        for element in fetchIndex.elements {
            var values: [String: PropertyListNode] = [
                "NSFetchIndexElementType": .integer(Int64(element.kind.rawValue)),
                "NSFetchIndexDescription": .uid(index), "NSAscending": .bool(element.isAscending),
            ]
            switch element.subject {
            case .property(let name): values["NSPropertyName"] = builder.add(string: name)
            case .expression(let text, let type):
                values["NSIndexedProperty"] = builder.add(
                    class: "NSExpressionDescription",
                    [
                        "NSExpression": builder.add(expression: try expression(text)),
                        "NSExpressionType": .integer(Int64(type.rawValue)),
                        "NSPropertyName": builder.add(string: text),
                    ])
            }
            elements.append(builder.add(class: "NSFetchIndexElementDescription", values))
        }
        var predicate = KeyedArchiveBuilder.null
        if let text = fetchIndex.partialIndexPredicate { predicate = builder.add(predicate: try self.predicate(text)) }
        builder.fill(
            index, class: "NSFetchIndexDescription",
            [
                "NSIndexName": builder.add(string: fetchIndex.name), "NSIndexElements": builder.add(array: elements),
                "NSPartialIndexPredicate": predicate, "NSEntity": .uid(entity),
            ])
        return .uid(index)
    }

    // MARK: Text

    private func predicate(_ text: String) throws(ModelFormatError) -> ArchivedPredicate {
        switch text {
        case "TRUEPREDICATE": return .constant(true)
        case "FALSEPREDICATE": return .constant(false)
        default: break
        }
        guard let parser else { throw noParser(text) }
        do {
            return try parser.predicate(text)
        } catch {
            throw ModelFormatError(.invalidValue, "the predicate \"\(text)\" cannot be read: \(error)")
        }
    }

    private func expression(_ text: String) throws(ModelFormatError) -> ArchivedExpression {
        if let simple = SimpleExpression.parse(text) { return simple }
        guard let parser else { throw noParser(text) }
        do {
            return try parser.expression(text)
        } catch {
            throw ModelFormatError(.invalidValue, "the expression \"\(text)\" cannot be read: \(error)")
        }
    }

    private func noParser(_ text: String) -> ModelFormatError {
        ModelFormatError(
            .unsupported, "\"\(text)\" cannot be archived without a parser for predicates",
            advice: "Pass a PredicateTextParser")
    }
}

// MARK: - Properties

extension ModelArchiveWriter {
    /// The fields that all kinds of property share.
    private struct Common {
        var name: String
        var renamingIdentifier: String?
        var versionHashModifier: String?
        var userInfo: [String: ModelValue]
        var validation: [ValidationRule] = []
        var isOptional = false
        var isTransient = false
        var isReadOnly = false
        var isIndexed = false
        var isIndexedBySpotlight = false
        var isOrdered = false
        var allowsCloudEncryption = false

        /// The flags as one bit field, which a property repeats under the key `_P`.
        var packed: Int64 {
            var bits: Int64 = 1
            if isOptional { bits |= 2 }
            if isReadOnly { bits |= 4 }
            if isTransient { bits |= 8 }
            if validation.isEmpty { bits |= 16 | 32 }
            if userInfo.isEmpty { bits |= 64 }
            if versionHashModifier == nil { bits |= 128 }
            if isIndexedBySpotlight { bits |= 256 }
            if isOrdered { bits |= 1024 }
            if allowsCloudEncryption { bits |= 2048 }
            return bits
        }
    }

    private mutating func write(
        _ common: Common, entity: Int
    ) throws(ModelFormatError) -> [String: PropertyListNode] {
        var values: [String: PropertyListNode] = [
            "NSPropertyName": builder.add(string: common.name),
            "NSRenamingIdentifier": builder.add(string: common.renamingIdentifier ?? common.name),
            "NSEntity": .uid(entity),
            "_P": .integer(common.packed),
        ]
        if common.isOptional { values["NSIsOptional"] = .bool(true) }
        if common.isTransient { values["NSIsTransient"] = .bool(true) }
        if common.isReadOnly { values["NSIsReadOnly"] = .bool(true) }
        if common.isIndexed { values["NSIsIndexed"] = .bool(true) }
        if common.isIndexedBySpotlight { values["NSIndexedBySpotlight"] = .bool(true) }
        if let modifier = common.versionHashModifier { values["NSVersionHashModifier"] = builder.add(string: modifier) }
        if !common.userInfo.isEmpty { values["NSUserInfo"] = builder.add(values: common.userInfo) }
        if !common.validation.isEmpty {
            var predicates: [PropertyListNode] = []
            var warnings: [PropertyListNode] = []
            for rule in common.validation {
                predicates.append(builder.add(predicate: try node(of: rule, property: common.name)))
                switch rule.warning {
                case .code(let code): warnings.append(builder.add(.integer(Int64(code))))
                case .text(let text): warnings.append(builder.add(string: text))
                }
            }
            values["NSValidationPredicates"] = builder.add(array: predicates)
            values["NSValidationWarnings"] = builder.add(array: warnings)
        }
        return values
    }

    private func node(of rule: ValidationRule, property: String) throws(ModelFormatError) -> ArchivedPredicate {
        if let node = rule.predicateNode { return node }
        do throws(ModelFormatError) {
            return try predicate(rule.predicateFormat)
        } catch {
            var error = error
            error.property = property
            throw error
        }
    }

    private mutating func write(_ attribute: Attribute, entity: Int) throws(ModelFormatError) -> PropertyListNode {
        let common = Common(
            name: attribute.name, renamingIdentifier: attribute.renamingIdentifier,
            versionHashModifier: attribute.versionHashModifier, userInfo: attribute.userInfo,
            validation: attribute.validation, isOptional: attribute.isOptional, isTransient: attribute.isTransient,
            isReadOnly: attribute.isReadOnly, isIndexed: attribute.isIndexed,
            isIndexedBySpotlight: attribute.isIndexedBySpotlight,
            allowsCloudEncryption: attribute.allowsCloudEncryption)
        var values = try write(common, entity: entity)
        let flags: Int64 =
            (attribute.allowsExternalBinaryDataStorage ? 4 : 0) + (attribute.preservesValueInHistoryOnDeletion ? 16 : 0)
        values["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
        values["NSAttributeValueClassName"] = builder.add(
            string: attribute.type.valueClassName ?? attribute.valueClassName)
        values["NSDefaultValue"] = builder.add(value: attribute.defaultValue)
        values["NSValueTransformerName"] = builder.add(string: attribute.valueTransformerName)
        values["NSFlagsKey"] = .integer(flags)
        if attribute.isStoredInExternalRecord { values["NSStoredInTruthFile"] = .bool(true) }
        if attribute.allowsCloudEncryption { values["NSAllowsCloudEncryption"] = .bool(true) }
        if let derivation = attribute.derivation {
            do throws(ModelFormatError) {
                values["NSDerivationExpression"] = builder.add(expression: try expression(derivation))
                values["NSFilteringPredicate"] = KeyedArchiveBuilder.null
                if let filter = attribute.derivationFilter {
                    values["NSFilteringPredicate"] = builder.add(predicate: try predicate(filter))
                }
            } catch {
                var error = error
                error.property = attribute.name
                throw error
            }
            return builder.add(class: "NSDerivedAttributeDescription", values)
        }
        if attribute.type == .composite {
            var elements: [PropertyListNode] = []
            for element in attribute.elements { elements.append(try write(element, entity: 0)) }
            values["NSCompositeElements"] = builder.add(array: elements)
            return builder.add(class: "NSCompositeAttributeDescription", values)
        }
        return builder.add(class: "NSAttributeDescription", values)
    }

    private mutating func write(
        _ relationship: Relationship, in entity: String, indexed: Set<String>
    ) throws(ModelFormatError) -> PropertyListNode {
        let common = Common(
            name: relationship.name, renamingIdentifier: relationship.renamingIdentifier,
            versionHashModifier: relationship.versionHashModifier, userInfo: relationship.userInfo,
            validation: relationship.validation, isOptional: relationship.isOptional,
            isTransient: relationship.isTransient, isReadOnly: relationship.isReadOnly,
            isIndexed: relationship.isIndexed || indexed.contains(relationship.name),
            isIndexedBySpotlight: relationship.isIndexedBySpotlight, isOrdered: relationship.isOrdered)
        var values = try write(common, entity: entityIndexes[entity] ?? 0)
        values["NSDestinationEntity"] = .uid(entityIndexes[relationship.destinationName] ?? 0)
        values["_NSDestinationEntityName"] = builder.add(string: relationship.destinationName)
        if let inverse = relationship.inverseName {
            values["_NSInverseRelationshipName"] = builder.add(string: inverse)
            values["NSInverseRelationship"] = .uid(place(of: inverse, in: relationship.destinationName))
        }
        values["NSMinCount"] = .integer(Int64(Int32(truncatingIfNeeded: relationship.minCount)))
        values["NSMaxCount"] = .integer(Int64(Int32(truncatingIfNeeded: relationship.maxCount)))
        values["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
        if relationship.isOrdered { values["NSIsOrdered"] = .bool(true) }
        if relationship.isStoredInExternalRecord { values["NSStoredInTruthFile"] = .bool(true) }
        guard let index = relationshipIndexes[entity + "." + relationship.name] else { return KeyedArchiveBuilder.null }
        builder.fill(index, class: "NSRelationshipDescription", values)
        return .uid(index)
    }

    /// Returns the index of a relationship in the archive: that of the entity, or of the ancestor that declares it.
    private func place(of relationship: String, in entity: String) -> Int {
        var name: String? = entity
        var steps = 0
        while let current = name, steps <= byName.count {
            if let index = relationshipIndexes[current + "." + relationship] { return index }
            name = byName[current]?.parentName
            steps += 1
        }
        return 0
    }

    private mutating func write(
        _ property: FetchedProperty, entity: Int
    ) throws(ModelFormatError) -> PropertyListNode {
        let common = Common(
            name: property.name, renamingIdentifier: property.renamingIdentifier,
            versionHashModifier: property.versionHashModifier, userInfo: property.userInfo,
            isOptional: property.isOptional, isTransient: true, isReadOnly: true)
        var values = try write(common, entity: entity)
        do throws(ModelFormatError) {
            values["NSFetchRequest"] = try request(property.fetchRequest)
        } catch {
            var error = error
            error.property = property.name
            throw error
        }
        values["_NSFetchRequestEntityName"] = builder.add(string: property.fetchRequest.entityName)
        return builder.add(class: "NSFetchedPropertyDescription", values)
    }

    private mutating func request(_ template: FetchTemplate) throws(ModelFormatError) -> PropertyListNode {
        var values: [String: PropertyListNode] = [
            "NSEntity": .uid(entityIndexes[template.entityName] ?? 0),
            "NSFetchLimit": .integer(Int64(template.fetchLimit)),
            "NSFetchOffset": .integer(Int64(template.fetchOffset)),
            "NSBatchSize": .integer(Int64(template.fetchBatchSize)),
            "NSResultType": .integer(Int64(template.resultType.rawValue)),
            "NSHasFetchRequestFlags": .bool(true),
            "NSFetchRequestFlags": .integer(Int64(template.flags)),
            "NSAllocationType": .integer(0),
            "NSPredicate": KeyedArchiveBuilder.null,
            "NSHavingPredicate": KeyedArchiveBuilder.null,
            "NSSortDescriptors": KeyedArchiveBuilder.null,
            "NSValuesToFetch": names(template.propertiesToFetch),
            "NSValuesToGroupBy": names(template.propertiesToGroupBy),
            "NSRelationshipKeyPathsForPrefetching": names(template.relationshipKeyPathsForPrefetching),
        ]
        if let text = template.predicate { values["NSPredicate"] = builder.add(predicate: try predicate(text)) }
        if let text = template.havingPredicate {
            values["NSHavingPredicate"] = builder.add(predicate: try predicate(text))
        }
        if !template.sortKeys.isEmpty {
            let keys = template.sortKeys.map { key in
                builder.add(
                    class: "NSSortDescriptor",
                    [
                        "NSKey": builder.add(string: key.key), "NSAscending": .bool(key.ascending),
                        "NSSelector": builder.add(string: key.selector ?? "compare:"),
                        "NSReverseNullOrder": .bool(false),
                    ])
            }
            values["NSSortDescriptors"] = builder.add(array: keys)
        }
        return builder.add(class: "NSFetchRequest", values)
    }

    private mutating func names(_ names: [String]) -> PropertyListNode {
        names.isEmpty ? KeyedArchiveBuilder.null : strings(names, class: "NSArray")
    }
}
