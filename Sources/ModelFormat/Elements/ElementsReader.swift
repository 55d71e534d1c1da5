import Foundation

extension Model {
    /// Reads a model in the binary format of Xcode 3: the contents of a file named `elements`.
    ///
    /// Mapping models still embed their source and destination models in this format. Fetch requests are not read; an entity
    /// that has some records that in its ``Entity/extraAttributes``, as it does for every unknown tag.
    ///
    /// - Throws: ``ModelFormatError`` for any other data. Damaged or hostile data throws and never traps.
    public init(elements data: Data) throws(ModelFormatError) {
        let tree = try ElementsReader(data).tree()
        var modelReader = XMLModelReader()
        do throws(ModelFormatError) {
            self = try modelReader.read(tree)
        } catch {
            var error = error
            error.line = nil
            throw error
        }
        entities = entities.sorted(byText: \.name, .literal)
    }
}

/// Converts the archive in which Xcode 3 stored models to the element tree of an XML model.
///
/// The archive contains Xcode's design-tool objects. Every fact is a tagged value: a model object has stereotypes, these have
/// properties, and the name of a property is the tag.
struct ElementsReader {
    private let archive: KeyedArchive

    init(_ data: Data) throws(ModelFormatError) {
        archive = try KeyedArchive(data)
    }

    func tree() throws(ModelFormatError) -> XMLElementNode {
        let root = try archive.root()
        guard let package = root.object("_xd_rootPackage") else {
            throw ModelFormatError(
                .malformed, "the archive holds \(root.className ?? "a plain value"), not a model of Xcode 3")
        }
        var model = XMLElementNode(name: "model", attributes: [:], line: 0)
        model.attributes["userDefinedModelVersionIdentifier"] =
            root.string("_modelVersionIdentifier") ?? root.array("_modelVersionIdentifier")?.first?.text
        for entity in package.array("XDBucketForClassesstorage") ?? [] {
            model.children.append(try element(ofEntity: entity))
        }
        for (name, members) in root.entries("_configurationsByName") {
            var configuration = XMLElementNode(name: "configuration", attributes: ["name": name], line: 0)
            for member in members.elements ?? [] {
                guard let entityName = member.text ?? member.string("_name") else { continue }
                configuration.children.append(
                    XMLElementNode(name: "memberEntity", attributes: ["name": entityName], line: 0))
            }
            model.children.append(configuration)
        }
        try archive.checkEffort()
        return model
    }

    // MARK: Entities

    private func element(ofEntity object: ArchivedObject) throws(ModelFormatError) -> XMLElementNode {
        var tags = tags(of: object)
        var node = XMLElementNode(name: "entity", attributes: [:], line: 0)
        let name = object.string("_name")
        node.attributes["name"] = name
        node.attributes["representedClassName"] = tags.text("XD_PSK_entityClassName")
        node.attributes["isAbstract"] = tags.flag("XD_PSK_isAbstract")
        node.attributes["elementID"] = tags.text("XD_PSK_elementID")
        node.attributes["versionHashModifier"] = tags.text("XD_PSK_versionHashModifier")
        // Only the first generalization is used: a class has one parent.
        node.attributes["parentEntity"] =
            object.array("XDBucketForGeneralizationsstorage")?.first?.object("_general")?.string("_name")
        let lists = [
            ("XDPMCompoundIndexes", "compoundIndexes", "compoundIndex", "index"),
            ("XDPMUniquenessConstraints", "uniquenessConstraints", "uniquenessConstraint", "constraint"),
        ]
        for (tag, group, list, item) in lists {
            guard let items = tags.take(tag)?.elements, !items.isEmpty else { continue }
            node.children.append(Self.nameLists(items, group: group, list: list, item: item))
        }
        if let info = try userInfo(tags.take("XD_PSK_userInfo")) { node.children.append(info) }
        _ = tags.take("XD_PSK_classMapping")
        do throws(ModelFormatError) {
            for property in object.array("XDBucketForOwnedAttributesstorage") ?? [] {
                node.children.append(try element(ofProperty: property))
            }
        } catch {
            var error = error
            error.entity = error.entity ?? name
            throw error
        }
        node.attributes.merge(tags.unknown()) { known, _ in known }
        return node
    }

    private static func nameLists(
        _ lists: [ArchivedObject], group: String, list: String, item: String
    ) -> XMLElementNode {
        var node = XMLElementNode(name: group, attributes: [:], line: 0)
        for names in lists {
            var child = XMLElementNode(name: list, attributes: [:], line: 0)
            child.children = (names.elements ?? []).compactMap(\.text).map {
                XMLElementNode(name: item, attributes: ["value": $0], line: 0)
            }
            node.children.append(child)
        }
        return node
    }

    private func userInfo(_ object: ArchivedObject?) throws(ModelFormatError) -> XMLElementNode? {
        let values = try ArchivedValue.dictionary(object)
        guard !values.isEmpty else { return nil }
        var node = XMLElementNode(name: "userInfo", attributes: [:], line: 0)
        node.children = values.sorted(byText: \.key).map { key, value in
            let text = ConstantText.text(of: value) ?? ArchivedExpression.constant(value).text
            return XMLElementNode(name: "entry", attributes: ["key": key, "value": text], line: 0)
        }
        return node
    }

