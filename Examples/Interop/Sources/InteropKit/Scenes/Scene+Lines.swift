import Foundation

extension Scene {
    /// All values and relationships, one line each, sorted.
    public var lines: [String] {
        var lines = schema.entities.map { entity in
            "count of \(entity.name) = \(things.values.count { belongs($0.entity, to: entity.name) })"
        }
        for (key, thing) in things {
            for attribute in schema.attributes(of: thing.entity) {
                let value = attribute.derivation.map { derived($0, thing) } ?? thing.values[attribute.name] ?? .none
                lines.append("\(thing.entity) \(key).\(attribute.name) = \(stored(value, attribute).line)")
            }
            for link in schema.links(of: thing.entity) {
                let destinations = thing.links[link.name] ?? []
                lines.append(
                    "\(thing.entity) \(key).\(link.name) = \(Self.line(destinations, of: link.isToMany, link.isOrdered))"
                )
            }
        }
        return lines.sorted()
    }

    /// Returns the text of a relationship's destinations.
    static func line(_ destinations: [String], of isToMany: Bool, _ isOrdered: Bool) -> String {
        if !isToMany { return destinations.first.map { "-> \($0)" } ?? "-> nil" }
        return isOrdered
            ? "-> [" + destinations.joined(separator: ", ") + "]"
            : "-> {" + destinations.sorted().joined(separator: ", ") + "}"
    }

    /// Returns a value as read back from a store: SQLite stores NaN as NULL.
    private func stored(_ value: Value, _ attribute: AttributeShape) -> Value {
        switch value {
        case .double(let number) where number.isNaN: .none
        case .float(let number) where number.isNaN: .none
        case .decimal(let digits): .decimal(Self.kept(digits))
        case .table(let parts):
            if case .composite(let elements) = attribute.kind {
                .composite(elements.map { ($0.name, stored(parts[$0.name] ?? .none, $0)) })
            } else {
                value
            }
        default: value
        }
    }

    /// Returns a number as a DECIMAL column stores it: one with more than 15 significant digits that is no 64-bit integer
    /// becomes a floating-point number.
    private static func kept(_ digits: String) -> String {
        let figures = digits.prefix { $0 != "e" }.filter(\.isNumber).drop { $0 == "0" }
        guard figures.count > 15, Int64(digits) == nil, let number = Double(digits) else { return digits }
        return "\(number)"
    }

    private func belongs(_ entity: String, to other: String) -> Bool {
        schema.line(of: entity).contains { $0.name == other }
    }

    private func derived(_ derivation: Derivation, _ thing: Thing) -> Value {
        switch derivation {
        case .count(let link):
            return .integer(Int64(thing.links[link]?.count ?? 0))
        case .sum(let attribute, let link):
            let numbers = (thing.links[link] ?? []).map { key -> Int64 in
                if case .integer(let number)? = things[key]?.values[attribute] { number } else { 0 }
            }
            return .integer(numbers.reduce(0, +))
        case .value(let attribute, let link):
            return thing.links[link]?.first.flatMap { things[$0]?.values[attribute] } ?? .none
        case .lowercase(let attribute):
            return text(attribute, thing) { $0.lowercased() }
        case .uppercase(let attribute):
            return text(attribute, thing) { $0.uppercased() }
        case .canonical(let attribute):
            return text(attribute, thing) {
                $0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
            }
        }
    }

    private func text(_ attribute: String, _ thing: Thing, _ change: (String) -> String) -> Value {
        if case .text(let text)? = thing.values[attribute] { .text(change(text)) } else { .none }
    }
}
