import Foundation

/// Reads a compiled model: an archive of an `NSManagedObjectModel`.
///
/// Both variants are read: compiler output, where an entity holds its own properties only, and the cache in stores, where
/// subentities repeat inherited properties.
struct ModelArchiveReader {
    /// The names of the model's entities by their position in the archive; nil for any other object.
    ///
    /// Uses array types that reading a model needs anyway, since the runtime takes microseconds to instantiate another generic
    /// type.
    private struct EntityNames {
        private var names: [String] = []
        /// The index of the name plus one, by position in the archive; 0 for none.
        private var numbers: [Int]

        init(objectCount: Int) { numbers = Array(repeating: 0, count: objectCount) }

        subscript(place: Int) -> String? {
            get { numbers[place] > 0 ? names[numbers[place] - 1] : nil }
            set {
                guard let newValue else { return numbers[place] = 0 }
                names.append(newValue)
                numbers[place] = names.count
            }
        }
    }

    private let archive: KeyedArchive
    private var names: EntityNames
    private var predicates: PredicateArchiveReader
    /// The number of attributes for which capacity is still reserved before they are read: the counts in an archive are not
    /// trusted.
    private var room = 4096

    init(_ bytes: [UInt8]) throws(ModelFormatError) {
        archive = try KeyedArchive(bytes)
        names = EntityNames(objectCount: archive.indices.count)
        predicates = PredicateArchiveReader(objectCount: archive.indices.count)
    }

    mutating func read() throws(ModelFormatError) -> Model {
        let root = try archive.root()
        guard root.className == "NSManagedObjectModel" else {
            throw ModelFormatError(
                .malformed, "the archive holds \(root.className ?? "a plain value"), not a model",
                advice: "Mapping models (.cdm) are not models")
        }
        let entries = root.entries("NSEntities")
        for (key, object) in entries { names[object.index] = object.string("NSEntityName") ?? key }
        var model = Model()
        for (key, object) in entries { model.entities.append(try entity(object, name: key)) }
        model.entities.sortUnlessOrdered { $0.name }
        model.entities = try OwnProperties.reduced(model.entities)
        for element in root.array("NSVersionIdentifiers") ?? [] {
            model.versionIdentifiers.append(try text(element))
        }
        model.versionIdentifiers = model.versionIdentifiers.sorted(byText: \.self, .literal)
        for (name, members) in root.entries("NSConfigurations") {
            let entityNames = (members.elements ?? []).compactMap { names[$0.index] }.sorted(byText: \.self, .literal)
            model.configurations.append(Configuration(name: name, entityNames: entityNames))
        }
        model.configurations = model.configurations.sorted(byText: \.name, .literal)
        for (name, request) in root.entries("NSFetchRequestTemplates") {
            model.fetchTemplates.append(try fetchRequest(request, name: name, entityName: nil))
        }
        model.fetchTemplates = model.fetchTemplates.sorted(byText: \.name, .literal)
        try archive.checkEffort()
        return model
    }

    private func text(_ object: ArchivedObject) throws(ModelFormatError) -> String {
        let value = try ArchivedValue.read(object)
        return value.string ?? ArchivedExpression.constant(value).text
    }

    private mutating func entity(_ object: ArchivedObject, name key: String) throws(ModelFormatError) -> Entity {
        let name = object.string("NSEntityName") ?? key
        var entity = Entity(name: name)
        do throws(ModelFormatError) {
            try fill(&entity, from: object)
        } catch {
            var error = error
            if error.entity == nil { error.entity = name }
            throw error
        }
        return entity
    }

    private mutating func fill(_ entity: inout Entity, from object: ArchivedObject) throws(ModelFormatError) {
        entity.className = object.string("NSClassNameForEntity")
        if entity.className == "NSManagedObject" { entity.className = nil }
        if let parent = object.object("NSSuperentity") {
            entity.parentName = names[parent.index] ?? parent.string("NSEntityName")
        }
        entity.isAbstract = object.flag("NSIsAbstract")
        entity.versionHashModifier = object.string("NSVersionHashModifier")
        entity.renamingIdentifier = renaming(object, name: entity.name)
        if let info = object.object("NSUserInfo") { entity.userInfo = try ArchivedValue.dictionary(info) }
        entity.uniquenessConstraints = nameLists(object.array("NSUniqueTuples"))
        entity.compoundIndexes = nameLists(object.array("NSCompoundIndexes"))
        let properties = object.entries("NSProperties")
        let expected = min(properties.count, room)
        room -= expected
        entity.attributes.reserveCapacity(expected)
        for (key, property) in properties { try add(property, name: key, to: &entity) }
        entity.attributes.sortUnlessOrdered { $0.name }
        entity.relationships.sortUnlessOrdered { $0.name }
        entity.fetchedProperties.sortUnlessOrdered { $0.name }
        var expressionNames: Set<String> = []
        for index in object.array("NSFetchIndexDescriptions") ?? [] {
            entity.fetchIndexes.append(try fetchIndex(index, &expressionNames))
        }
        dropMirroredIndexes(&entity, expressionNames)
    }

