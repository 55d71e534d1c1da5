import ModelFormat

/// Collects what a property and a statement say about an attribute.
struct AttributeFacts {
    let name: String
    let syntax: TypeSyntax
    let type: AttributeType
    let place: SourcePlace
    /// True if a statement names the type.
    var isTypeStated = false
    /// True if the property has the wrapper `@Stored`.
    var isStored = false
    /// The type of a composite attribute.
    var composite: CompositeType?
    /// The class of a transformable value.
    var valueClass: String?
    /// The initial value of a property with a wrapper.
    var initialValue: ModelValue?
    private(set) var problems: [Diagnostic] = []

    init(name: String, syntax: TypeSyntax, type: AttributeType, place: SourcePlace) {
        self.name = name
        self.syntax = syntax
        self.type = type
        self.place = place
    }

    mutating func property(isOptional: Bool, _ reader: inout StatementReader?) -> ClassProperty<Attribute> {
        var initial = Attribute(name: name, type: type, isOptional: isOptional)
        let isScalar = type.hasScalarForm && type != .date && !isOptional && !isObject
        initial.usesScalarValueType =
            isScalar ? true : [.date, .uuid].contains(type) || type.hasScalarForm ? false : nil
        if isScalar { initial.defaultValue = Self.zero(type) }
        if let initialValue { initial.defaultValue = initialValue }
        initial.valueClassName = valueClass
        initial.compositeName = composite?.name
        initial.elements = composite?.attributes ?? []
        if type == .transformable { initial.valueTransformerName = "NSSecureUnarchiveFromData" }
        var property = ClassProperty(name: name, initial: initial, place: place, typeText: syntax.text)
        property.isStored = isStored
        property.facts = impliedFacts(initial, isOptional: isOptional, isScalar: isScalar)
        if reader != nil { property.facts += statedFacts(&reader!, &property) }
        return property
    }

    /// True if the Swift type is a class of Foundation, which holds nil and any number.
    private var isObject: Bool {
        var type = syntax
        if case .optional(let wrapped) = type { type = wrapped }
        if case .named(let path, _) = type { return path.last?.hasPrefix("NS") == true }
        return false
    }

    private static func zero(_ type: AttributeType) -> ModelValue? {
        switch type {
        case .integer16, .integer32, .integer64: .integer(0)
        case .double, .float: .double(0)
        case .boolean: .bool(false)
        default: nil
        }
    }

    // MARK: Facts

    private func impliedFacts(_ initial: Attribute, isOptional: Bool, isScalar: Bool) -> [Fact<Attribute>] {
        let (type, text, composite) = (type, syntax.text, composite)
        let accepted = isTypeStated ? [type] : acceptedTypes
        var facts = [
            Fact<Attribute>(
                "type", stated: isTypeStated ? type.xmlName : "\(type.xmlName) (\(text))", place,
                isImplied: !isTypeStated && !isStored, current: { $0.type.xmlName },
                holds: { accepted.contains($0.type) },
                apply: {
                    if $0.type != type {
                        // What belongs to the former type.
                        $0.defaultValue = initial.defaultValue
                        $0.usesScalarValueType = initial.usesScalarValueType
                        $0.valueTransformerName = initial.valueTransformerName
                        $0.valueClassName = initial.valueClassName
                        $0.validation = []
                        $0.extraAttributes["defaultValueString"] = nil
                    }
                    $0.type = type
                    $0.compositeName = composite?.name
                    $0.elements = composite?.attributes ?? []
                })
        ]
        // A number that is not optional reads as 0 where there is none.
        if !isOptional, !isScalar, initialValue == nil {
            var fact = Fact<Attribute>(
                "isOptional", stated: "false (\(text))", place, isImplied: true,
                current: { $0.isOptional ? "true" : "false" }, holds: { !$0.isOptional || $0.defaultValue != nil },
                apply: { $0.isOptional = false })
            fact.isNoted = true
            facts.append(fact)
        }
        if let initialValue {
            facts.append(
                Fact(
                    "default value", initialValue, place, at: \.defaultValue, show: Self.text))
        }
        return facts
    }

    /// The attribute types that the Swift type is right for.
    private var acceptedTypes: Set<AttributeType> {
        var syntax = syntax
        if case .optional(let wrapped) = syntax { syntax = wrapped }
        switch syntax {
        case .named(["Int"], _): return [.integer16, .integer32, .integer64]
        case .named(["Double"], _): return [.double, .float, .date]
        case .named(["NSDecimalNumber"], _):
            return [.decimal, .double, .float, .integer16, .integer32, .integer64, .boolean]
        default: break
        }
        // A value that is stored as JSON may also be text, or a composite attribute.
        if type == .binary, valueClass == nil, !["Data", "NSData"].contains(syntax.text) {
            return [.binary, .string, .composite, .transformable]
        }
        if type == .transformable { return [.transformable, .composite, .undefined] }
        let isScalar = type.hasScalarForm && type != .date && !isObject
        return isScalar ? [type] : [type, .transformable]
    }

    private static func text(_ value: ModelValue?) -> String {
        guard let value else { return "none" }
        if case .string(let text) = value { return "\"\(text)\"" }
        return ConstantText.text(of: value) ?? "a value"
    }

