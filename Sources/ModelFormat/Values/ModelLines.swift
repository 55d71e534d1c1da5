/// The lines of a source file on which entities and properties are declared.
public struct ModelLines: Sendable, Hashable {
    private struct Place: Sendable, Hashable {
        var entity: String?
        var property: String?
    }

    private var lines: [Place: Int] = [:]

    /// No lines are known.
    public init() {}

    /// The line of an entity, or of a property in it.
    public subscript(entity: String?, property: String? = nil) -> Int? {
        lines[Place(entity: entity, property: property)] ?? lines[Place(entity: entity, property: nil)]
    }

    /// The line of a configuration, or of an entity's fetch index.
    subscript(entity: String?, part part: Part, name: String) -> Int? { self[entity, part.key(name)] }

    /// What is no property, but stands on a line of its own.
    enum Part: String {
        case configuration, fetchIndex

        func key(_ name: String) -> String { "\(rawValue) \(name)" }
    }

    mutating func note(_ line: Int, entity: String?, part: Part, name: String) {
        note(line, entity: entity, property: part.key(name))
    }

    mutating func note(_ line: Int, entity: String?, property: String? = nil) {
        lines[Place(entity: entity, property: property)] = line
    }
}
