import Foundation
import ModelFormat
import StoreTools

/// Writes the objects of one entity as lines of JSON that an import of MagicalRecord reads back.
///
/// Related objects are written with their attributes where they first occur, and by their import key after that. Objects
/// without a key get a number by which later records refer to them. Those of the exported entity itself are written in full
/// where they first occur, and have no line then.
///
/// An import makes objects of a relationship's destination entity. Those of a subentity are left out of relationships until
/// they have had a line; their own lines then set the relationship by its inverse.
final class ExportWriter {
    struct Key: Hashable {
        let entity: String
        let key: Int64
    }

    private let store: OpenStore
    private let root: ImportNames
    private let put: ([UInt8]) throws -> Void
    private let check: () throws -> Void
    private var names: [String: ImportNames] = [:]
    /// The entities that have lines for their objects.
    private let rootEntities: Set<String>
    /// All entities that are exported, this one and those of other files.
    private let exported: Set<String>
    private var numbers: [Key: Int] = [:]
    private var written: Set<Key> = []
    private var formatters: [String: DateFormatter] = [:]
    /// Rows that were read ahead.
    private var ahead: RelatedRows
    /// The number of exported objects, those of other entities not included.
    private(set) var count = 0
    /// The numbers of values that could not be written, by the attribute and the reason.
    private(set) var losses: [String: Int] = [:]

    /// The depth of nested records; the import reads 200.
    private static let depthLimit = 100

    init(
        _ store: OpenStore, entity: String, of exported: [String], check: @escaping () throws -> Void,
        put: @escaping ([UInt8]) throws -> Void
    ) throws {
        self.store = store
        ahead = RelatedRows(store)
        self.put = put
        self.check = check
        root = ImportNames(try EntityFacts(entity, in: store.model))
        rootEntities = [entity]
        self.exported = Set(exported)
        names[entity] = root
    }

    private func names(_ entity: String) throws -> ImportNames {
        if let found = names[entity] { return found }
        let made = ImportNames(try EntityFacts(entity, in: store.model))
        names[entity] = made
        return made
    }

    func write() throws {
        var query = store.query(entity: root.facts.name)
        query.includesSubentities = false
        query.columns = root.columns
        var page: [StoreQuery.Row] = []
        try query.forEach { row in
            page.append(row)
            guard page.count == RelatedRows.pageSize || root.hasLargeValues else { return true }
            try write(page)
            page.removeAll()
            return true
        }
        try write(page)
    }

    private func write(_ page: [StoreQuery.Row]) throws {
        try check()
        ahead.removeAll()
        ahead.add(page)
        try readAhead(page, root)
        for row in page {
            let key = Key(entity: row.entity, key: row.key)
            // A record in an earlier line has everything.
            guard !written.contains(key) else { continue }
            var bytes = try full(row, root, key, keys: root.key.map { [$0] } ?? [], depth: 0).bytes
            bytes.append(UInt8(ascii: "\n"))
            try put(bytes)
        }
    }

    /// Returns an object of the exported entity with its relationships.
    private func full(
        _ row: StoreQuery.Row, _ names: ImportNames, _ key: Key, keys: [String], depth: Int
    ) throws -> ExportRecord {
        count += 1
        let isKnown = keys.contains { row[$0].map { $0 != .none } ?? false }
        var record = ExportRecord()
        if !isKnown { mark(key, &record) }
        written.insert(key)
        addAttributes(row, names, to: &record)
        for relationship in names.relationships {
            guard let json = try members(row[relationship.name], relationship, depth) else { continue }
            record.set(json, at: ImportNames.path(relationship.name, relationship.userInfo))
        }
        return record
    }

    /// Gives an object without a key its number.
    private func mark(_ key: Key, _ record: inout ExportRecord) {
        let number = numbers.count + 1
        numbers[key] = number
        record.set(Array("\(number)".utf8), at: "@number")
    }

    // MARK: Relationships

