import Foundation

/// A model read from XML, with the lines of its parts.
public struct ModelDocument: Sendable {
    /// The model.
    public var model: Model
    /// The lines of its parts.
    public var lines: ModelLines
    /// The path of the `contents` file, if it was read from one.
    public var file: String?

    /// Reads the `contents` of an `.xcdatamodel`.
    ///
    /// - Throws: ``ModelFormatError`` with the line. References between entities are not validated: see
    ///   ``Model/problems(lines:file:)``.
    public init(xml data: Data, file: String? = nil) throws(ModelFormatError) {
        let root = try XMLTreeReader.read(data, file: file)
        var reader = XMLModelReader()
        do throws(ModelFormatError) {
            model = try reader.read(root)
        } catch {
            throw file.map(error.inFile) ?? error
        }
        lines = reader.lines
        self.file = file
    }
}

/// Reads the element tree of a `contents` file.
struct XMLModelReader {
    private(set) var lines = ModelLines()
    private var composites: [String: CompositeType] = [:]
    /// The remaining number of elements in composite attributes: nested types expand exponentially.
    private var elementBudget = 100_000

    mutating func read(_ root: XMLElementNode) throws(ModelFormatError) -> Model {
        guard root.name == "model" else {
            throw ModelFormatError(
                .malformed, "the root element is <\(root.name)>, not <model>", line: root.line,
                advice: "This is not the contents file of a data model")
        }
        var model = Model()
        var attributes = XMLAttributes(root)
        model.sourceLanguage = attributes.text("sourceLanguage")
        if let identifier = attributes.text("userDefinedModelVersionIdentifier") {
            model.versionIdentifiers = [identifier]
        }
        model.extraAttributes = attributes.rest
        for node in root.children(named: "composite") { model.composites.append(try composite(node)) }
        composites = Dictionary(model.composites.map { ($0.name, $0) }) { first, _ in first }
        for index in model.composites.indices {
            let type = model.composites[index]
            model.composites[index].attributes = try resolved(type.attributes, inside: [type.name], line: root.line)
        }
        for node in root.children {
            switch node.name {
            case "entity": model.entities.append(try entity(node))
            case "fetchRequest": model.fetchTemplates.append(try fetchRequest(node, entity: nil, property: nil))
            case "configuration": model.configurations.append(try configuration(node))
            case "elements":
                for element in node.children(named: "element") { model.diagram.append(try diagramElement(element)) }
            case "composite": break
            default: model.extraElements.append(ExtraElement(node))
            }
        }
        return model
    }

    private mutating func entity(_ node: XMLElementNode) throws(ModelFormatError) -> Entity {
        var attributes = XMLAttributes(node)
        let name = try attributes.required("name")
        attributes.entity = name
        lines.note(node.line, entity: name)
        var entity = Entity(name: name)
        entity.className = attributes.nonEmpty("representedClassName")
        if entity.className == "NSManagedObject" { entity.className = nil }
        entity.parentName = attributes.nonEmpty("parentEntity")
        entity.isAbstract = try attributes.flag("isAbstract")
        entity.renamingIdentifier = attributes.nonEmpty("elementID") ?? attributes.nonEmpty("renamingIdentifier")
        entity.versionHashModifier = attributes.nonEmpty("versionHashModifier")
        entity.spotlightDisplayNameExpression = attributes.nonEmpty("coreSpotlightDisplayNameExpression")
        if let choice = attributes.nonEmpty("codeGenerationType") {
            guard let generation = CodeGeneration(xmlName: choice) else {
                throw attributes.error(
                    .invalidValue, "codeGenerationType=\"\(choice)\" is unknown",
                    advice: "Use class or category, or leave it out for no code")
            }
            entity.codeGeneration = generation
        }
        entity.extraAttributes = attributes.rest
        for child in node.children {
            switch child.name {
            case "attribute":
                let attribute = try attribute(child, entity: name)
                entity.attributes += try resolved([attribute], inside: [], line: child.line)
            case "relationship": entity.relationships.append(try relationship(child, entity: name))
            case "fetchedProperty": entity.fetchedProperties.append(try fetchedProperty(child, entity: name))
            case "fetchIndex": entity.fetchIndexes.append(try fetchIndex(child, entity: name))
            case "uniquenessConstraints":
                entity.uniquenessConstraints += try nameLists(
                    child, list: "uniquenessConstraint", item: "constraint", entity: name)
            case "compoundIndexes":
                entity.compoundIndexes += try nameLists(child, list: "compoundIndex", item: "index", entity: name)
            case "userInfo": entity.userInfo.merge(try userInfo(child)) { _, last in last }
            default: entity.extraElements.append(ExtraElement(child))
            }
        }
        return entity
    }

