import ModelFormat

/// Writes a diagram as a Mermaid class diagram, which code hosting sites render in Markdown.
struct MermaidDiagram {
    let graph: DiagramGraph

    func write() -> String {
        var text = "classDiagram\n    direction LR\n"
        for node in graph.nodes {
            let attributes = node.rows.filter { !$0.isRelationship }
            guard node.isAbstract || !attributes.isEmpty else {
                text += "    class \(node.name)\n"
                continue
            }
            text += "    class \(node.name) {\n"
            if node.isAbstract { text += "        <<abstract>>\n" }
            for row in attributes {
                text += "        \(Self.word(row.detail)) \(row.name)\(row.isOptional ? "?" : "")\n"
            }
            text += "    }\n"
        }
        for edge in graph.edges {
            let (from, to) = (graph.nodes[edge.from].name, graph.nodes[edge.to].name)
            guard let forward = edge.forward else {
                text += "    \(to) <|-- \(from)\n"
                continue
            }
            let near = edge.backward.map { " \"\(Self.count($0))\"" } ?? ""
            let line = edge.backward == nil ? "-->" : "<-->"
            text += "    \(from)\(near) \(line) \"\(Self.count(forward))\" \(to) : \(Self.label(forward))"
            if let backward = edge.backward { text += " / \(Self.label(backward))" }
            text += "\n"
        }
        return text
    }

    private static func count(_ relationship: Relationship) -> String {
        if !relationship.isToMany { return relationship.isOptional ? "0..1" : "1" }
        let least = relationship.isRequired ? relationship.minCount : 0
        let most = relationship.maxCount == 0 ? "*" : "\(relationship.maxCount)"
        return least == 0 && most == "*" ? "*" : "\(least)..\(most)"
    }

    private static func label(_ relationship: Relationship) -> String {
        let rule = relationship.deleteRule == .nullify ? "" : " (\(relationship.deleteRule.xmlName.lowercased()))"
        return relationship.name + (relationship.isOrdered ? " ordered" : "") + rule
    }

    /// Returns text as one word without brackets. Mermaid takes the first word for the type, and parses brackets as methods or
    /// generics.
    private static func word(_ text: String) -> String {
        String(text.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." ? $0 : "_" }.filter { $0 != "_" })
    }
}
