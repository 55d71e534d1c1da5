/// Writes a model as the `contents` file of an `.xcdatamodel`, with elements and attributes in Xcode's order.
struct XMLModelWriter {
    private let model: Model
    private let composites: CompositeNames

    init(_ model: Model) {
        self.model = model
        composites = CompositeNames(model)
    }

    func write() -> String {
        // Xcode omits the final line break.
        String(document().text.dropLast())
    }

    func document() -> XMLText {
        var xml = XMLText()
        var extra = model.extraAttributes
        let first = [
            ("type", extra.removeValue(forKey: "type") ?? "com.apple.IDECoreDataModeler.DataModel"),
            ("documentVersion", extra.removeValue(forKey: "documentVersion") ?? "1.0"),
        ]
        let editor = [
            "name", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "macOSVersion", "iOSVersion",
        ]
        .map { ($0, extra.removeValue(forKey: $0)) }
        let last = [
            ("sourceLanguage", model.sourceLanguage),
            ("usedWithCloudKit", extra.removeValue(forKey: "usedWithCloudKit")),
            ("usedWithSwiftData", extra.removeValue(forKey: "usedWithSwiftData")),
            ("userDefinedModelVersionIdentifier", model.versionIdentifiers.first),
        ]
        xml.element("model", first + editor + last + Self.sorted(extra)) { xml in
            for entity in model.entities { write(entity, &xml) }
            for composite in composites.types { write(composite, &xml) }
            for template in model.fetchTemplates { write(template, &xml) }
            for configuration in model.configurations {
                xml.element("configuration", [("name", configuration.name)]) { xml in
                    for name in configuration.entityNames { xml.element("memberEntity", [("name", name)]) }
                }
            }
            if !model.diagram.isEmpty {
                xml.element("elements", []) { xml in
                    for element in model.diagram { write(element, &xml) }
                }
            }
            write(model.extraElements, &xml)
        }
        return xml
    }

    private static func sorted(_ attributes: [String: String]) -> [(String, String?)] {
        attributes.sorted(byText: \.key).map { ($0.key, $0.value) }
    }

    private static func flag(_ value: Bool) -> String? { value ? "YES" : nil }

    private func write(_ element: DiagramElement, _ xml: inout XMLText) {
        xml.element(
            "element",
            [
                ("name", element.name), ("positionX", PredicateText.number(element.positionX)),
                ("positionY", PredicateText.number(element.positionY)),
                ("width", PredicateText.number(element.width)), ("height", PredicateText.number(element.height)),
            ])
    }

    // MARK: Entities

    private func write(_ entity: Entity, _ xml: inout XMLText) {
        var extra = entity.extraAttributes
        let attributes: [(String, String?)] = [
            ("name", entity.name), ("representedClassName", entity.className ?? "NSManagedObject"),
            ("isAbstract", Self.flag(entity.isAbstract)), ("parentEntity", entity.parentName),
            ("elementID", entity.renamingIdentifier), ("versionHashModifier", entity.versionHashModifier),
            ("syncable", extra.removeValue(forKey: "syncable")),
            ("codeGenerationType", entity.codeGeneration == .manual ? nil : entity.codeGeneration.rawValue),
            ("coreSpotlightDisplayNameExpression", entity.spotlightDisplayNameExpression),
        ]
        let isEmpty =
            entity.attributes.isEmpty && entity.relationships.isEmpty && entity.fetchedProperties.isEmpty
            && entity.fetchIndexes.isEmpty && entity.compoundIndexes.isEmpty && entity.uniquenessConstraints.isEmpty
            && entity.userInfo.isEmpty && entity.extraElements.isEmpty
        let all = attributes + Self.sorted(extra)
        guard !isEmpty else { return xml.element("entity", all) }
        xml.element("entity", all) { xml in
            for attribute in entity.attributes { write(attribute, &xml) }
            for relationship in entity.relationships { write(relationship, &xml) }
            for property in entity.fetchedProperties { write(property, &xml) }
            for index in entity.fetchIndexes { write(index, &xml) }
            write(
                entity.compoundIndexes, names: ("compoundIndexes", "compoundIndex", "index"), &xml)
            write(
                entity.uniquenessConstraints,
                names: ("uniquenessConstraints", "uniquenessConstraint", "constraint"), &xml)
            write(userInfo: entity.userInfo, &xml)
            write(entity.extraElements, &xml)
        }
    }

