import ModelFormat

/// The contents of a diagram: entities with their rows, and the lines between them.
struct DiagramGraph {
    struct Node {
        var name: String
        var isAbstract: Bool
        var rows: [Row]
    }

    /// A line of text in an entity's box.
    struct Row {
        var name: String
        /// The type, or an arrow and the destination.
        var detail: String
        /// The delete rule of a relationship.
        var rule: DeleteRule?
        var isOptional: Bool
        var isRelationship: Bool
    }

    /// A relationship with its inverse, or inheritance.
    struct Edge {
        enum Kind {
            case relationship
            case inheritance
        }

        var kind: Kind
        var from: Int
        var to: Int
        /// The rows at the ends of the line; `nil` for the header of a box.
        var fromRow: Int?
        var toRow: Int?
        var forward: Relationship?
        var backward: Relationship?
    }

    private(set) var nodes: [Node] = []
    private(set) var edges: [Edge] = []

    /// Creates the graph of a model.
    ///
    /// - Parameter showsAttributes: true if boxes list attributes in addition to relationships.
    init(_ model: Model, showsAttributes: Bool = true) {
        let entities = model.entities.sorted(byText: \.name, .literal)
        let places = Dictionary(entities.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        for entity in entities {
            let attributes = showsAttributes ? entity.attributes.map(Self.row) : []
            nodes.append(
                Node(
                    name: entity.name, isAbstract: entity.isAbstract,
                    rows: attributes + entity.relationships.map(Self.row)))
        }
        var seen: Set<String> = []
        for (at, entity) in entities.enumerated() {
            if let parent = entity.parentName.flatMap({ places[$0] }) {
                edges.append(Edge(kind: .inheritance, from: at, to: parent))
            }
            for relationship in entity.relationships where !seen.contains("\(entity.name).\(relationship.name)") {
                guard let to = places[relationship.destinationName] else { continue }
                seen.insert("\(entity.name).\(relationship.name)")
                var edge = Edge(kind: .relationship, from: at, to: to, forward: relationship)
                edge.fromRow = nodes[at].rows.firstIndex { $0.name == relationship.name }
                let inverse = entities[to].relationships.first { $0.name == relationship.inverseName }
                if let inverse, to != at || inverse.name != relationship.name {
                    edge.backward = inverse
                    edge.toRow = nodes[to].rows.firstIndex { $0.name == inverse.name }
                    seen.insert("\(entities[to].name).\(inverse.name)")
                }
                edges.append(edge)
            }
        }
    }

    private static func row(_ attribute: Attribute) -> Row {
        let name = attribute.compositeName ?? attribute.valueClassName ?? attribute.type.xmlName
        return Row(
            name: attribute.name, detail: name, rule: nil, isOptional: attribute.isOptional, isRelationship: false)
    }

    private static func row(_ relationship: Relationship) -> Row {
        let arrow = relationship.isToMany ? (relationship.isOrdered ? "\u{21C9}#" : "\u{21C9}") : "\u{2192}"
        return Row(
            name: relationship.name, detail: "\(arrow) \(relationship.destinationName)", rule: relationship.deleteRule,
            isOptional: relationship.isOptional, isRelationship: true)
    }

    /// Returns the description of a line: `Person.cars to many Car (Cascade), inverse Car.owner to one Person (Nullify)`.
    func words(_ edge: Edge) -> String {
        let (from, to) = (nodes[edge.from].name, nodes[edge.to].name)
        guard let forward = edge.forward else { return "\(from) inherits from \(to)" }
        func side(_ owner: String, _ relationship: Relationship) -> String {
            "\(owner).\(relationship.name) to \(relationship.isToMany ? "many" : "one") "
                + "\(relationship.destinationName) (\(relationship.deleteRule.xmlName))"
        }
        guard let backward = edge.backward else { return side(from, forward) }
        return side(from, forward) + ", inverse " + side(to, backward)
    }
}
