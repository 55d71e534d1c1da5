/// The lines of a source file on which entities and properties are declared.
public struct ModelLines: Sendable, Hashable {
    private struct Place: Sendable, Hashable {
        var entity: String?
        var property: String?
    }

    private var lines: [Place: Int] = [:]

    /// Creates an instance without lines.
    public init() {}

    /// Returns the line of an entity, or of one of its properties.
    public subscript(entity: String?, property: String? = nil) -> Int? {
        lines[Place(entity: entity, property: property)] ?? lines[Place(entity: entity, property: nil)]
    }

    /// Returns the line of a configuration, or of an entity's fetch index.
    subscript(entity: String?, part part: Part, name: String) -> Int? { self[entity, part.key(name)] }

    /// The parts other than properties that are declared on a line.
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
