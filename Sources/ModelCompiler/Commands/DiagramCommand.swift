import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc diagram`
enum DiagramCommand: ModelCommand {
    static let name = "diagram"
    static let summary = "draw a model as SVG or Mermaid"
    static let help = """
        usage: modelc diagram MODEL [-o FILE] [--format FORMAT] [--version NAME] [--no-attributes]

        Draws entities with attributes, relationships with an arrowhead for every object (two for to many) and their delete
        rules, and inheritance as a line with a hollow triangle.

          -o, --output FILE   where to write, instead of the standard output
          --format FORMAT     svg, mermaid (for Markdown), or json; by default what FILE's extension says (svg, mmd, md,
                              json), else svg
          --json              the same as --format json
          --version NAME      a version of a bundle, instead of the current one
          --no-attributes     relationships only

        examples:
          modelc diagram Model.xcdatamodeld -o Model.svg
          modelc diagram Model.xcdatamodeld --format mermaid --no-attributes

        """

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        let arguments = try Arguments(
            words, options: ["output", "format", "version"], flags: ["no-attributes", "json"], short: ["o": "output"])
        let version = try ModelInput.version(try arguments.one("MODEL"), named: arguments["version"])
        if let problem = version.model.problems().first { throw version.placed(problem) }
        let graph = DiagramGraph(version.model, showsAttributes: !arguments.has("no-attributes"))
        let text: String
        switch try format(arguments) {
        case "svg": text = SVGDiagram(graph, title: version.name).write()
        case "mermaid":
            let diagram = MermaidDiagram(graph: graph).write()
            text = arguments["output"]?.hasSuffix(".md") == true ? "```mermaid\n\(diagram)```\n" : diagram
        default: text = json(graph)
        }
        if let output = arguments["output"] {
            try FileOutput.write(text, to: output)
        } else {
            result.output = text
        }
    }

    private static func format(_ arguments: Arguments) throws -> String {
        if arguments.has("json") { return "json" }
        if let format = arguments["format"] {
            guard ["svg", "mermaid", "json"].contains(format) else {
                throw UsageError("--format \(format): use svg, mermaid or json")
            }
            return format
        }
        switch arguments["output"].map({ URL(fileURLWithPath: $0).pathExtension }) {
        case "mmd"?, "md"?: return "mermaid"
        case "json"?: return "json"
        default: return "svg"
        }
    }

    private static func json(_ graph: DiagramGraph) -> String {
        JSON.object([
            (
                "entities",
                .array(
                    graph.nodes.map { node in
                        .sparse([
                            ("name", .string(node.name)), ("isAbstract", .bool(node.isAbstract)),
                            (
                                "attributes",
                                .array(
                                    node.rows.filter { !$0.isRelationship }.map {
                                        .object([("name", .string($0.name)), ("type", .string($0.detail))])
                                    })
                            ),
                        ])
                    })
            ),
            ("lines", .array(graph.edges.map { line($0, graph) })),
        ]).text + "\n"
    }

    private static func line(_ edge: DiagramGraph.Edge, _ graph: DiagramGraph) -> JSON {
        func side(_ relationship: Relationship) -> JSON {
            .object([
                ("name", .string(relationship.name)), ("isToMany", .bool(relationship.isToMany)),
                ("deleteRule", .string(relationship.deleteRule.xmlName)),
            ])
        }
        return .sparse([
            ("kind", .string(edge.kind == .inheritance ? "inheritance" : "relationship")),
            ("from", .string(graph.nodes[edge.from].name)), ("to", .string(graph.nodes[edge.to].name)),
            ("relationship", edge.forward.map(side) ?? .null), ("inverse", edge.backward.map(side) ?? .null),
        ])
    }
}
