import Foundation

extension MappingDocument {
    /// Returns the mapping model, with everything filled in that the source leaves to the compiler.
    ///
    /// Follows Apple's compiler: generates names from the entities' names, kinds from the presence of source and destination,
    /// hashes from the two models, `$source.name` for copied attributes, and for relationships a call of the migration manager
    /// that finds the destination instances of the source's related objects.
    ///
    /// - Parameters:
    ///   - source: the old model, instead of the embedded copy.
    ///   - destination: the new model, instead of the embedded copy.
    /// - Throws: ``ModelFormatError`` if a model, or an entity named by a mapping, is missing.
    public func compiled(source: Model? = nil, destination: Model? = nil) throws(ModelFormatError) -> MappingModel {
        do throws(ModelFormatError) {
            guard let source = source ?? sourceModel, let destination = destination ?? destinationModel else {
                throw ModelFormatError(
                    .missingValue, "the mapping model does not carry the models it maps",
                    advice: "Open and save it in Xcode, or name both models")
            }
            let compiler = try MappingCompiler(entries: entries, source: source, destination: destination)
            return try compiler.compile()
        } catch {
            throw file.map(error.inFile) ?? error
        }
    }
}

/// Fills in the parts that the source of a mapping model omits.
private struct MappingCompiler {
    let entries: [MappingDocument.Entry]
    let source: ModelSide
    let destination: ModelSide

    init(entries: [MappingDocument.Entry], source: Model, destination: Model) throws(ModelFormatError) {
        self.entries = entries
        self.source = try ModelSide(source, title: "source")
        self.destination = try ModelSide(destination, title: "destination")
    }

    func compile() throws(ModelFormatError) -> MappingModel {
        var model = MappingModel()
        for entry in entries {
            do throws(ModelFormatError) {
                model.entityMappings.append(try mapping(entry))
            } catch {
                var error = error
                error.line = error.line ?? entry.line
                throw error
            }
        }
        return model
    }

    private func name(of entry: MappingDocument.Entry) -> String {
        if let name = entry.name { return name }
        return [entry.sourceName, entry.destinationName].compactMap { $0 }.joined(separator: "To")
    }

    private func mapping(_ entry: MappingDocument.Entry) throws(ModelFormatError) -> EntityMapping {
        var mapping = EntityMapping(name: name(of: entry))
        switch (entry.migrationPolicyClassName, entry.sourceName, entry.destinationName) {
        case (_?, _, _): mapping.kind = .custom
        case (nil, nil, nil): mapping.kind = .undefined
        case (nil, nil, _?): mapping.kind = .add
        case (nil, _?, nil): mapping.kind = .remove
        case (nil, _?, _?): mapping.kind = .copy
        }
        mapping.sourceEntityName = entry.sourceName
        mapping.sourceEntityVersionHash = try source.hash(entry.sourceName)
        mapping.destinationEntityName = entry.destinationName
        mapping.destinationEntityVersionHash = try destination.hash(entry.destinationName)
        mapping.migrationPolicyClassName = entry.migrationPolicyClassName
        mapping.userInfo = entry.userInfo
        mapping.sourceExpression = entry.sourceName.map { Self.fetch($0, filter: entry.sourceFilter) }
        mapping.attributeMappings = entry.attributes.map { property in
            var result = PropertyMapping(name: property.name, valueExpression: attributeExpression(property, in: entry))
            result.userInfo = property.userInfo
            return result
        }
        for property in entry.relationships {
            let expression = try relationshipExpression(property, in: entry)
            var result = PropertyMapping(name: property.name, valueExpression: expression)
            result.userInfo = property.userInfo
            mapping.relationshipMappings.append(result)
        }
        return mapping
    }

    // MARK: Expressions

    private static let manager = ArchivedExpression.variable("manager")

    private static func fetch(_ entity: String, filter: String?) -> ArchivedExpression {
        let request = ArchivedExpression.function(
            "fetchRequestForSourceEntityNamed:predicateString:", target: manager,
            arguments: [.constant(.string(entity)), .constant(.string(filter ?? "TRUEPREDICATE"))])
        return .fetch(request: request, context: .keyPath("sourceContext", of: manager), countOnly: false)
    }