    // MARK: Properties

    private func element(ofProperty object: ArchivedObject) throws(ModelFormatError) -> XMLElementNode {
        var tags = tags(of: object)
        var node = XMLElementNode(name: "attribute", attributes: [:], line: 0)
        let name = object.string("_name")
        node.attributes["name"] = name
        node.attributes["optional"] = tags.flag("XD_PPSK_isOptional")
        node.attributes["transient"] = tags.flag("XD_PPSK_isTransient")
        node.attributes["indexed"] = tags.flag("XD_PPSK_isIndexed")
        node.attributes["spotlightIndexingEnabled"] = tags.flag("XD_PPSK_isSpotlightIndexed")
        node.attributes["storedInTruthFile"] = tags.flag("XD_PPSK_isStoredInTruthFile")
        node.attributes["elementID"] = tags.text("XD_PPSK_elementID")
        node.attributes["versionHashModifier"] = tags.text("XD_PPSK_versionHashModifier")
        if let info = try userInfo(tags.take("XD_PPSK_userInfo")) { node.children.append(info) }
        do throws(ModelFormatError) {
            switch object.className {
            case "XDPMAttribute"?: try Self.fillAttribute(&node, from: &tags)
            case "XDPMRelationship"?: try Self.fillRelationship(&node, from: &tags)
            case let className:
                throw ModelFormatError(
                    .unsupported, "a property is of the class \(className ?? "none"), which is unknown here",
                    advice: "Open and save the model in a newer Xcode, which writes XML")
            }
        } catch {
            var error = error
            error.property = error.property ?? name
            throw error
        }
        node.attributes.merge(tags.unknown()) { known, _ in known }
        return node
    }

    private static func fillAttribute(_ node: inout XMLElementNode, from tags: inout Tags) throws(ModelFormatError) {
        let number = tags.integer("XD_PAttK_attributeType") ?? 0
        guard let type = UInt32(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
            throw ModelFormatError(.invalidValue, "the attribute type \(number) is unknown")
        }
        node.attributes["attributeType"] = type.xmlName
        node.attributes["defaultValueString"] = tags.text("XD_PAttK_defaultValueAsString")
        node.attributes["minValueString"] = tags.text("XD_PAttK_minValueString")
        node.attributes["maxValueString"] = tags.text("XD_PAttK_maxValueString")
        node.attributes["regularExpressionString"] = tags.text("XD_PAttK_regularExpressionString")
        node.attributes["valueTransformerName"] = tags.text("XD_PAttK_valueTransformerName")
        node.attributes["allowsExternalBinaryDataStorage"] = tags.flag("XD_PAttK_allowsExternalBinaryDataStorage")
    }

    private static func fillRelationship(_ node: inout XMLElementNode, from tags: inout Tags) throws(ModelFormatError) {
        node.name = "relationship"
        node.attributes["destinationEntity"] = tags.take("XD_PRK_destination")?.string("_name")
        node.attributes["inverseName"] = tags.take("XD_PRK_inverseRelationship")?.string("_name")
        node.attributes["toMany"] = tags.flag("XD_PRK_isToMany")
        node.attributes["minCount"] = tags.integer("XD_PRK_minCount").map(String.init)
        node.attributes["maxCount"] = tags.integer("XD_PRK_maxCount").map(String.init)
        node.attributes["ordered"] = tags.flag("XD_PRK_ordered")
        if let number = tags.integer("XD_PRK_deleteRule") {
            guard let rule = UInt(exactly: number).flatMap(DeleteRule.init(rawValue:)) else {
                throw ModelFormatError(.invalidValue, "the delete rule \(number) is unknown")
            }
            node.attributes["deletionRule"] = rule.xmlName
        }
    }

    // MARK: Tags

    private func tags(of object: ArchivedObject) -> Tags {
        var tags = Tags()
        for stereotype in object.array("XDBucketForStereotypesstorage") ?? [] {
            for property in stereotype.array("XDBucketForOwnedAttributesstorage") ?? [] {
                guard let name = property.string("_name"), let value = property.object("_default") else { continue }
                tags.values[name] = value
            }
        }
        return tags
    }

    /// The tagged values of one object, removed as they are read; unread ones remain.
    private struct Tags {
        var values: [String: ArchivedObject] = [:]

        mutating func take(_ tag: String) -> ArchivedObject? { values.removeValue(forKey: tag) }
        mutating func text(_ tag: String) -> String? { take(tag)?.text }
        mutating func integer(_ tag: String) -> Int? {
            take(tag)?.wholeNumber.flatMap { Int(exactly: $0) }
        }
        /// Returns `YES`, or nil.
        mutating func flag(_ tag: String) -> String? { integer(tag) ?? 0 != 0 ? "YES" : nil }

        /// Returns the remaining nonempty values as text.
        func unknown() -> [String: String] {
            values.compactMapValues { object in
                if let items = object.elements { return items.isEmpty ? nil : "\(items.count)" }
                if let text = object.text { return text }
                guard let number = object.wholeNumber else { return object.className }
                return number == 0 ? nil : "\(number)"
            }
        }
    }
}