    /// Removes legacy copies of indexes. A compiler also writes one-property and compound indexes in the legacy form, for old
    /// systems; there it names expressions as if they were properties.
    private func dropMirroredIndexes(_ entity: inout Entity, _ expressionNames: Set<String>) {
        if entity.fetchIndexes.isEmpty { return }
        let indexed = Set(
            entity.fetchIndexes.map { index in
                index.elements.compactMap { if case .property(let name) = $0.subject { name } else { nil } }
            })
        entity.compoundIndexes.removeAll { names in
            indexed.contains(names)
                || names.contains { name in
                    FetchIndexElement.Subject.isObjectKey(name)
                        || expressionNames.contains(name) && !entity.attributes.contains { $0.name == name }
                            && !entity.relationships.contains { $0.name == name }
                }
        }
        for at in entity.attributes.indices where indexed.contains([entity.attributes[at].name]) {
            entity.attributes[at].isIndexed = false
        }
        for at in entity.relationships.indices where indexed.contains([entity.relationships[at].name]) {
            entity.relationships[at].isIndexed = false
        }
    }

    private func renaming(_ object: ArchivedObject, name: String) -> String? {
        let identifier = object.string("NSRenamingIdentifier")
        return identifier == name ? nil : identifier
    }

    private func nameLists(_ lists: [ArchivedObject]?) -> [[String]] {
        (lists ?? []).map { list in
            (list.elements ?? []).compactMap { $0.text ?? $0.string("NSPropertyName") }
        }.filter { !$0.isEmpty }
    }

    private mutating func add(
        _ object: ArchivedObject, name key: String, to entity: inout Entity
    ) throws(ModelFormatError) {
        var object = object
        var className = object.className
        var steps = 0
        // Inherited properties may be proxies for those of an ancestor, which may be proxies too.
        while className == "_NSPropertyDescriptionProxy", let next = object.object("NSUnderlyingProperty") {
            object = next
            className = object.className
            steps += 1
            guard steps < 1000 else { throw ModelFormatError(.cycle, "a property stands for itself", property: key) }
        }
        do throws(ModelFormatError) {
            switch className {
            case "NSRelationshipDescription"?: entity.relationships.append(try relationship(object, name: key))
            case "NSFetchedPropertyDescription"?:
                entity.fetchedProperties.append(try fetchedProperty(object, name: key))
            case let name? where name.hasSuffix("AttributeDescription"):
                entity.attributes.append(try attribute(object, name: key, depth: 0))
            case "NSExpressionDescription"?: break
            case let name:
                throw ModelFormatError(.unsupported, "a property is of the unknown class \(name ?? "none")")
            }
        } catch {
            var error = error
            error.property = error.property ?? key
            throw error
        }
    }