    private mutating func relationship(
        _ node: XMLElementNode, entity: String
    ) throws(ModelFormatError) -> Relationship {
        var attributes = XMLAttributes(node, entity: entity)
        let name = try attributes.required("name")
        attributes.property = name
        lines.note(node.line, entity: entity, property: name)
        let isToMany = try attributes.flag("toMany")
        var relationship = Relationship(
            name: name, destinationName: try attributes.required("destinationEntity"),
            inverseName: attributes.nonEmpty("inverseName"), isToMany: isToMany)
        let inverseEntity = attributes.nonEmpty("inverseEntity")
        relationship.isOptional = try attributes.flag("optional")
        relationship.isTransient = try attributes.flag("transient")
        relationship.isOrdered = try attributes.flag("ordered")
        relationship.isIndexed = try attributes.flag("indexed")
        relationship.isIndexedBySpotlight = try attributes.flag("spotlightIndexingEnabled")
        relationship.isStoredInExternalRecord = try attributes.flag("storedInTruthFile")
        relationship.minCount = try attributes.integer("minCount") ?? 0
        relationship.maxCount = try attributes.integer("maxCount") ?? relationship.maxCount
        if let rule = attributes.nonEmpty("deletionRule") {
            guard let deleteRule = DeleteRule(xmlName: rule) else {
                throw attributes.error(
                    .invalidValue, "deletionRule=\"\(rule)\" is unknown",
                    advice: "Use Nullify, Cascade, Deny or No Action")
            }
            relationship.deleteRule = deleteRule
        }
        relationship.renamingIdentifier = attributes.nonEmpty("elementID") ?? attributes.nonEmpty("renamingIdentifier")
        relationship.versionHashModifier = attributes.nonEmpty("versionHashModifier")
        relationship.extraAttributes = attributes.rest
        if let inverseEntity, inverseEntity != relationship.destinationName || relationship.inverseName == nil {
            relationship.extraAttributes["inverseEntity"] = inverseEntity
        }
        relationship.extraElements = extraElements(node, besides: ["userInfo"])
        for child in node.children(named: "userInfo") {
            relationship.userInfo.merge(try userInfo(child)) { _, last in last }
        }
        return relationship
    }

    private func extraElements(_ node: XMLElementNode, besides known: Set<String>) -> [ExtraElement] {
        node.children.isEmpty ? [] : node.children.filter { !known.contains($0.name) }.map { ExtraElement($0) }
    }

    private mutating func fetchedProperty(
        _ node: XMLElementNode, entity: String
    ) throws(ModelFormatError) -> FetchedProperty {
        var attributes = XMLAttributes(node, entity: entity)
        let name = try attributes.required("name")
        attributes.property = name
        lines.note(node.line, entity: entity, property: name)
        guard let request = node.child(named: "fetchRequest") else {
            throw attributes.error(.missingValue, "the fetched property has no fetch request")
        }
        var property = FetchedProperty(
            name: name, fetchRequest: try fetchRequest(request, entity: entity, property: name))
        property.isOptional = try attributes.flag("optional")
        property.renamingIdentifier = attributes.nonEmpty("elementID") ?? attributes.nonEmpty("renamingIdentifier")
        property.versionHashModifier = attributes.nonEmpty("versionHashModifier")
        property.extraAttributes = attributes.rest
        property.extraElements = extraElements(node, besides: ["userInfo", "fetchRequest"])
        for child in node.children(named: "userInfo") {
            property.userInfo.merge(try userInfo(child)) { _, last in last }
        }
        return property
    }