    /// Returns the JSON text of related objects; nil for none.
    private func members(_ value: StoreQuery.Value?, _ relationship: Relationship, _ depth: Int) throws -> [UInt8]? {
        switch value {
        case .object(let uri, _)?: return try member(uri, relationship, depth)
        case .list(let values)?:
            var list = ByteText()
            for (index, value) in values.enumerated() {
                guard case .object(let uri, _) = value else { continue }
                if values.count > RelatedRows.pageSize, index % RelatedRows.pageSize == 0 {
                    try readAhead(values[index...].prefix(RelatedRows.pageSize), relationship)
                }
                guard let member = try member(uri, relationship, depth) else { continue }
                list.append(list.count == 0 ? "[" : ",")
                list.append(member)
            }
            guard list.count > 0 else { return nil }
            list.append("]")
            return list.bytes
        case .unreadable(let reason)?:
            losses["\(relationship.name): \(reason)", default: 0] += 1
            return nil
        default: return nil
        }
    }

    /// Returns one related object; nil if its own line sets the relationship from the other side.
    private func member(_ uri: URL, _ relationship: Relationship, _ depth: Int) throws -> [UInt8]? {
        guard let address = ObjectAddress(uri.absoluteString) else { return nil }
        let key = Key(entity: address.entity, key: address.key)
        if let number = numbers[key] {
            var record = ExportRecord()
            record.set(Array("\(number)".utf8), at: "@reference")
            return record.bytes
        }
        if leavesOut(key, relationship) { return nil }
        let names = try names(address.entity)
        let keys = names.keys(in: relationship)
        let isOfLines = rootEntities.contains(address.entity)
        let isFirst = !written.contains(key)
        guard let row = try ahead.row(key, columns: columns(of: key, names, keys)) else {
            losses["\(relationship.name): refers to an object that does not exist", default: 0] += 1
            return nil
        }
        let identity = keys.first { row[$0].map { $0 != .none } ?? false }
        if isOfLines, identity == nil {
            guard isFirst, depth < Self.depthLimit else { return nil }
            guard let row = try ahead.row(key, columns: names.columns) else { return nil }
            try readAhead([row], names)
            return try full(row, names, key, keys: keys, depth: depth + 1).bytes
        }
        var record = ExportRecord()
        if isFirst, !isOfLines || names.key == nil {
            if identity == nil { mark(key, &record) }
            written.insert(key)
            addAttributes(row, names, to: &record)
        } else if let identity, let attribute = names.facts.attribute(identity),
            let json = json(row[identity] ?? .none, attribute, names.facts.name)
        {
            // Required values, without which the object cannot be saved before its own line is read.
            record.set(json, at: ImportNames.path(identity, attribute.userInfo))
            if isFirst { addAttributes(row, names, to: &record) }
        }
        return record.bytes
    }

    /// Returns whether a related object is left out, and notes what is lost by that.
    private func leavesOut(_ key: Key, _ relationship: Relationship) -> Bool {
        // An import chooses among the subentities of an abstract entity.
        guard key.entity != relationship.destinationName, !written.contains(key),
            store.model.entity(named: relationship.destinationName)?.isAbstract == false
        else { return false }
        let facts = try? EntityFacts(key.entity, in: store.model)
        let inverses = facts.map { $0.toOnes + $0.toManys } ?? []
        let hasInverse = inverses.contains { $0.name == relationship.inverseName }
        if !hasInverse || !exported.contains(key.entity) {
            losses["\(relationship.name): refers to objects of the subentity \(key.entity)", default: 0] += 1
        } else if relationship.isOrdered {
            losses["\(relationship.name): the positions of objects of the subentity \(key.entity)", default: 0] += 1
        }
        return true
    }

    /// Returns the columns that are written of a related object, if it has a value of one of the keys.
    private func columns(of key: Key, _ names: ImportNames, _ keys: [String]) -> [String] {
        if written.contains(key) { return keys }
        // Objects of lines without a key are written in full.
        return keys.isEmpty && rootEntities.contains(key.entity) ? names.columns : names.attributes.map(\.name)
    }