    private func attributeExpression(
        _ property: MappingDocument.Property, in entry: MappingDocument.Entry
    ) -> ArchivedExpression? {
        if let expression = property.valueExpression { return expression }
        guard source.attributes(of: entry.sourceName).contains(property.name) else { return nil }
        return .keyPath(property.name, of: .variable("source"))
    }

    private func relationshipExpression(
        _ property: MappingDocument.Property, in entry: MappingDocument.Entry
    ) throws(ModelFormatError) -> ArchivedExpression? {
        if let expression = property.valueExpression { return expression }
        if let mappingName = property.sourceMappingName {
            let path = try sourcePath(property.sourceKeyPath ?? "$source.\(property.name)")
            return Self.call("destinationInstancesForEntityMappingNamed:sourceInstances:", mappingName, path)
        }
        if let text = property.sourceKeyPath { return try sourcePath(text) }
        guard property.generatesExpression, source.relationships(of: entry.sourceName)[property.name] != nil,
            let target = destination.relationships(of: entry.destinationName)[property.name]
        else { return nil }
        let related = ArchivedExpression.keyPath(property.name, of: .variable("source"))
        let family = destination.family(of: target)
        let makers = entries.filter { $0.destinationName.map(family.contains) ?? false }
        switch makers.count {
        case 0: return nil
        case 1:
            return Self.call("destinationInstancesForEntityMappingNamed:sourceInstances:", name(of: makers[0]), related)
        default:
            return Self.call(
                "destinationInstancesForSourceRelationshipNamed:sourceInstances:", property.name, related)
        }
    }

    private static func call(
        _ selector: String, _ name: String, _ instances: ArchivedExpression
    ) -> ArchivedExpression {
        .function(selector, target: manager, arguments: [.constant(.string(name)), instances])
    }

    /// Parses `$source`, or a path from it.
    private func sourcePath(_ text: String) throws(ModelFormatError) -> ArchivedExpression {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        guard let first = parts.first, first.hasPrefix("$"), first.count > 1 else {
            throw ModelFormatError(
                .invalidValue, "the source key path \"\(text)\" does not begin with a variable",
                advice: "Write $source.\(text)")
        }
        let variable = ArchivedExpression.variable(String(first.dropFirst()))
        return parts.count > 1 ? .keyPath(parts[1], of: variable) : variable
    }
}

/// One of the two models of a mapping, indexed by entity.
private struct ModelSide {
    private let title: String
    private let entities: [String: Entity]
    private let hashes: [String: Data]

    init(_ model: Model, title: String) throws(ModelFormatError) {
        self.title = title
        entities = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
        hashes = try model.versionHashes()
    }

    func hash(_ name: String?) throws(ModelFormatError) -> Data? {
        guard let name else { return nil }
        guard let hash = hashes[name] else {
            throw ModelFormatError(
                .unknownName, "the \(title) model has no entity \(name)",
                advice: "Open the mapping model in Xcode, so that it follows the models")
        }
        return hash
    }

    /// Returns the entity and its ancestors. Ends, because computing the hashes has ruled out inheritance cycles.
    private func lineage(_ name: String?) -> [Entity] {
        var lineage: [Entity] = []
        var next = name
        while let name = next, let entity = entities[name] {
            lineage.append(entity)
            next = entity.parentName
        }
        return lineage
    }

    func attributes(of name: String?) -> Set<String> {
        Set(lineage(name).flatMap(\.attributes).map(\.name))
    }

    /// Returns the destinations of all relationships by name, including inherited ones.
    func relationships(of name: String?) -> [String: String] {
        Dictionary(lineage(name).flatMap(\.relationships).map { ($0.name, $0.destinationName) }) { first, _ in first }
    }

    /// Returns the names of the entity and all its descendants.
    func family(of name: String) -> Set<String> {
        Set(entities.keys.filter { lineage($0).contains { $0.name == name } })
    }
}
