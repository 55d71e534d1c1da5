import Foundation
import ModelFormat

/// Draws a diagram as SVG.
struct SVGDiagram {
    let graph: DiagramGraph
    let layout: DiagramLayout
    let title: String

    init(_ graph: DiagramGraph, title: String) {
        self.graph = graph
        self.title = title
        layout = DiagramLayout(graph)
    }

    func write() -> String {
        let (width, height) = (Self.number(layout.width), Self.number(layout.height))
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)">
            <title>\(Self.escaped(title))</title>
            \(Self.style)
            <rect class="ground" width="100%" height="100%"/>

            """
        for (number, edge) in graph.edges.enumerated() { text += draw(edge, lane: number) }
        for index in graph.nodes.indices { text += draw(graph.nodes[index], layout.boxes[index]) }
        return text + "</svg>\n"
    }

    private static let style = """
        <style>
        text { font: 11px Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #24292f }
        .ground { fill: #ffffff }
        .box { fill: #ffffff; stroke: #57606a }
        .head { fill: #ddf4ff; stroke: #57606a }
        .abstract .head { fill: #f6f8fa; stroke-dasharray: 4 3 }
        .name { font-weight: bold; text-anchor: middle }
        .abstract .name { font-style: italic }
        .detail { fill: #57606a; text-anchor: end }
        .link { fill: #0550ae }
        .rule { font-size: 9px; text-anchor: end; fill: #8c959f }
        .Cascade { fill: #cf222e } .Deny { fill: #9a6700 } .NoAction { fill: #8250df }
        path.line { fill: none; stroke: #6e7781; stroke-width: 1.2 }
        path.inheritance { fill: none; stroke: #1a7f37; stroke-width: 1.6 }
        path.line:hover, path.inheritance:hover { stroke-width: 3 }
        </style>
        <defs>
        <marker id="one" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="9" markerHeight="9" orient="auto-start-reverse">
        <path d="M1 1 L10 5 L1 9" fill="none" stroke="#57606a" stroke-width="1.5"/></marker>
        <marker id="many" viewBox="0 0 16 10" refX="16" refY="5" markerWidth="14" markerHeight="9" orient="auto-start-reverse">
        <path d="M1 1 L9 5 L1 9 M7 1 L16 5 L7 9" fill="none" stroke="#57606a" stroke-width="1.5"/></marker>
        <marker id="parent" viewBox="0 0 12 12" refX="12" refY="6" markerWidth="11" markerHeight="11" orient="auto">
        <path d="M1 1 L12 6 L1 11 Z" fill="#ffffff" stroke="#1a7f37" stroke-width="1.5"/></marker>
        </defs>
        """

    // MARK: Boxes

    private func draw(_ node: DiagramGraph.Node, _ box: DiagramLayout.Box) -> String {
        func coordinate(_ value: Double) -> String { Self.number(value) }
        var text = "<g class=\"entity\(node.isAbstract ? " abstract" : "")\" id=\"\(Self.escaped(node.name))\">\n"
        text +=
            "<rect class=\"box\" x=\"\(coordinate(box.x))\" y=\"\(coordinate(box.y))\" "
            + "width=\"\(coordinate(box.width))\" height=\"\(coordinate(box.height))\" rx=\"5\"/>\n"
        text +=
            "<rect class=\"head\" x=\"\(coordinate(box.x))\" y=\"\(coordinate(box.y))\" "
            + "width=\"\(coordinate(box.width))\" height=\"\(coordinate(DiagramLayout.headHeight))\" rx=\"5\"/>\n"
        text +=
            "<text class=\"name\" x=\"\(coordinate(box.x + box.width / 2))\" y=\"\(coordinate(box.y + 17))\">"
            + "\(Self.escaped(node.name))</text>\n"
        for (index, row) in node.rows.enumerated() {
            let y = coordinate(rowCenter(box, index) + 4)
            let name = Self.escaped(row.name) + (row.isOptional ? "?" : "")
            text +=
                "<text class=\"\(row.isRelationship ? "link" : "attribute")\" "
                + "x=\"\(coordinate(box.x + 8))\" y=\"\(y)\">\(name)</text>"
            var right = box.x + box.width - 8
            if let rule = row.rule {
                let className = rule.xmlName.replacingOccurrences(of: " ", with: "")
                text +=
                    "<text class=\"rule \(className)\" x=\"\(coordinate(right))\" y=\"\(y)\">"
                    + "\(rule.xmlName.lowercased())</text>"
                right -= Double(rule.xmlName.count) * 5.6 + 8
            }
            text += "<text class=\"detail\" x=\"\(coordinate(right))\" y=\"\(y)\">\(Self.escaped(row.detail))</text>\n"
        }
        return text + "</g>\n"
    }

    private func rowCenter(_ box: DiagramLayout.Box, _ row: Int?) -> Double {
        guard let row else { return box.y + DiagramLayout.headHeight / 2 }
        return box.y + DiagramLayout.headHeight + 4 + (Double(row) + 0.5) * DiagramLayout.rowHeight
    }

    // MARK: Lines

    private func draw(_ edge: DiagramGraph.Edge, lane: Int) -> String {
        let (from, to) = (layout.boxes[edge.from], layout.boxes[edge.to])
        let (y1, y2) = (rowCenter(from, edge.fromRow), rowCenter(to, edge.toRow))
        let path: String
        if edge.from == edge.to || from.column == to.column {
            // Within a column both ends of the line are at the right side.
            let (x1, x2) = (from.x + from.width, to.x + to.width)
            let bulge = min(70, 26 + abs(y2 - y1) / 8)
            let shift = y1 == y2 ? 7.0 : 0
            path = Self.curve(x1, y1 - shift, x1 + bulge, x2 + bulge, x2, y2 + shift)
        } else if from.x < to.x {
            let (start, end) = ((x: from.x + from.width, y: y1), (x: to.x, y: y2))
            let way = layout.passages(after: from.column, start: start, before: to.column, end: end, lane: lane)
            path = Self.line([start] + way.flatMap { [($0.left, $0.y), ($0.right, $0.y)] } + [end])
        } else {
            let (start, end) = ((x: to.x + to.width, y: y2), (x: from.x, y: y1))
            let way = layout.passages(after: to.column, start: start, before: from.column, end: end, lane: lane)
            path = Self.line([end] + way.reversed().flatMap { [($0.right, $0.y), ($0.left, $0.y)] } + [start])
        }
        var markers = "marker-end=\"url(#parent)\""
        if let forward = edge.forward {
            markers = "marker-end=\"url(#\(forward.isToMany ? "many" : "one"))\""
            if let backward = edge.backward {
                markers += " marker-start=\"url(#\(backward.isToMany ? "many" : "one"))\""
            }
        }
        let className = edge.kind == .inheritance ? "inheritance" : "line"
        return
            "<path class=\"\(className)\" d=\"\(path)\" \(markers)><title>\(Self.escaped(graph.words(edge)))</title></path>\n"
    }

    private static func curve(
        _ x1: Double, _ y1: Double, _ c1: Double, _ c2: Double, _ x2: Double, _ y2: Double
    ) -> String {
        "M\(number(x1)) \(number(y1)) C\(number(c1)) \(number(y1)) \(number(c2)) \(number(y2)) \(number(x2)) \(number(y2))"
    }

    /// Returns a path of alternating curves and straight segments through the points, starting with a curve.
    private static func line(_ points: [(x: Double, y: Double)]) -> String {
        var text = "M\(number(points[0].x)) \(number(points[0].y))"
        for (index, (one, other)) in zip(points, points.dropFirst()).enumerated() {
            guard index.isMultiple(of: 2) else {
                text += " L\(number(other.x)) \(number(other.y))"
                continue
            }
            let reach = max(40, abs(other.x - one.x) / 2) * (other.x < one.x ? -1 : 1)
            text +=
                " C\(number(one.x + reach)) \(number(one.y)) \(number(other.x - reach)) \(number(other.y)) "
                + "\(number(other.x)) \(number(other.y))"
        }
        return text
    }

    private static func number(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
    }
}