    private func write(_ elements: [ExtraElement], _ xml: inout XMLText) {
        for element in elements {
            let attributes = Self.sorted(element.attributes)
            guard !element.children.isEmpty else {
                xml.element(element.name, attributes)
                continue
            }
            xml.element(element.name, attributes) { xml in write(element.children, &xml) }
        }
    }

    private func write(
        _ lists: [[String]], names: (group: String, list: String, item: String), _ xml: inout XMLText
    ) {
        guard !lists.isEmpty else { return }
        xml.element(names.group, []) { xml in
            for list in lists {
                xml.element(names.list, []) { xml in
                    for name in list { xml.element(names.item, [("value", name)]) }
                }
            }
        }
    }

    private func write(userInfo: [String: ModelValue], _ xml: inout XMLText) {
        guard !userInfo.isEmpty else { return }
        xml.element("userInfo", []) { xml in
            for (key, value) in userInfo.sorted(byText: \.key) {
                xml.element("entry", [("key", key), ("value", ConstantText.text(of: value) ?? "")])
            }
        }
    }

    private func write(_ index: FetchIndex, _ xml: inout XMLText) {
        xml.element("fetchIndex", [("name", index.name)] + Self.sorted(index.extraAttributes)) { xml in
            for element in index.elements {
                var attributes: [(String, String?)]
                switch element.subject {
                case .property(let name): attributes = [("property", name)]
                case .expression(let text, let type):
                    attributes = [("expression", text), ("expressionType", type.xmlName)]
                }
                attributes.append(("type", element.kind == .binary ? "Binary" : "RTree"))
                attributes.append(("order", element.isAscending ? "ascending" : "descending"))
                xml.element("fetchIndexElement", attributes)
            }
        }
    }

    // MARK: Properties

    private func write(_ composite: CompositeType, _ xml: inout XMLText) {
        let attributes = [("name", composite.name)] + Self.sorted(composite.extraAttributes)
        guard !composite.attributes.isEmpty else { return xml.element("composite", attributes) }
        xml.element("composite", attributes) { xml in
            for attribute in composite.attributes { write(attribute, &xml) }
        }
    }

    private func write(_ attribute: Attribute, _ xml: inout XMLText) {
        var extra = attribute.extraAttributes
        let limits = XMLLimits(attribute)
        var defaultText = limits.defaultText
        // A text that is invalid for the type is preserved, unless the default has been changed.
        if let text = extra.removeValue(forKey: "defaultValueString"),
            ConstantText.value(of: text, type: attribute.type) == attribute.defaultValue
        {
            defaultText = text
        }
        let intervalText = extra.removeValue(forKey: "defaultDateTimeInterval")
        var attributes: [(String, String?)] = [
            ("name", attribute.name), ("optional", Self.flag(attribute.isOptional)),
            ("transient", Self.flag(attribute.isTransient)),
            ("attributeType", attribute.type == .undefined ? nil : attribute.type.xmlName),
            ("composite", composites.name(of: attribute)),
            ("minValueString", limits.minimum), ("maxValueString", limits.maximum),
            ("minDateTimeInterval", limits.earliest), ("maxDateTimeInterval", limits.latest),
            ("regularExpressionString", limits.pattern),
            ("defaultDateTimeInterval", limits.defaultInterval ?? intervalText), ("defaultValueString", defaultText),
            ("derived", Self.flag(attribute.isDerived)), ("derivationExpression", attribute.derivation),
            ("usesScalarValueType", attribute.usesScalarValueType.map { $0 ? "YES" : "NO" }),
            ("indexed", Self.flag(attribute.isIndexed)),
        ]
        attributes += [
            ("preserveAfterDeletion", Self.flag(attribute.preservesValueInHistoryOnDeletion)),
            ("allowsExternalBinaryDataStorage", Self.flag(attribute.allowsExternalBinaryDataStorage)),
            ("allowsCloudEncryption", Self.flag(attribute.allowsCloudEncryption)),
            ("spotlightIndexingEnabled", Self.flag(attribute.isIndexedBySpotlight)),
            ("storedInTruthFile", Self.flag(attribute.isStoredInExternalRecord)),
            ("valueTransformerName", attribute.valueTransformerName), ("customClassName", attribute.valueClassName),
            ("elementID", attribute.renamingIdentifier), ("syncable", extra.removeValue(forKey: "syncable")),
            ("versionHashModifier", attribute.versionHashModifier),
        ]
        write("attribute", attributes + Self.sorted(extra), attribute.userInfo, attribute.extraElements, &xml)
    }

