import Foundation

/// Reads the arguments of a format string out of a C argument list.
enum VariadicArguments {
    /// Returns the arguments of `list`, one for each specifier of `format`.
    ///
    /// The layout of an argument list differs between processors, so the list is printed with `vsnprintf`, by a format derived
    /// from the specifiers, and the text is parsed. This is exact on all of them: objects are printed as pointers and doubles
    /// as hexadecimal.
    static func decode(_ list: CVaListPointer, for format: String) -> [Any] {
        let specifiers = FormatSpecifier.all(in: format)
        guard !specifiers.isEmpty else { return [] }
        let printFormat = specifiers.map(\.printFormat).joined(separator: ",")
        var buffer = [CChar](repeating: 0, count: specifiers.count * 40 + 1)
        vsnprintf(&buffer, buffer.count, printFormat, list)
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return zip(specifiers, text.split(separator: ",")).map { $0.value(printed: String($1)) }
    }
}

extension FormatSpecifier {
    /// The `printf` conversion that prints the argument without loss.
    fileprivate var printFormat: String {
        switch self {
        case .object, .keyPath, .cString, .pointer: "%p"
        case .integer(let length, let signed): "%\(length)\(signed ? "d" : "u")"
        case .character: "%d"
        case .real: "%a"
        }
    }

    /// Parses the argument that C printed as `text`.
    fileprivate func value(printed text: String) -> Any {
        switch self {
        case .integer(_, true), .character: return Int64(text) ?? 0
        case .integer(_, false): return UInt64(text) ?? 0
        case .real: return Double(text) ?? .nan
        case .pointer: return UInt64(text.dropFirst(2), radix: 16) ?? 0
        case .object, .keyPath, .cString:
            guard let address = UInt(text.dropFirst(2), radix: 16), let pointer = UnsafeRawPointer(bitPattern: address)
            else { return NSNull() }
            if case .cString = self {
                return String(cString: pointer.assumingMemoryBound(to: CChar.self))
            }
            return Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
        }
    }
}