    private mutating func attribute(
        _ object: ArchivedObject, name: String, depth: Int
    ) throws(ModelFormatError) -> Attribute {
        guard depth < 16 else { throw ModelFormatError(.limitExceeded, "composite attributes are nested too deeply") }
        let number = object.integer("NSAttributeType") ?? 0
        guard let type = UInt32(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
            throw ModelFormatError(.invalidValue, "the attribute type \(number) is unknown")
        }
        var attribute = Attribute(
            name: object.string("NSPropertyName") ?? name, type: type, isOptional: object.flag("NSIsOptional"))
        attribute.isTransient = object.flag("NSIsTransient")
        attribute.isReadOnly = object.flag("NSIsReadOnly")
        attribute.isIndexed = object.flag("NSIsIndexed")
        attribute.isIndexedBySpotlight = object.flag("NSIndexedBySpotlight")
        attribute.isStoredInExternalRecord = object.flag("NSStoredInTruthFile")
        attribute.allowsCloudEncryption = object.flag("NSAllowsCloudEncryption")
        let flags = object.integer("NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
        attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
        attribute.valueTransformerName = object.string("NSValueTransformerName")
        if type == .transformable || type == .undefined {
            attribute.valueClassName = object.string("NSAttributeValueClassName")
        }
        if let value = object.object("NSDefaultValue") {
            attribute.defaultValue = converted(try ArchivedValue.read(value), to: type)
        }
        if let rules = try validation(object) { attribute.validation = rules }
        attribute.versionHashModifier = object.string("NSVersionHashModifier")
        attribute.renamingIdentifier = renaming(object, name: attribute.name)
        if let info = object.object("NSUserInfo") { attribute.userInfo = try ArchivedValue.dictionary(info) }
        if let expression = object.object("NSDerivationExpression") {
            attribute.derivation = try predicates.expression(expression).text
        }
        if let filter = object.object("NSFilteringPredicate") {
            attribute.derivationFilter = try predicates.predicate(filter).text
        }
        for element in object.array("NSCompositeElements") ?? [] {
            attribute.elements.append(try self.attribute(element, name: "", depth: depth + 1))
        }
        return attribute
    }

    /// Converts a value to the attribute's type. Old files store Booleans as integers, and integers as any kind of number.
    private func converted(_ value: ModelValue, to type: AttributeType) -> ModelValue {
        switch (type, value) {
        case (.boolean, .integer(let number)): .bool(number != 0)
        case (.integer16, .bool(let flag)), (.integer32, .bool(let flag)), (.integer64, .bool(let flag)):
            .integer(flag ? 1 : 0)
        case (.integer16, .double(let number)), (.integer32, .double(let number)), (.integer64, .double(let number)):
            Int64(exactly: number.rounded(.towardZero)).map { .integer($0) } ?? value
        case (.double, .integer(let number)), (.float, .integer(let number)): .double(Double(number))
        case (.decimal, .integer(let number)): .decimal(Decimal(number))
        case (.decimal, .double(let number)) where number.isFinite:
            Decimal(string: number.description).map(ModelValue.decimal) ?? value
        default: value
        }
    }

    private mutating func validation(_ object: ArchivedObject) throws(ModelFormatError) -> [ValidationRule]? {
        guard let predicates = object.array("NSValidationPredicates"), !predicates.isEmpty else { return nil }
        let warnings = object.array("NSValidationWarnings") ?? []
        var rules: [ValidationRule] = []
        for (index, object) in predicates.enumerated() {
            var warning = ValidationRule.Warning.text("")
            if index < warnings.count {
                if let code = warnings[index].wholeNumber.flatMap({ Int(exactly: $0) }) {
                    warning = .code(code)
                } else {
                    warning = .text(warnings[index].text ?? "")
                }
            }
            rules.append(ValidationRule(try self.predicates.predicate(object), warning: warning))
        }
        return rules
    }

    private mutating func relationship(
        _ object: ArchivedObject, name key: String
    ) throws(ModelFormatError) -> Relationship {
        let destination = object.object("NSDestinationEntity")
        let name = object.string("NSPropertyName") ?? key
        guard
            let destinationName = destination.flatMap({ names[$0.index] })
                ?? object.string("_NSDestinationEntityName") ?? destination?.string("NSEntityName")
        else { throw ModelFormatError(.missingValue, "the relationship has no destination") }
        var relationship = Relationship(name: name, destinationName: destinationName)
        relationship.inverseName =
            object.object("NSInverseRelationship")?.string("NSPropertyName")
            ?? object.string("_NSInverseRelationshipName")
        relationship.minCount = object.integer("NSMinCount") ?? 0
        relationship.maxCount = object.integer("NSMaxCount") ?? 0
        let rule = object.integer("NSDeleteRule") ?? 1
        guard let deleteRule = DeleteRule(rawValue: UInt(clamping: rule)) else {
            throw ModelFormatError(.invalidValue, "the delete rule \(rule) is unknown")
        }
        relationship.deleteRule = deleteRule
        relationship.isOptional = object.flag("NSIsOptional")
        relationship.isTransient = object.flag("NSIsTransient")
        relationship.isOrdered = object.flag("NSIsOrdered")
        relationship.isIndexed = object.flag("NSIsIndexed")
        relationship.isReadOnly = object.flag("NSIsReadOnly")
        relationship.isIndexedBySpotlight = object.flag("NSIndexedBySpotlight")
        relationship.isStoredInExternalRecord = object.flag("NSStoredInTruthFile")
        if let rules = try validation(object) { relationship.validation = rules }
        relationship.versionHashModifier = object.string("NSVersionHashModifier")
        relationship.renamingIdentifier = renaming(object, name: name)
        if let info = object.object("NSUserInfo") { relationship.userInfo = try ArchivedValue.dictionary(info) }
        return relationship
    }

    private mutating func fetchedProperty(
        _ object: ArchivedObject, name key: String
    ) throws(ModelFormatError) -> FetchedProperty {
        let name = object.string("NSPropertyName") ?? key
        guard let request = object.object("NSFetchRequest") else {
            throw ModelFormatError(.missingValue, "the fetched property has no fetch request")
        }
        let entityName = object.string("_NSFetchRequestEntityName")
        var property = FetchedProperty(
            name: name,
            fetchRequest: try fetchRequest(request, name: "fetchedPropertyFetchRequest", entityName: entityName))
        property.isOptional = object.flag("NSIsOptional")
        property.versionHashModifier = object.string("NSVersionHashModifier")
        property.renamingIdentifier = renaming(object, name: name)
        if let info = object.object("NSUserInfo") { property.userInfo = try ArchivedValue.dictionary(info) }
        return property
    }

    /// Reads a fetch index.
    ///
    /// - Parameter expressionNames: receives the names of expressions among the elements.
    private mutating func fetchIndex(
        _ object: ArchivedObject, _ expressionNames: inout Set<String>
    ) throws(ModelFormatError) -> FetchIndex {
        var index = FetchIndex(name: object.string("NSIndexName") ?? "", elements: [])
        if let predicate = object.object("NSPartialIndexPredicate") {
            index.partialIndexPredicate = try predicates.predicate(predicate).text
        }
        for element in object.array("NSIndexElements") ?? [] {
            let kind = FetchIndexElement.Kind(rawValue: UInt(clamping: element.integer("NSFetchIndexElementType") ?? 0))
            let subject: FetchIndexElement.Subject
            let property = element.object("NSIndexedProperty")
            if let property, let expression = property.object("NSExpression") {
                let type = AttributeType(rawValue: UInt32(clamping: property.integer("NSExpressionType") ?? 0))
                subject = .expression(try predicates.expression(expression).text, resultType: type ?? .undefined)
                for named in [element, property] {
                    if let name = named.string("NSPropertyName") { expressionNames.insert(name) }
                }
            } else {
                subject = .named(element.string("NSPropertyName") ?? property?.string("NSPropertyName") ?? "")
            }
            index.elements.append(
                FetchIndexElement(subject, kind: kind ?? .binary, isAscending: element.flag("NSAscending")))
        }
        return index
    }

    private mutating func fetchRequest(
        _ object: ArchivedObject, name: String, entityName: String?
    ) throws(ModelFormatError) -> FetchTemplate {
        let entity = object.object("NSEntity")
        let resolvedName =
            entity.flatMap { names[$0.index] } ?? entityName ?? entity?.string("NSEntityName")
            ?? object.string("NSEntityName") ?? ""
        var template = FetchTemplate(name: name, entityName: resolvedName)
        if let predicate = object.object("NSPredicate") {
            template.predicate = try predicates.predicate(predicate).text
        }
        if let predicate = object.object("NSHavingPredicate") {
            template.havingPredicate = try predicates.predicate(predicate).text
        }
        template.sortKeys = (object.array("NSSortDescriptors") ?? []).map {
            FetchTemplate.SortKey(
                key: $0.string("NSKey") ?? "", ascending: $0.flag("NSAscending"), selector: $0.string("NSSelector"))
        }
        template.fetchLimit = object.integer("NSFetchLimit") ?? 0
        template.fetchOffset = object.integer("NSFetchOffset") ?? 0
        template.fetchBatchSize = object.integer("NSBatchSize") ?? 0
        template.resultType =
            FetchTemplate.ResultType(rawValue: UInt(clamping: object.integer("NSResultType") ?? 0)) ?? .objects
        template.flags = object.integer("NSFetchRequestFlags") ?? FetchTemplate.defaultFlags
        template.propertiesToFetch = propertyNames(object.array("NSValuesToFetch"))
        template.propertiesToGroupBy = propertyNames(object.array("NSValuesToGroupBy"))
        template.relationshipKeyPathsForPrefetching = propertyNames(
            object.array("NSRelationshipKeyPathsForPrefetching"))
        return template
    }

    private func propertyNames(_ objects: [ArchivedObject]?) -> [String] {
        (objects ?? []).compactMap { $0.text ?? $0.string("NSPropertyName") }
    }
}

extension Array {
    /// Sorts the elements by name. Skipped if they are in order already, as most are, because sorting copies them.
    fileprivate mutating func sortUnlessOrdered(by name: (borrowing Element) -> String) {
        let isOrdered = withUnsafeBufferPointer { elements in
            elements.indices.dropFirst().allSatisfy { index in
                !literallyPrecedes(name(elements[index]), name(elements[index - 1]))
            }
        }
        if !isOrdered { self = sorted(byText: { name($0) }, .literal) }
    }
}

extension FetchTemplate {
    static let defaultFlags = 30

