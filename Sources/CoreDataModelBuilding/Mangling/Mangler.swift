/// Writes the mangled names of properties and methods of classes.
///
/// The scheme is Swift's public ABI. A name is built operand by operand; repeated words and types are replaced by
/// substitutions, which is most of the work here.
struct Mangler {
    private static let wordLimit = 26
    private var buffer = "$s"
    private var words: [String] = []
    private var substitutions: [String: Int] = [:]
    private var lastSubstitution = MergeState()

    /// The position of the last substitution, so that the next one can be merged with it (`AaB`, `S2i`).
    private struct MergeState {
        var start = 0
        var size = 0
        var count = 0
        var isStandard = false
    }

    // MARK: Entities

    /// Returns the symbols of the getter and setter of a property.
    ///
    /// - Parameters:
    ///   - extensionModule: the module of the declaring extension, if it is not that of the class.
    ///   - discriminator: the discriminator of a private property.
    static func accessors(
        of name: String, type: MangledType, in owner: NominalType, extensionModule: String? = nil,
        discriminator: String? = nil
    ) -> (getter: String, setter: String) {
        var mangler = Mangler()
        mangler.appendContext(owner, extensionModule)
        mangler.append(identifier: name, discriminator: discriminator)
        mangler.append(type)
        return (mangler.buffer + "vg", mangler.buffer + "vs")
    }

    /// Returns the symbol of a method. Labels are `nil` for `_`.
    static func method(
        _ name: String, parameters: [(label: String?, type: MangledType)], result: MangledType, in owner: NominalType,
        extensionModule: String? = nil, discriminator: String? = nil
    ) -> String {
        var mangler = Mangler()
        mangler.appendContext(owner, extensionModule)
        mangler.append(identifier: name, discriminator: discriminator)
        if parameters.allSatisfy({ $0.label == nil }) {
            if !parameters.isEmpty { mangler.buffer += "y" }
        } else {
            for parameter in parameters {
                if let label = parameter.label { mangler.append(identifier: label) } else { mangler.buffer += "_" }
            }
        }
        mangler.append(result)
        mangler.append(parameters: parameters)
        return mangler.buffer + "F"
    }

    private mutating func append(parameters: [(label: String?, type: MangledType)]) {
        guard let first = parameters.first else {
            buffer += "y"
            return
        }
        append(first.type)
        // A single parameter without a label is mangled directly; others form a tuple.
        guard parameters.count > 1 || first.label != nil else { return }
        buffer += "_"
        for parameter in parameters.dropFirst() { append(parameter.type) }
        buffer += "t"
    }

    private mutating func appendContext(_ owner: NominalType, _ extensionModule: String?) {
        append(owner)
        if let extensionModule {
            append(module: extensionModule)
            buffer += "E"
        }
    }

    // MARK: Types

    private mutating func append(_ type: MangledType) {
        switch type {
        case .nominal(let nominal): append(nominal)
        case .void: buffer += "y"
        case .anyObject: buffer += "yXl"
        case .existential(let protocols): append(existential: protocols)
        case .optional(let wrapped):
            if appendSubstitution(type.key) { return }
            append(wrapped)
            buffer += "Sg"
            addSubstitution(type.key)
        case .bound(let nominal, let arguments):
            if appendSubstitution(type.key) { return }
            append(nominal)
            // Enclosing types have no generic arguments, which is one separator each.
            for _ in nominal.path.dropLast() { buffer += "_" }
            buffer += "y"
            for argument in arguments { append(argument) }
            buffer += "G"
            addSubstitution(type.key)
        }
    }

    private mutating func append(existential protocols: [NominalType]) {
        guard !protocols.isEmpty else {
            buffer += "yp"
            return
        }
        for (index, type) in protocols.enumerated() {
            // In a list, the letter for "protocol" is omitted.
            if !appendStandard(type), !appendSubstitution(type.key) {
                append(module: type.module)
                append(identifier: type.path[0].name, discriminator: type.path[0].discriminator)
                addSubstitution(type.key)
            }
            if index == 0 { buffer += "_" }
        }
        buffer += "p"
    }

    private mutating func append(_ nominal: NominalType) {
        append(nominal, depth: nominal.path.count)
    }

    /// Appends the type of the first path components.
    private mutating func append(_ nominal: NominalType, depth: Int) {
        let type = NominalType(module: nominal.module, path: Array(nominal.path.prefix(depth)))
        if appendStandard(type) || appendSubstitution(type.key) { return }
        if depth > 1 { append(nominal, depth: depth - 1) } else { append(module: nominal.module) }
        let component = nominal.path[depth - 1]
        append(identifier: component.name, discriminator: component.discriminator)
        buffer += component.kind.rawValue
        addSubstitution(type.key)
    }

    private mutating func append(module: String) {
        if module == "Swift" {
            buffer += "s"
            return
        }
        append(identifier: module)
    }

    // MARK: References

    /// The types of the standard library with a one-letter mangling.
    private static let standardTypes: [String: Character] = [
        "Array": "a", "Bool": "b", "Dictionary": "D", "Double": "d", "Float": "f", "Set": "h", "Int": "i",
        "Character": "J", "ClosedRange": "N", "Range": "n", "ObjectIdentifier": "O", "Optional": "q", "String": "S",
        "Substring": "s", "UInt": "u", "UnsafeRawPointer": "V", "UnsafeMutableRawPointer": "v", "UnsafePointer": "P",
        "UnsafeMutablePointer": "p", "UnsafeBufferPointer": "R", "UnsafeMutableBufferPointer": "r", "Hashable": "H",
        "Equatable": "Q", "Comparable": "L", "Encodable": "E", "Decodable": "e", "Sequence": "T", "Collection": "l",
    ]