    /// Reads the objects to which rows refer, except those of long lists and those with large values.
    private func readAhead(_ rows: [StoreQuery.Row], _ names: ImportNames) throws {
        for relationship in names.relationships {
            var objects: [StoreQuery.Value] = []
            for row in rows {
                switch row[relationship.name] {
                case .list(let members)?: if members.count <= RelatedRows.pageSize { objects += members }
                case let value?: objects.append(value)
                case nil: break
                }
            }
            try readAhead(objects[...], relationship)
        }
    }

    private func readAhead(_ objects: ArraySlice<StoreQuery.Value>, _ relationship: Relationship) throws {
        // Objects that were written have fewer columns.
        var groups: [String: (new: Set<Int64>, written: Set<Int64>)] = [:]
        for case .object(let uri, _) in objects {
            guard let address = ObjectAddress(uri.absoluteString) else { continue }
            let key = Key(entity: address.entity, key: address.key)
            guard numbers[key] == nil else { continue }
            if written.contains(key) {
                groups[key.entity, default: ([], [])].written.insert(key.key)
            } else {
                groups[key.entity, default: ([], [])].new.insert(key.key)
            }
        }
        for (entity, keys) in groups {
            let names = try names(entity)
            guard !names.hasLargeValues else { continue }
            for keys in [keys.new, keys.written] {
                guard let first = keys.first else { continue }
                let columns = columns(of: Key(entity: entity, key: first), names, names.keys(in: relationship))
                try ahead.read(keys, of: entity, columns: columns)
            }
        }
    }

    // MARK: Attributes

    private func addAttributes(_ row: StoreQuery.Row, _ names: ImportNames, to record: inout ExportRecord) {
        for attribute in names.attributes {
            guard let value = row[attribute.name], let json = json(value, attribute, names.facts.name) else { continue }
            record.set(json, at: ImportNames.path(attribute.name, attribute.userInfo))
        }
    }

    /// Returns the JSON text of a value; nil for no value, and for one that is reported as lost.
    private func json(_ value: StoreQuery.Value, _ attribute: Attribute, _ entity: String) -> [UInt8]? {
        var text = ByteText()
        switch value {
        case .none: return nil
        case .date(let date): append(date, attribute, to: &text)
        case .double(let number) where !number.isFinite: return lose(entity, attribute, "is not finite")
        case .transformable: return lose(entity, attribute, "is transformable")
        case .missingFile: return lose(entity, attribute, "is in a file that is missing")
        case .unreadable: return lose(entity, attribute, "is unreadable")
        case .composite(let members):
            var record = ExportRecord()
            for element in attribute.elements {
                guard let member = members[element.name], let json = json(member, element, entity) else { continue }
                record.set(json, at: ImportNames.path(element.name, element.userInfo))
            }
            return record.bytes
        default: ValueText.appendJSON(value, to: &text)
        }
        return text.bytes
    }

    private func lose(_ entity: String, _ attribute: Attribute, _ reason: String) -> [UInt8]? {
        losses["\(entity).\(attribute.name) \(reason)", default: 0] += 1
        return nil
    }

    private func append(_ date: Date, _ attribute: Attribute, to text: inout ByteText) {
        switch attribute.userInfo["dateFormat"]?.userText {
        case "UnixTime": text.append(date.timeIntervalSince1970 * 1000)
        case let pattern? where pattern != "yyyy-MM-dd'T'HH:mm:ssz":
            text.appendJSON(formatter(pattern).string(from: date))
        default:
            text.append("\"")
            text.append(date)
            text.append("\"")
        }
    }

    private func formatter(_ pattern: String) -> DateFormatter {
        if let found = formatters[pattern] { return found }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = pattern
        formatters[pattern] = formatter
        return formatter
    }
}