    private mutating func fetchRequest(
        _ node: XMLElementNode, entity: String?, property: String?
    ) throws(ModelFormatError) -> FetchTemplate {
        var attributes = XMLAttributes(node, entity: entity, property: property)
        let name = try attributes.required("name")
        if property == nil {
            attributes.property = name
            lines.note(node.line, entity: nil, property: name)
        }
        var template = FetchTemplate(
            name: name, entityName: try attributes.required("entity"), predicate: attributes.nonEmpty("predicateString")
        )
        template.fetchLimit = try attributes.integer("fetchLimit") ?? 0
        template.fetchOffset = try attributes.integer("fetchOffset") ?? 0
        template.fetchBatchSize = try attributes.integer("fetchBatchSize") ?? 0
        if let type = try attributes.integer("resultType") {
            guard let known = FetchTemplate.ResultType(rawValue: UInt(clamping: type)) else {
                throw attributes.error(.invalidValue, "resultType=\"\(type)\" is unknown", advice: "Use 0, 1 or 2")
            }
            template.resultType = known
        }
        // An absent flag keeps the default of the request; it does not disable the option.
        template.includesSubentities = try attributes.bool("includeSubentities") ?? true
        template.includesPropertyValues = try attributes.bool("includePropertyValues") ?? true
        template.includesPendingChanges = try attributes.bool("includesPendingChanges") ?? true
        template.returnsObjectsAsFaults = try attributes.bool("returnObjectsAsFaults") ?? true
        template.returnsDistinctResults = try attributes.bool("returnDistinctResults") ?? false
        template.extraAttributes = attributes.rest
        return template
    }

    private mutating func fetchIndex(_ node: XMLElementNode, entity: String) throws(ModelFormatError) -> FetchIndex {
        var attributes = XMLAttributes(node, entity: entity)
        let name = try attributes.required("name")
        lines.note(node.line, entity: entity, part: .fetchIndex, name: name)
        var index = FetchIndex(name: name, elements: [])
        index.extraAttributes = attributes.rest.filter { $0.key != "name" }
        for child in node.children(named: "fetchIndexElement") {
            var attributes = XMLAttributes(child, entity: entity, property: name)
            let subject: FetchIndexElement.Subject
            if let property = attributes.nonEmpty("property") {
                subject = .named(property)
            } else if let expression = attributes.nonEmpty("expression") {
                let type = attributes.nonEmpty("expressionType") ?? "Undefined"
                guard let resultType = AttributeType(xmlName: type) else {
                    throw attributes.error(.invalidValue, "expressionType=\"\(type)\" is unknown")
                }
                subject = .expression(expression, resultType: resultType)
            } else {
                throw attributes.error(.missingValue, "an element of fetch index \(name) names no property")
            }
            let kind: FetchIndexElement.Kind
            switch attributes.nonEmpty("type")?.lowercased() {
            case nil, "binary": kind = .binary
            case "rtree", "r-tree": kind = .rTree
            case let other?:
                throw attributes.error(
                    .invalidValue, "type=\"\(other)\" of a fetch index element is unknown",
                    advice: "Use Binary or RTree")
            }
            let isAscending = attributes.nonEmpty("order")?.lowercased() != "descending"
            index.elements.append(FetchIndexElement(subject, kind: kind, isAscending: isAscending))
        }
        return index
    }

    private func nameLists(
        _ node: XMLElementNode, list: String, item: String, entity: String
    ) throws(ModelFormatError) -> [[String]] {
        var lists: [[String]] = []
        for node in node.children(named: list) {
            var names: [String] = []
            for node in node.children(named: item) {
                var attributes = XMLAttributes(node, entity: entity)
                names.append(try attributes.required("value"))
            }
            if !names.isEmpty { lists.append(names) }
        }
        return lists
    }

    private func userInfo(_ node: XMLElementNode) throws(ModelFormatError) -> [String: ModelValue] {
        var info: [String: ModelValue] = [:]
        for entry in node.children(named: "entry") {
            guard let key = entry.attributes["key"] else {
                throw ModelFormatError(.missingValue, "a userInfo entry has no key", line: entry.line)
            }
            info[key] = .string(entry.attributes["value"] ?? "")
        }
        return info
    }

