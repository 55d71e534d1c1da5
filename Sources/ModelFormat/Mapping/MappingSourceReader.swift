import Foundation

/// Reads the records of an `xcmapping.xml`: an XML store of Xcode's model for mappings.
struct MappingSourceReader {
    /// One record: its attributes by name, and the records it references.
    private struct Record {
        var attributes: [String: String] = [:]
        var references: [String: [String]] = [:]
        var line: Int
    }

    private var records: [String: Record] = [:]
    private var model: Record

    init(_ root: XMLElementNode) throws(ModelFormatError) {
        guard root.name == "database" else {
            throw ModelFormatError(
                .malformed, "the root element is <\(root.name)>, not <database>", line: root.line,
                advice: "This is not the xcmapping.xml of a mapping model")
        }
        var found: Record?
        for node in root.children(named: "object") {
            guard let id = node.attributes["id"], let type = node.attributes["type"] else {
                throw ModelFormatError(.missingValue, "an <object> has no id or type", line: node.line)
            }
            let record = Self.record(node)
            records[id] = record
            if type.uppercased() == "XDDEVMAPPINGMODEL" { found = found ?? record }
        }
        guard let found else {
            throw ModelFormatError(
                .missingValue, "the file holds no mapping model", line: root.line,
                advice: "Open and save it in Xcode")
        }
        model = found
    }

    private static func record(_ node: XMLElementNode) -> Record {
        var record = Record(line: node.line)
        for child in node.children {
            guard let name = child.attributes["name"]?.lowercased() else { continue }
            switch child.name {
            case "attribute": record.attributes[name] = child.text
            case "relationship":
                record.references[name] = (child.attributes["idrefs"] ?? "").split(separator: " ").map(String.init)
            default: break
            }
        }
        return record
    }

    func fill(_ document: inout MappingDocument) throws(ModelFormatError) {
        document.sourceModelPath = text(model, "sourcemodelpath")
        document.destinationModelPath = text(model, "destinationmodelpath")
        document.sourceModel = try embeddedModel("sourcemodeldata")
        document.destinationModel = try embeddedModel("destinationmodeldata")
        note(model, [], &document)
        for record in try related(model, "entitymappings") {
            document.entries.append(try entry(record))
            note(record, ["attributemappings", "relationshipmappings"], &document)
        }
        document.entries = document.entries.enumerated()
            .sorted { ($0.element.number, $0.offset) < ($1.element.number, $1.offset) }.map(\.element)
    }

    /// The attributes of the five kinds of records that are read or do not affect the compiled form.
    private static let known: Set<String> = [
        "sourcemodelpath", "destinationmodelpath", "sourcemodeldata", "destinationmodeldata", "name", "mappingnumber",
        "mappingtypename", "sourcename", "destinationname", "migrationpolicyclassname", "sourcefilterpredicatestring",
        "autogenerateexpression", "userinfodata", "valueexpressiondata", "sourcekeypath", "sourcemappingname",
    ]

    /// Records the unread attributes and references of a record and of the records it references.
    private func note(_ record: Record, _ references: [String], _ document: inout MappingDocument) {
        for (name, text) in record.attributes.sorted(byText: \.key)
        where !Self.known.contains(name) && text.contains(where: { !$0.isWhitespace }) {
            document.unread.append((name, record.line))
        }
        for id in references.flatMap({ record.references[$0] ?? [] }) {
            if let other = records[id] { note(other, [], &document) }
        }
    }

    private func entry(_ record: Record) throws(ModelFormatError) -> MappingDocument.Entry {
        var entry = MappingDocument.Entry()
        entry.name = text(record, "name")
        entry.line = record.line
        if let number = text(record, "mappingnumber") {
            guard let value = Int(number) else {
                throw ModelFormatError(.invalidValue, "mappingnumber \"\(number)\" is no number", line: record.line)
            }
            entry.number = value
        }
        entry.sourceName = text(record, "sourcename")
        entry.destinationName = text(record, "destinationname")
        entry.migrationPolicyClassName = text(record, "migrationpolicyclassname")
        entry.sourceFilter = text(record, "sourcefilterpredicatestring")
        entry.userInfo = try userInfo(record)
        for mapping in try related(record, "attributemappings") { entry.attributes.append(try property(mapping)) }
        for mapping in try related(record, "relationshipmappings") { entry.relationships.append(try property(mapping)) }
        return entry
    }

    private func userInfo(_ record: Record) throws(ModelFormatError) -> [String: ModelValue] {
        guard let data = try data(record, "userinfodata") else { return [:] }
        return try placed(record) { () throws(ModelFormatError) in
            let archive = try KeyedArchive(data)
            let values = try ArchivedValue.dictionary(try archive.root())
            try archive.checkEffort()
            return values
        }
    }

    private func property(_ record: Record) throws(ModelFormatError) -> MappingDocument.Property {
        guard let name = text(record, "name") else {
            throw ModelFormatError(.missingValue, "a property mapping has no name", line: record.line)
        }
        var property = MappingDocument.Property(name: name)
        property.sourceKeyPath = text(record, "sourcekeypath")
        property.sourceMappingName = text(record, "sourcemappingname")
        property.userInfo = try userInfo(record)
        property.generatesExpression = text(record, "autogenerateexpression") != "0"
        if let data = try data(record, "valueexpressiondata") {
            property.valueExpression = try placed(record) { () throws(ModelFormatError) in
                let archive = try KeyedArchive(data)
                var reader = PredicateArchiveReader(objectCount: archive.indices.count)
                return try reader.expression(try archive.root())
            }
        }
        return property
    }

    /// Reads the embedded copy of the old or new model, in Xcode 3's format or as XML.
    private func embeddedModel(_ name: String) throws(ModelFormatError) -> Model? {
        guard let data = try data(model, name), !data.isEmpty else { return nil }
        return try placed(model) { () throws(ModelFormatError) in
            data.starts(with: Array("bplist".utf8)) ? try Model(elements: data) : try ModelDocument(xml: data).model
        }
    }

    // MARK: Values

    private func related(_ record: Record, _ name: String) throws(ModelFormatError) -> [Record] {
        var result: [Record] = []
        for id in record.references[name] ?? [] {
            guard let other = records[id] else {
                throw ModelFormatError(.unknownName, "\(name) refers to \(id), which is missing", line: record.line)
            }
            result.append(other)
        }
        return result
    }

    private func text(_ record: Record, _ name: String) -> String? {
        guard let text = record.attributes[name]?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else {
            return nil
        }
        return text
    }

    private func data(_ record: Record, _ name: String) throws(ModelFormatError) -> Data? {
        guard let text = text(record, name) else { return nil }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw ModelFormatError(.malformed, "\(name) is not base64", line: record.line)
        }
        return data
    }

    private func placed<T>(_ record: Record, _ body: () throws(ModelFormatError) -> T) throws(ModelFormatError) -> T {
        do throws(ModelFormatError) {
            return try body()
        } catch {
            var error = error
            error.line = record.line
            throw error
        }
    }
}
