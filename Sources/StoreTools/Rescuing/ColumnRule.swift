import Foundation

#if canImport(CCoreDataSQLite)
import CCoreDataSQLite
#else
import SQLite3
#endif

extension RescueTable.Rule {
    /// The result of fitting a value to a rule.
    enum Fit {
        case fits
        /// The same value in the right form.
        case converted(StoredValue, String)
        case unfit(String)
    }

    /// Returns whether the value of a statement's column obeys the rule, at the cost of a few comparisons. Values in external
    /// files never do: they need a closer look.
    @inline(__always)
    func accepts(_ statement: OpaquePointer, _ column: Int32) -> Bool {
        let type = sqlite3_column_type(statement, column)
        if type == SQLITE_NULL { return true }
        switch self {
        case .any: return type != SQLITE_TEXT || Self.isText(statement, column)
        case .integer(let range):
            return type == SQLITE_INTEGER && range.contains(sqlite3_column_int64(statement, column))
        case .number, .decimal: return type == SQLITE_FLOAT || type == SQLITE_INTEGER
        case .text: return type == SQLITE_TEXT && Self.isText(statement, column)
        case .blob: return type == SQLITE_BLOB
        case .uuid: return type == SQLITE_BLOB && sqlite3_column_bytes(statement, column) == 16
        case .external:
            guard type == SQLITE_BLOB, sqlite3_column_bytes(statement, column) > 0,
                let bytes = sqlite3_column_blob(statement, column)
            else { return false }
            return bytes.load(as: UInt8.self) == 1
        }
    }

    /// Returns whether a text is valid UTF-8.
    static func isText(_ statement: OpaquePointer, _ column: Int32) -> Bool {
        guard let bytes = sqlite3_column_text(statement, column) else { return true }
        let count = Int(sqlite3_column_bytes(statement, column))
        let raw = UnsafeRawBufferPointer(start: bytes, count: count)
        var place = 0
        while place + 8 <= count {
            if raw.loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
            place += 8
        }
        while place < count, raw[place] < 0x80 { place += 1 }
        if place == count { return true }
        let text = String(decoding: raw, as: UTF8.self)
        return text.utf8.elementsEqual(raw)
    }

    /// Returns what a value becomes.
    func fit(_ value: StoredValue) -> Fit {
        switch (self, value) {
        case (_, .null), (.any, _): .fits
        case (.integer(let range), .integer(let number)): Self.fit(number, in: range)
        case (.integer(let range), .real(let number)):
            if let whole = Int64(exactly: number), range.contains(whole) {
                .converted(.integer(whole), "A number with a fraction of 0 became an integer.")
            } else {
                .unfit("A number is not an integer of the attribute's range")
            }
        case (.integer(let range), .text(let text)):
            if let whole = Int64(text), range.contains(whole) {
                .converted(.integer(whole), "Digits as text became a number.")
            } else {
                .unfit("A text is in the place of an integer")
            }
        case (.number, .real), (.number, .integer), (.decimal, .real), (.decimal, .integer): .fits
        case (.decimal, .text(let text)) where text == "NaN": .fits
        case (.number, .text(let text)), (.decimal, .text(let text)):
            if let number = Double(text), number.isFinite, "\(number)" == text || Int64(text) != nil {
                .converted(.real(number), "Digits as text became a number.")
            } else {
                .unfit("A text is in the place of a number")
            }
        case (.text, .text): .fits
        case (.text, .integer(let number)): .converted(.text("\(number)"), "A number became text.")
        case (.text, .blob(let data)):
            if let text = String(data: data, encoding: .utf8) {
                .converted(.text(text), "Bytes became the text that they are.")
            } else {
                Self.repair(data)
            }
        case (.blob, .blob): .fits
        case (.blob, .text(let text)): .converted(.blob(Data(text.utf8)), "A text became bytes.")
        case (.uuid, .blob(let data)): data.count == 16 ? .fits : .unfit("A UUID has not 16 bytes")
        case (.uuid, .text(let text)):
            if let uuid = UUID(uuidString: text) {
                .converted(.blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }), "The text of a UUID became a UUID.")
            } else {
                .unfit("A text is in the place of a UUID")
            }
        case (.external, .blob(let data)):
            switch data.first {
            case 1: .fits
            case 2 where ExternalName(data) != nil: .fits
            default: .unfit("An external value has no valid marker")
            }
        default: .unfit("A value is not of the attribute's type")
        }
    }

    /// Returns text with a few invalid bytes as valid text.
    private static func repair(_ data: Data) -> Fit {
        let text = String(decoding: data, as: UTF8.self)
        let invalid = text.unicodeScalars.reduce(0) { $0 + ($1 == "\u{FFFD}" ? 1 : 0) }
        guard invalid * 4 <= text.unicodeScalars.count else { return .unfit("Bytes are in the place of a text") }
        return .converted(.text(text), invalidText)
    }

    /// The note on repaired text.
    static let invalidText = "A text with invalid UTF-8 was repaired."

    private static func fit(_ number: Int64, in range: ClosedRange<Int64>) -> Fit {
        if range.contains(number) { return .fits }
        if range == 0...1 { return .converted(.integer(1), "A Boolean that was neither 0 nor 1 became true.") }
        return .unfit("An integer exceeds the attribute's range")
    }
}

/// The name of the file of an external value.
struct ExternalName {
    let name: String

    /// Reads a cell; returns nil if it refers to no file, or has no valid name.
    init?(_ cell: Data) {
        guard cell.count == 38, cell.first == 2, cell.last == 0 else { return nil }
        let text = String(decoding: cell.dropFirst().dropLast(), as: UTF8.self)
        guard UUID(uuidString: text) != nil else { return nil }
        name = text
    }
}