    private mutating func configuration(_ node: XMLElementNode) throws(ModelFormatError) -> Configuration {
        var attributes = XMLAttributes(node)
        var configuration = Configuration(name: try attributes.required("name"), entityNames: [])
        lines.note(node.line, entity: nil, part: .configuration, name: configuration.name)
        for member in node.children(named: "memberEntity") {
            var attributes = XMLAttributes(member)
            configuration.entityNames.append(try attributes.required("name"))
        }
        return configuration
    }

    private func diagramElement(_ node: XMLElementNode) throws(ModelFormatError) -> DiagramElement {
        var attributes = XMLAttributes(node)
        return DiagramElement(
            name: try attributes.required("name"), positionX: try attributes.double("positionX") ?? 0,
            positionY: try attributes.double("positionY") ?? 0, width: try attributes.double("width") ?? 0,
            height: try attributes.double("height") ?? 0)
    }
}

// MARK: - Attributes and composite types

extension XMLModelReader {
    private mutating func composite(_ node: XMLElementNode) throws(ModelFormatError) -> CompositeType {
        var attributes = XMLAttributes(node)
        let name = try attributes.required("name")
        var type = CompositeType(name: name, attributes: [])
        type.extraAttributes = attributes.rest
        for child in node.children(named: "attribute") { type.attributes.append(try attribute(child, entity: name)) }
        return type
    }

    private mutating func attribute(_ node: XMLElementNode, entity: String) throws(ModelFormatError) -> Attribute {
        var attributes = XMLAttributes(node, entity: entity)
        let name = try attributes.required("name")
        attributes.property = name
        lines.note(node.line, entity: entity, property: name)
        let typeName = attributes.nonEmpty("attributeType") ?? "Undefined"
        guard let type = AttributeType(xmlName: typeName) else {
            throw attributes.error(.invalidValue, "attributeType=\"\(typeName)\" is unknown")
        }
        var attribute = Attribute(name: name, type: type, isOptional: try attributes.flag("optional"))
        attribute.isTransient = try attributes.flag("transient")
        let defaultTexts = setDefault(of: &attribute, from: &attributes)
        attribute.validation = try validation(&attributes, type: type)
        attribute.derivation = try derivation(&attributes)
        attribute.isReadOnly = attribute.isDerived
        attribute.compositeName = attributes.nonEmpty("composite")
        attribute.valueTransformerName = attributes.nonEmpty("valueTransformerName")
        attribute.valueClassName = attributes.nonEmpty("customClassName")
        attribute.allowsExternalBinaryDataStorage = try attributes.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = try attributes.flag("preserveAfterDeletion")
        attribute.allowsCloudEncryption = try attributes.flag("allowsCloudEncryption")
        attribute.isIndexedBySpotlight = try attributes.flag("spotlightIndexingEnabled")
        attribute.isStoredInExternalRecord = try attributes.flag("storedInTruthFile")
        attribute.isIndexed = try attributes.flag("indexed")
        attribute.usesScalarValueType = try attributes.bool("usesScalarValueType")
        attribute.renamingIdentifier = attributes.nonEmpty("elementID") ?? attributes.nonEmpty("renamingIdentifier")
        attribute.versionHashModifier = attributes.nonEmpty("versionHashModifier")
        attribute.extraAttributes = attributes.rest.merging(defaultTexts) { _, text in text }
        attribute.extraElements = extraElements(node, besides: ["userInfo"])
        for child in node.children(named: "userInfo") {
            attribute.userInfo.merge(try userInfo(child)) { _, last in last }
        }
        return attribute
    }

    private func derivation(_ attributes: inout XMLAttributes) throws(ModelFormatError) -> String? {
        let isDerived = try attributes.flag("derived")
        let expression = attributes.nonEmpty("derivationExpression")
        guard isDerived else { return nil }
        guard let expression else {
            throw attributes.error(.missingValue, "the derived attribute has no derivationExpression")
        }
        return expression
    }