    private mutating func statedFacts(
        _ reader: inout StatementReader, _ property: inout ClassProperty<Attribute>
    ) -> [Fact<Attribute>] {
        var facts: [Fact<Attribute>] = []
        if let flag = reader.bool("isOptional") {
            property.facts.removeAll { $0.name == "isOptional" }
            facts.append(.flag("isOptional", flag, reader.place("isOptional"), at: \.isOptional))
        }
        if reader.isNil("default") {
            property.initial.defaultValue = nil
            property.facts.removeAll { $0.name == "default value" }
            facts.append(Fact("default value", nil, reader.place("default"), at: \.defaultValue, show: Self.text))
        }
        if let value = reader.constant("default", type) {
            property.facts.removeAll { $0.name == "default value" }
            facts.append(
                Fact("default value", value, reader.place("default"), at: \.defaultValue, show: Self.text))
        }
        facts += limits(&reader)
        for (label, name, path) in Self.flags {
            if let flag = reader.bool(label) { facts.append(.flag(name, flag, reader.place(label), at: path)) }
        }
        for (label, name, path) in Self.texts {
            guard let text = reader.string(label) else { continue }
            facts.append(.text(name, text, reader.place(label), at: path))
            if label == "renamedFrom" { property.renamedFrom = text }
            // The store computes the value, and no object is saved without one.
            if label == "derivation" { property.initial.isOptional = true }
        }
        if reader.string("transformer") != nil, type != .transformable {
            reader.report(
                reader.place("transformer"),
                "the attribute \(name) has the type \(self.type.xmlName), without a transformer",
                "State type: .transformable, or leave the transformer out")
        }
        return facts + Fact.userInfo(reader.userInfo(), reader.place("userInfo"), at: \.userInfo)
    }

    private static var flags: [(String, String, WritableKeyPath<Attribute, Bool>)] {
        [
            ("isTransient", "isTransient", \.isTransient),
            ("isStoredExternally", "isStoredExternally", \.allowsExternalBinaryDataStorage),
            ("isPreservedAfterDeletion", "isPreservedAfterDeletion", \.preservesValueInHistoryOnDeletion),
        ]
    }

    private static var texts: [(String, String, WritableKeyPath<Attribute, String?>)] {
        [
            ("derivation", "derivation", \.derivation), ("transformer", "transformer", \.valueTransformerName),
            ("renamedFrom", "renaming identifier", \.renamingIdentifier),
            ("versionHashModifier", "version hash modifier", \.versionHashModifier),
        ]
    }

    // MARK: Validation

    private func limits(_ reader: inout StatementReader) -> [Fact<Attribute>] {
        var facts: [Fact<Attribute>] = []
        let hasLimits = [.integer16, .integer32, .integer64, .double, .float, .decimal, .date].contains(type)
        for label in ["minimum", "maximum"] where !hasLimits && reader.has(label) {
            reader.report(
                reader.place(label), "the attribute \(name) has the type \(type.xmlName), without a \(label)",
                "Leave it out; texts have minimumLength and maximumLength")
            return []
        }
        if let limit = reader.constant("minimum", type).map(Self.limit) {
            facts.append(rule("minimum", .minimum(limit), Self.text(limit), &reader))
        }
        if let limit = reader.constant("maximum", type).map(Self.limit) {
            facts.append(rule("maximum", .maximum(limit), Self.text(limit), &reader))
        }
        for label in ["minimumLength", "maximumLength"] {
            guard let count = reader.count(label) else { continue }
            if type != .string {
                reader.report(
                    reader.place(label), "the attribute \(name) is no text, which alone has a length", "Leave it out")
            }
            facts.append(
                rule(
                    label, label == "minimumLength" ? .minimumLength(count) : .maximumLength(count), "\(count)",
                    &reader))
        }
        if let pattern = reader.string("pattern") {
            if type != .string {
                reader.report(reader.place("pattern"), "the attribute \(name) is no text", "Leave the pattern out")
            }
            facts.append(rule("pattern", .pattern(pattern), "\"\(pattern)\"", &reader))
        }
        return facts
    }

    /// Returns a limit as models have it: those of decimals are integers if they are whole.
    private static func limit(_ stated: ModelValue) -> ModelValue {
        guard case .decimal(let number) = stated, let whole = Int64(number.description) else { return stated }
        return .integer(whole)
    }

    private func rule(
        _ label: String, _ rule: ValidationRule, _ stated: String, _ reader: inout StatementReader
    ) -> Fact<Attribute> {
        let rank = Self.rank(rule)
        return Fact(
            label, stated: stated, reader.place(label),
            current: { $0.validation.first { Self.rank($0) == rank }.map(Self.text) ?? "none" },
            holds: { $0.validation.contains(rule) },
            apply: { attribute in
                attribute.validation.removeAll { Self.rank($0) == rank }
                attribute.validation.append(rule)
                attribute.validation.sort { Self.rank($0) < Self.rank($1) }
            })
    }

    private static func text(_ rule: ValidationRule) -> String {
        switch rule {
        case .minimum(let limit), .maximum(let limit): text(limit)
        case .minimumLength(let count), .maximumLength(let count): "\(count)"
        case .pattern(let text): "\"\(text)\""
        case .predicate(let text, _): text
        }
    }

    /// Returns the position of a rule in the order in which rules are written.
    private static func rank(_ rule: ValidationRule) -> Int {
        switch rule {
        case .minimum: 0
        case .maximum: 1
        case .minimumLength: 2
        case .maximumLength: 3
        case .pattern: 4
        case .predicate: 5
        }
    }
}