    /// The options as the bit field of an archive. The lowest bit is certain; the others are inferred from the bits that
    /// requests with other result types clear.
    var flags: Int {
        get {
            (returnsDistinctResults ? 1 : 0) | (includesSubentities ? 2 : 0) | (includesPropertyValues ? 4 : 0)
                | (returnsObjectsAsFaults ? 8 : 0) | (includesPendingChanges ? 16 : 0)
        }
        set {
            returnsDistinctResults = newValue & 1 != 0
            includesSubentities = newValue & 2 != 0
            includesPropertyValues = newValue & 4 != 0
            returnsObjectsAsFaults = newValue & 8 != 0
            includesPendingChanges = newValue & 16 != 0
        }
    }
}

extension ValidationRule {
    /// Creates the limit that a predicate with its warning represents, or a rule with the predicate itself.
    public init(_ predicate: ArchivedPredicate, warning: Warning) {
        self = .predicate(predicate.text, warning)
        guard case .comparison(let comparison) = predicate, case .constant(let constant?) = comparison.right,
            comparison.modifier == .direct, comparison.options == 0
        else { return }
        let isMinimum = comparison.comparison == .greaterThanOrEqual
        guard let rule = Self.limit(comparison.left, comparison.comparison, constant, isMinimum: isMinimum),
            rule.warning == warning
        else { return }
        self = rule
    }