    /// Sets the default value from an attribute's texts. Returns the texts that are invalid for its type, to preserve them: see
    /// ``Model/warnings(lines:file:)``.
    private func setDefault(of attribute: inout Attribute, from attributes: inout XMLAttributes) -> [String: String] {
        var kept: [String: String] = [:]
        let text = attributes.text("defaultValueString")
        let interval = attributes.nonEmpty("defaultDateTimeInterval")
        if attribute.type == .date, let interval {
            if let seconds = Double(interval), seconds.isFinite {
                attribute.defaultValue = .date(seconds)
                return kept
            }
            kept["defaultDateTimeInterval"] = interval
        }
        guard let text else { return kept }
        attribute.defaultValue = ConstantText.value(of: text, type: attribute.type)
        if !text.isEmpty, !ConstantText.isExact(text, type: attribute.type) { kept["defaultValueString"] = text }
        return kept
    }

    private func validation(
        _ attributes: inout XMLAttributes, type: AttributeType
    ) throws(ModelFormatError) -> [ValidationRule] {
        var rules: [ValidationRule] = []
        let minimum = attributes.nonEmpty("minValueString")
        let maximum = attributes.nonEmpty("maxValueString")
        let earliest = try attributes.double("minDateTimeInterval")
        let latest = try attributes.double("maxDateTimeInterval")
        let pattern = attributes.nonEmpty("regularExpressionString")
        switch type {
        case .string:
            if let minimum { rules.append(.minimumLength(try length(minimum, attributes))) }
            if let maximum { rules.append(.maximumLength(try length(maximum, attributes))) }
            if let pattern { rules.append(.pattern(pattern)) }
        case .date:
            if let limit = earliest ?? minimum.flatMap(Double.init) { rules.append(.minimum(.date(limit))) }
            if let limit = latest ?? maximum.flatMap(Double.init) { rules.append(.maximum(.date(limit))) }
        case _ where type.isNumeric:
            if let minimum { rules.append(.minimum(try limit(minimum, type, attributes))) }
            if let maximum { rules.append(.maximum(try limit(maximum, type, attributes))) }
        default: break
        }
        return rules
    }

    private func length(_ text: String, _ attributes: XMLAttributes) throws(ModelFormatError) -> Int {
        guard let number = Double(text), let length = Int(exactly: number.rounded(.towardZero)) else {
            throw attributes.error(.invalidValue, "the length limit \"\(text)\" is not a number")
        }
        return length
    }

    /// Parses a numeric limit. Integer types may have a fractional limit ("0.5"), which is preserved.
    private func limit(
        _ text: String, _ type: AttributeType, _ attributes: XMLAttributes
    ) throws(ModelFormatError) -> ModelValue {
        if type != .double, type != .float, let whole = Int64(text) { return .integer(whole) }
        if type == .decimal, let value = ConstantText.value(of: text, type: .decimal) { return value }
        guard let number = Double(text), number.isFinite else {
            throw attributes.error(.invalidValue, "the limit \"\(text)\" is not a number")
        }
        return .double(number)
    }

    /// Returns composite attributes with the elements of their named types.
    private mutating func resolved(
        _ attributes: [Attribute], inside: [String], line: Int
    ) throws(ModelFormatError) -> [Attribute] {
        var result = attributes
        for index in result.indices {
            guard let name = result[index].compositeName else { continue }
            guard let type = composites[name] else {
                throw ModelFormatError(
                    .unknownName, "there is no composite type \(name)", line: line, property: result[index].name)
            }
            elementBudget -= type.attributes.count + 1
            guard elementBudget > 0 else {
                throw ModelFormatError(.limitExceeded, "the composite types have too many elements", line: line)
            }
            guard !inside.contains(name) else {
                throw ModelFormatError(.cycle, "the composite type \(name) contains itself", line: line)
            }
            result[index].elements = try resolved(type.attributes, inside: inside + [name], line: line)
        }
        return result
    }
}

extension ExtraElement {
    init(_ node: XMLElementNode) {
        self.init(name: node.name, attributes: node.attributes, children: node.children.map { ExtraElement($0) })
    }
}
