import Foundation
import ModelFormat
import ModelPredicates

// A single description is archived as the compiled form of a model that contains nothing else. References to other descriptions
// are archived by name, and resolved when the description is added to a model.

/// The keys of archived descriptions.
enum DescriptionCoding {
    static let content = "description"
    static let entity = "entityName"
    static let parent = "superentityName"
    static let expression = "expression"
    static let resultType = "resultType"
    static let name = "name"
    static let elements = "elements"
    static let predicate = "predicate"
    static let property = "property"
    static let path = "propertyPath"
    static let collation = "collationType"
    static let ascending = "ascending"

    /// Archives a model. Traps if part of it cannot be archived, such as a predicate with a block; Apple's framework raises an
    /// exception.
    static func encode(_ values: Model, with coder: NSCoder) {
        do {
            coder.encode(try values.archiveOfPart(parser: FormatTextParser()) as NSData, forKey: content)
        } catch {
            fatalError("The description cannot be archived: \(error).")
        }
    }

    /// Reads the model. Throws if the archive has none or is damaged.
    static func values(from coder: NSCoder) throws -> Model {
        guard let data = coder.decodeObject(of: NSData.self, forKey: content) else {
            throw CocoaError(.coderValueNotFound)
        }
        do throws(ModelFormatError) {
            return try Model(archive: data as Data)
        } catch {
            throw ModelFileError.wrapped(error)
        }
    }

    /// Returns the text for a key, or nil if there is none. Foundation treats decoding a missing key as an error.
    static func text(_ key: String, from coder: NSCoder) -> String? {
        guard coder.containsValue(forKey: key) else { return nil }
        return coder.decodeObject(of: NSString.self, forKey: key).map {
            String._unconditionallyBridgeFromObjectiveC($0)
        }
    }

    static func encode(_ text: String?, _ key: String, with coder: NSCoder) {
        if let text { coder.encode(NSString(string: text), forKey: key) }
    }
}

extension NSCoder {
    /// Returns whether `decode` succeeded. Passes an error it throws to the coder.
    func succeeds(_ decode: (NSCoder) throws -> Void) -> Bool {
        do {
            try decode(self)
            return true
        } catch {
            failWithError(error)
            return false
        }
    }
}

extension NSPropertyDescription {
    func encodeDescription(with coder: NSCoder) {
        var entity = Entity(name: owner?.name ?? "")
        switch self {
        case let attribute as NSAttributeDescription:
            var value = ModelValues.attribute(attribute)
            if value.derivation?.isEmpty == true { value.derivation = nil }
            entity.attributes = [value]
        case let relationship as NSRelationshipDescription:
            entity.relationships = [ModelValues.relationship(relationship)]
        case let property as NSFetchedPropertyDescription:
            entity.fetchedProperties = [ModelValues.fetchedProperty(property)]
        default:
            // Archive the common settings as an attribute without a type.
            let common = NSAttributeDescription()
            common.assign(from: self)
            entity.attributes = [ModelValues.attribute(common)]
        }
        DescriptionCoding.encode(Model(entities: [entity]), with: coder)
        guard let computed = self as? NSExpressionDescription else { return }
        DescriptionCoding.encode(
            computed.expression.map(ModelText.format), DescriptionCoding.expression, with: coder)
        coder.encode(Int64(computed.expressionResultType.rawValue), forKey: DescriptionCoding.resultType)
    }

    func fill(from coder: NSCoder) throws {
        let values = try DescriptionCoding.values(from: coder)
        guard let property = try ModelBuilder.part(of: values).first?.ownProperties.first else {
            throw CocoaError(.coderValueNotFound)
        }
        assign(from: property)
        guard let computed = self as? NSExpressionDescription else { return }
        computed.expression = try DescriptionCoding.text(DescriptionCoding.expression, from: coder)
            .map { try ModelText.expression($0, place: ModelPlace(property: name)) }
        let type = UInt(exactly: coder.decodeInt64(forKey: DescriptionCoding.resultType))
        computed.expressionResultType = type.flatMap(NSAttributeType.init) ?? .undefinedAttributeType
    }
}

extension NSEntityDescription {
    /// Archives the entity with its subentities, and its superentity by name.
    func encodeDescription(with coder: NSCoder) {
        var values = Model(entities: selfAndDescendants.map(ModelValues.entity))
        values.entities[0].parentName = nil
        DescriptionCoding.encode(values, with: coder)
        DescriptionCoding.encode(name, DescriptionCoding.entity, with: coder)
        DescriptionCoding.encode(parentName, DescriptionCoding.parent, with: coder)
    }

    func fill(from coder: NSCoder) throws {
        let values = try DescriptionCoding.values(from: coder)
        let name = DescriptionCoding.text(DescriptionCoding.entity, from: coder)
        guard let entity = try ModelBuilder.part(of: values).first(where: { $0.name == name ?? "" }) else {
            throw CocoaError(.coderValueNotFound)
        }
        assign(from: entity)
        self.name = name
        subentities = entity.children
        unresolvedParentName = DescriptionCoding.text(DescriptionCoding.parent, from: coder)
        let family = selfAndDescendants
        let byName = Dictionary(family.compactMap { one in one.name.map { ($0, one) } }) { first, _ in first }
        for member in family { member.resolveNames { byName[$0] } }
    }

    /// Replaces names, as decoded from an archive, by the entities that `find` returns.
    func resolveNames(_ find: (String) -> NSEntityDescription?) {
        if parent == nil, let superentity = unresolvedParentName.flatMap(find), !superentity.isKindOf(entity: self) {
            superentity.subentities.append(self)
        }
        for property in ownProperties {
            if let relationship = property as? NSRelationshipDescription {
                relationship.resolveNames(find)
            } else if let request = (property as? NSFetchedPropertyDescription)?.fetchRequest,
                request.settings.entity == nil, let entity = request.entityName.flatMap(find)
            {
                request.entity = entity
            }
        }
        rebindOwnerlessIndexElements()
    }

    /// Replaces index elements' placeholder properties by the entity's properties at the same paths.
    func rebindOwnerlessIndexElements() {
        let elements = indexes.flatMap(\.elements).filter { element in
            element.property.map { $0.owner == nil && !($0 is NSExpressionDescription) } ?? false
        }
        for element in elements {
            if let property = property(at: element.propertyPath) { element.rebind(to: property) }
        }
    }
}

extension NSFetchIndexDescription {
    func encodeDescription(with coder: NSCoder) {
        coder.encode(NSString(string: name), forKey: DescriptionCoding.name)
        coder.encode(NSArray(array: elements), forKey: DescriptionCoding.elements)
        DescriptionCoding.encode(
            partialIndexPredicate.map(ModelText.format), DescriptionCoding.predicate, with: coder)
    }
}

extension NSFetchIndexElementDescription {
    func encodeDescription(with coder: NSCoder) {
        coder.encode(property, forKey: DescriptionCoding.property)
        if propertyPath != propertyName { DescriptionCoding.encode(propertyPath, DescriptionCoding.path, with: coder) }
        coder.encode(Int64(collationType.rawValue), forKey: DescriptionCoding.collation)
        coder.encode(isAscending, forKey: DescriptionCoding.ascending)
    }

    static func property(from coder: NSCoder) -> NSPropertyDescription? {
        coder.decodeObject(
            of: [
                NSPropertyDescription.self, NSAttributeDescription.self, NSDerivedAttributeDescription.self,
                NSCompositeAttributeDescription.self, NSRelationshipDescription.self,
                NSFetchedPropertyDescription.self, NSExpressionDescription.self,
            ], forKey: DescriptionCoding.property) as? NSPropertyDescription
    }
}