    private static func limit(
        _ subject: ArchivedExpression, _ comparison: ArchivedComparison.Operator, _ constant: ModelValue,
        isMinimum: Bool
    ) -> ValidationRule? {
        switch (subject, comparison, constant) {
        case (.evaluatedObject, .matches, .string(let pattern)): .pattern(pattern)
        case (.evaluatedObject, .greaterThanOrEqual, _), (.evaluatedObject, .lessThanOrEqual, _):
            isMinimum ? .minimum(constant) : .maximum(constant)
        case (.keyPath("length", .evaluatedObject), .greaterThanOrEqual, .integer(let count)):
            .minimumLength(Int(clamping: count))
        case (.keyPath("length", .evaluatedObject), .lessThanOrEqual, .integer(let count)):
            .maximumLength(Int(clamping: count))
        case (.keyPath("timeIntervalSinceReferenceDate", .evaluatedObject), .greaterThanOrEqual, .double(let interval)):
            .minimum(.date(interval))
        case (.keyPath("timeIntervalSinceReferenceDate", .evaluatedObject), .lessThanOrEqual, .double(let interval)):
            .maximum(.date(interval))
        case (.keyPath("timeIntervalSinceReferenceDate", .evaluatedObject), .greaterThanOrEqual, .integer(let interval)):
            .minimum(.date(Double(interval)))
        case (.keyPath("timeIntervalSinceReferenceDate", .evaluatedObject), .lessThanOrEqual, .integer(let interval)):
            .maximum(.date(Double(interval)))
        default: nil
        }
    }

    /// The predicate as a tree, without a parser; `nil` for text of unknown form.
    var predicateNode: ArchivedPredicate? {
        switch self {
        case .minimum(let limit): Self.comparison(limit, .greaterThanOrEqual)
        case .maximum(let limit): Self.comparison(limit, .lessThanOrEqual)
        case .minimumLength(let count):
            .comparison(ArchivedComparison(.keyPath("length"), .greaterThanOrEqual, .constant(.integer(Int64(count)))))
        case .maximumLength(let count):
            .comparison(ArchivedComparison(.keyPath("length"), .lessThanOrEqual, .constant(.integer(Int64(count)))))
        case .pattern(let pattern):
            .comparison(ArchivedComparison(.evaluatedObject, .matches, .constant(.string(pattern))))
        case .predicate: nil
        }
    }

    private static func comparison(_ limit: ModelValue, _ comparison: ArchivedComparison.Operator) -> ArchivedPredicate
    {
        if case .date(let interval) = limit {
            let subject = ArchivedExpression.keyPath("timeIntervalSinceReferenceDate")
            return .comparison(ArchivedComparison(subject, comparison, .constant(.double(interval))))
        }
        return .comparison(ArchivedComparison(.evaluatedObject, comparison, .constant(limit)))
    }
}