    private mutating func appendStandard(_ type: NominalType) -> Bool {
        guard type.module == "Swift", type.path.count == 1, let letter = Self.standardTypes[type.path[0].name] else {
            return false
        }
        if !merge(letter, isStandard: true) {
            buffer += "S"
            buffer.append(letter)
        }
        return true
    }

    private mutating func appendSubstitution(_ key: String) -> Bool {
        guard let index = substitutions[key] else { return false }
        if index >= 26 {
            buffer += "A" + Self.index(index - 26)
        } else {
            let letter = Character(UnicodeScalar(UInt8(ascii: "A") + UInt8(index)))
            if !merge(letter, isStandard: false) {
                buffer += "A"
                buffer.append(letter)
            }
        }
        return true
    }

    private mutating func addSubstitution(_ key: String) {
        if substitutions[key] == nil { substitutions[key] = substitutions.count }
    }

    private static func index(_ number: Int) -> String { number == 0 ? "_" : "\(number - 1)_" }

    /// Merges a substitution with the directly preceding one: different letters become `AbC`, the same letter `A2B`.
    private mutating func merge(_ letter: Character, isStandard: Bool) -> Bool {
        let end = buffer.utf8.count
        if lastSubstitution.count > 0, lastSubstitution.isStandard == isStandard,
            end == lastSubstitution.start + lastSubstitution.size, let last = buffer.last
        {
            if last != letter, !isStandard {
                lastSubstitution = MergeState(start: end, size: 1, count: 1, isStandard: false)
                buffer.removeLast()
                buffer += last.lowercased()
                buffer.append(letter)
                return true
            }
            if last == letter {
                lastSubstitution.count += 1
                buffer.removeLast(lastSubstitution.size)
                buffer += "\(lastSubstitution.count)"
                buffer.append(letter)
                lastSubstitution.size = buffer.utf8.count - lastSubstitution.start
                return true
            }
        }
        lastSubstitution = MergeState(start: end + 1, size: 1, count: 1, isStandard: isStandard)
        return false
    }

    // MARK: Identifiers

    private mutating func append(identifier: String, discriminator: String?) {
        append(identifier: identifier)
        if let discriminator {
            append(identifier: discriminator)
            buffer += "LL"
        }
    }

    /// Appends an identifier: a substitution if it occurred before as a whole, or else its length and text, with words that
    /// occurred before replaced by letters.
    private mutating func append(identifier: String) {
        let key = "identifier " + identifier
        if appendSubstitution(key) { return }
        addSubstitution(key)
        let bytes = Array(identifier.utf8)
        var replacements: [(start: Int, length: Int, word: Int)] = []
        var wordStart: Int?
        for position in 0...bytes.count {
            let byte = position < bytes.count ? bytes[position] : 0
            if let start = wordStart, Self.endsWord(byte, after: bytes[position - 1]) {
                let word = String(decoding: bytes[start..<position], as: UTF8.self)
                if let index = words.firstIndex(of: word) {
                    replacements.append((start, position - start, index))
                } else if position - start >= 2, words.count < Self.wordLimit {
                    words.append(word)
                }
                wordStart = nil
            }
            if wordStart == nil, Self.startsWord(byte) { wordStart = position }
        }
        guard !replacements.isEmpty else {
            buffer += "\(bytes.count)\(identifier)"
            return
        }
        buffer += "0"
        var position = 0
        for (number, replacement) in replacements.enumerated() {
            appendText(bytes[position..<replacement.start])
            position = replacement.start + replacement.length
            let isLast = number == replacements.count - 1
            let base = isLast ? UInt8(ascii: "A") : UInt8(ascii: "a")
            buffer.append(Character(UnicodeScalar(base + UInt8(replacement.word))))
            if isLast, position == bytes.count { buffer += "0" }
        }
        appendText(bytes[position...])
    }

    private mutating func appendText(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        buffer += "\(bytes.count)" + String(decoding: bytes, as: UTF8.self)
    }

    private static func isUpper(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func startsWord(_ byte: UInt8) -> Bool {
        byte != 0 && byte != UInt8(ascii: "_") && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func endsWord(_ byte: UInt8, after previous: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "_") || !isUpper(previous) && isUpper(byte)
    }
}

extension MangledType {
    /// A unique name of the type.
    var key: String {
        switch self {
        case .nominal(let nominal): nominal.key
        case .bound(let nominal, let arguments): "\(nominal.key)<\(arguments.map(\.key).joined(separator: ","))>"
        case .optional(let wrapped): wrapped.key + "?"
        case .existential(let protocols): "any " + protocols.map(\.key).joined(separator: "&")
        case .anyObject: "AnyObject"
        case .void: "()"
        }
    }

    /// The modules of all types in the name.
    var modules: Set<String> {
        switch self {
        case .nominal(let nominal): [nominal.module]
        case .bound(let nominal, let arguments): arguments.reduce([nominal.module]) { $0.union($1.modules) }
        case .optional(let wrapped): wrapped.modules
        case .existential(let protocols): Set(protocols.map(\.module))
        case .anyObject, .void: []
        }
    }
}
