/// The default value and limits of an attribute, as texts in an XML model.
struct XMLLimits {
    var minimum: String?
    var maximum: String?
    var earliest: String?
    var latest: String?
    var pattern: String?
    var defaultText: String?
    var defaultInterval: String?
    /// The rules without such a text.
    var lostRules: [ValidationRule] = []
    var losesDefault = false

    init(_ attribute: Attribute) {
        for rule in attribute.validation where !take(rule, type: attribute.type) { lostRules.append(rule) }
        guard let value = attribute.defaultValue else { return }
        switch (attribute.type, value) {
        case (.date, .date(let interval)): defaultInterval = PredicateText.number(interval)
        case (.boolean, .bool), (.integer16, .integer), (.integer32, .integer), (.integer64, .integer),
            (.decimal, .decimal), (.string, .string), (.uuid, .uuid), (.uri, .url):
            defaultText = ConstantText.text(of: value)
        case (.double, .double(let number)), (.float, .double(let number)): defaultText = "\(number)"
        default: losesDefault = true
        }
    }

    /// Stores a rule in its field; returns false if it has no field or the field is already set.
    private mutating func take(_ rule: ValidationRule, type: AttributeType) -> Bool {
        switch (type, rule) {
        case (.string, .minimumLength(let count)): Self.set(&minimum, "\(count)")
        case (.string, .maximumLength(let count)): Self.set(&maximum, "\(count)")
        case (.string, .pattern(let text)) where !text.isEmpty: Self.set(&pattern, text)
        case (.date, .minimum(.date(let interval))): Self.set(&earliest, PredicateText.number(interval))
        case (.date, .maximum(.date(let interval))): Self.set(&latest, PredicateText.number(interval))
        case (_, .minimum(let limit)) where type.isNumeric: Self.set(&minimum, Self.number(limit, type))
        case (_, .maximum(let limit)) where type.isNumeric: Self.set(&maximum, Self.number(limit, type))
        default: false
        }
    }

    private static func number(_ limit: ModelValue, _ type: AttributeType) -> String? {
        switch limit {
        case .double(let number): type == .double || type == .float ? "\(number)" : PredicateText.number(number)
        case .integer, .decimal: ConstantText.text(of: limit)
        case .bool(let flag): flag ? "1" : "0"
        default: nil
        }
    }

    private static func set(_ place: inout String?, _ text: String?) -> Bool {
        guard place == nil, let text else { return false }
        place = text
        return true
    }
}