    private func write(
        _ name: String, _ attributes: [(String, String?)], _ userInfo: [String: ModelValue], _ extra: [ExtraElement],
        _ xml: inout XMLText
    ) {
        guard !userInfo.isEmpty || !extra.isEmpty else { return xml.element(name, attributes) }
        xml.element(name, attributes) { xml in
            write(userInfo: userInfo, &xml)
            write(extra, &xml)
        }
    }

    private func write(_ relationship: Relationship, _ xml: inout XMLText) {
        var extra = relationship.extraAttributes
        let inverseEntity = extra.removeValue(forKey: "inverseEntity")
        let hasLimit = !relationship.isToMany || relationship.maxCount != 0
        let attributes: [(String, String?)] = [
            ("name", relationship.name), ("optional", Self.flag(relationship.isOptional)),
            ("transient", Self.flag(relationship.isTransient)), ("toMany", Self.flag(relationship.isToMany)),
            ("minCount", relationship.minCount == 0 ? nil : "\(relationship.minCount)"),
            ("maxCount", hasLimit ? "\(relationship.maxCount)" : nil),
            ("deletionRule", relationship.deleteRule.xmlName), ("ordered", Self.flag(relationship.isOrdered)),
            ("indexed", Self.flag(relationship.isIndexed)),
            ("spotlightIndexingEnabled", Self.flag(relationship.isIndexedBySpotlight)),
            ("storedInTruthFile", Self.flag(relationship.isStoredInExternalRecord)),
            ("destinationEntity", relationship.destinationName), ("inverseName", relationship.inverseName),
            ("inverseEntity", inverseEntity ?? (relationship.inverseName == nil ? nil : relationship.destinationName)),
            ("elementID", relationship.renamingIdentifier), ("syncable", extra.removeValue(forKey: "syncable")),
            ("versionHashModifier", relationship.versionHashModifier),
        ]
        write("relationship", attributes + Self.sorted(extra), relationship.userInfo, relationship.extraElements, &xml)
    }

    private func write(_ property: FetchedProperty, _ xml: inout XMLText) {
        var extra = property.extraAttributes
        let attributes: [(String, String?)] = [
            ("name", property.name), ("optional", Self.flag(property.isOptional)),
            ("elementID", property.renamingIdentifier), ("syncable", extra.removeValue(forKey: "syncable")),
            ("versionHashModifier", property.versionHashModifier),
        ]
        xml.element("fetchedProperty", attributes + Self.sorted(extra)) { xml in
            write(property.fetchRequest, &xml)
            write(userInfo: property.userInfo, &xml)
            write(property.extraElements, &xml)
        }
    }

    private func write(_ template: FetchTemplate, _ xml: inout XMLText) {
        func number(_ value: Int) -> String? { value == 0 ? nil : "\(value)" }
        func option(_ value: Bool, usual: Bool) -> String? { value == usual ? nil : value ? "YES" : "NO" }
        let attributes: [(String, String?)] = [
            ("name", template.name), ("entity", template.entityName), ("predicateString", template.predicate),
            ("fetchLimit", number(template.fetchLimit)), ("fetchOffset", number(template.fetchOffset)),
            ("fetchBatchSize", number(template.fetchBatchSize)),
            ("resultType", number(Int(template.resultType.rawValue))),
            ("includeSubentities", option(template.includesSubentities, usual: true)),
            ("includePropertyValues", option(template.includesPropertyValues, usual: true)),
            ("includesPendingChanges", option(template.includesPendingChanges, usual: true)),
            ("returnObjectsAsFaults", option(template.returnsObjectsAsFaults, usual: true)),
            ("returnDistinctResults", option(template.returnsDistinctResults, usual: false)),
        ]
        xml.element("fetchRequest", attributes + Self.sorted(template.extraAttributes))
    }
}
