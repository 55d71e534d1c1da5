import Foundation
import StoreTools

/// Values of rows as text, in each format.
package enum ValueText {
    /// Returns the short form of an object's URI: `Person/p12`.
    package static func short(_ uri: URL) -> String {
        let text = uri.absoluteString
        if let address = ObjectAddress(text) { return "\(address.entity)/p\(address.key)" }
        return text.split(separator: "/", omittingEmptySubsequences: true).suffix(2).joined(separator: "/")
    }

    /// Returns a value as a cell of a table.
    package static func cell(_ value: StoreQuery.Value, isExact: Bool = false) -> TableCell {
        switch value {
        case .none: return TableCell("")
        case .integer(let number): return TableCell("\(number)", isNumber: true)
        case .boolean(let flag): return TableCell(flag ? "true" : "false")
        case .double(let number): return TableCell(text(number), isNumber: true)
        case .decimal(let number): return TableCell("\(number)", isNumber: true)
        case .string(let text): return TableCell(text)
        case .date(let date): return TableCell(text(date, wholeSeconds: !isExact))
        case .uuid(let uuid): return TableCell(uuid.uuidString)
        case .url(let url): return TableCell(url.absoluteString)
        case .data(let data): return TableCell(description(data))
        case .object(let uri, _): return TableCell(short(uri))
        case .list(let members):
            return TableCell(members.map { cell($0, isExact: isExact).text }.joined(separator: ", "))
        case .transformable(let name, let count):
            return TableCell("\(name ?? "object"), \(Quantity.bytes(Int64(count)))")
        case .composite: return TableCell(json(value))
        case .missingFile(let name): return TableCell("file \(name) is missing")
        case .unreadable(let reason): return TableCell("unreadable: \(reason)")
        }
    }

    /// Returns the size and the first bytes: `12 bytes ff d8 ff e0 …`.
    private static func description(_ data: Data) -> String {
        let first = data.prefix(8).map { String(format: "%02x", $0) }.joined(separator: " ")
        return Quantity.bytes(Int64(data.count)) + (first.isEmpty ? "" : " \(first)\(data.count > 8 ? " …" : "")")
    }

    private static func text(_ number: Double) -> String {
        var text = ByteText()
        text.append(number)
        return text.text
    }

    package static func text(_ date: Date, wholeSeconds: Bool = false) -> String {
        var text = ByteText()
        text.append(date, wholeSeconds: wholeSeconds)
        return text.text
    }

    package static func json(_ value: StoreQuery.Value) -> String {
        var text = ByteText()
        appendJSON(value, to: &text)
        return text.text
    }

    /// Appends a value as JSON, in the forms that MagicalRecord's import reads: decimals as text, since readers of JSON
    /// numbers lose digits, dates as ISO 8601, data as Base64.
    package static func appendJSON(_ value: StoreQuery.Value, to text: inout ByteText) {
        switch value {
        case .none: text.append("null")
        case .integer(let number): text.append(number)
        case .boolean(let flag): flag ? text.append("true") : text.append("false")
        case .double(let number): number.isFinite ? text.append(number) : text.appendJSON("\(number)")
        case .decimal(let number): text.appendJSON("\(number)")
        case .string(let string): text.appendJSON(string)
        case .date(let date): appendQuoted(&text) { $0.append(date) }
        case .uuid(let uuid): appendQuoted(&text) { $0.append(uuid) }
        case .url(let url): text.appendJSON(url.absoluteString)
        case .data(let data): appendQuoted(&text) { $0.append([UInt8](data.base64EncodedData())) }
        case .object(let uri, _): text.appendJSON(uri.absoluteString)
        case .list(let members):
            text.append("[")
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(",") }
                appendJSON(member, to: &text)
            }
            text.append("]")
        case .transformable(let name, let count):
            text.append("{\"class\":")
            name.map { text.appendJSON($0) } ?? text.append("null")
            text.append(",\"bytes\":")
            text.append(Int64(count))
            text.append("}")
        case .composite(let members):
            text.append("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.append(",") }
                text.appendJSON(member.key)
                text.append(":")
                appendJSON(member.value, to: &text)
            }
            text.append("}")
        case .missingFile(let name):
            text.append("{\"missingFile\":")
            text.appendJSON(name)
            text.append("}")
        case .unreadable(let reason):
            text.append("{\"unreadable\":")
            text.appendJSON(reason)
            text.append("}")
        }
    }

    /// Appends a value of the current row as JSON.
    package static func appendJSON(_ value: CurrentRow.Value, to text: inout ByteText) {
        switch value {
        case .text(let bytes): text.appendJSON(bytes)
        case .decimal(let number): appendQuoted(&text) { $0.append(number) }
        case .object(let prefix, let key):
            appendQuoted(&text) {
                $0.append(text: prefix)
                $0.append(key)
            }
        case .other(let value): appendJSON(value, to: &text)
        }
    }

    private static func appendQuoted(_ text: inout ByteText, _ body: (inout ByteText) -> Void) {
        text.append("\"")
        body(&text)
        text.append("\"")
    }

    /// Appends a value as a field of CSV; nothing for no value.
    package static func appendCSV(_ value: StoreQuery.Value, to text: inout ByteText) {
        switch value {
        case .none: break
        case .integer(let number): text.append(number)
        case .boolean(let flag): flag ? text.append("true") : text.append("false")
        case .double(let number): number.isFinite ? text.append(number) : text.append(text: "\(number)")
        case .decimal(let number): text.append(text: "\(number)")
        case .string(let string): text.appendCSV(string)
        case .date(let date): text.append(date)
        case .uuid(let uuid): text.append(uuid)
        case .url(let url): text.appendCSV(url.absoluteString)
        case .data(let data): text.appendCSV(data.base64EncodedString())
        case .object(let uri, _): text.appendCSV(uri.absoluteString)
        case .list, .transformable, .composite, .missingFile, .unreadable: text.appendCSV(json(value))
        }
    }

    /// Appends a value of the current row as a field of CSV.
    package static func appendCSV(_ value: CurrentRow.Value, to text: inout ByteText) {
        switch value {
        case .text(let bytes): text.appendCSV(bytes)
        case .decimal(let number): text.append(number)
        case .object(let prefix, let key):
            text.append(text: prefix)
            text.append(key)
        case .other(let value): appendCSV(value, to: &text)
        }
    }
}
