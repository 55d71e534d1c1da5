/// The layout of a diagram.
///
/// Connected entities form a group. A group is laid out in columns by distance from an entity at its periphery, so that most
/// lines connect adjacent columns; within a column boxes are ordered to reduce crossings. Groups are stacked vertically,
/// followed by rows of unconnected entities.
struct DiagramLayout {
    struct Box {
        var x = 0.0
        var y = 0.0
        var width = 0.0
        var height = 0.0
        /// The index of the column, continuous over all groups.
        var column = 0
    }

    static let rowHeight = 17.0
    static let headHeight = 26.0
    private static let characterWidth = 6.7
    private static let columnGap = 110.0
    private static let boxGap = 28.0
    private static let columnLimit = 1500.0

    private(set) var boxes: [Box]
    /// The boxes of each column, from top to bottom.
    private(set) var columns: [Int: [Int]] = [:]
    private(set) var width = 0.0
    private(set) var height = 0.0
    private let neighbours: [[Int]]

    init(_ graph: DiagramGraph) {
        boxes = graph.nodes.map(Self.size)
        var neighbours = Array(repeating: [Int](), count: graph.nodes.count)
        for edge in graph.edges where edge.from != edge.to {
            if !neighbours[edge.from].contains(edge.to) { neighbours[edge.from].append(edge.to) }
            if !neighbours[edge.to].contains(edge.from) { neighbours[edge.to].append(edge.from) }
        }
        self.neighbours = neighbours
        let groups = self.groups()
        var top = 30.0
        for group in groups where group.count > 1 { top = place(group, top: top) + 60 }
        placeLonely(groups.filter { $0.count == 1 }.flatMap { $0 }, top: top)
        width = (boxes.map { $0.x + $0.width }.max() ?? 0) + 30
        height = (boxes.map { $0.y + $0.height }.max() ?? 0) + 30
    }

    private static func size(_ node: DiagramGraph.Node) -> Box {
        let texts = node.rows.map { row in
            row.name.count + row.detail.count + (row.isRelationship ? (row.rule?.xmlName.count ?? 0) + 2 : 0) + 4
        }
        let longest = max(texts.max() ?? 0, node.name.count + 4, 16)
        return Box(
            width: (Double(longest) * characterWidth).rounded(.up) + 12,
            height: headHeight + Double(node.rows.count) * rowHeight + (node.rows.isEmpty ? 0 : 8))
    }

    /// Returns the connected groups, largest first.
    private func groups() -> [[Int]] {
        var known: Set<Int> = []
        var groups: [[Int]] = []
        for start in boxes.indices where known.insert(start).inserted {
            var group = [start]
            var next = 0
            while next < group.count {
                for neighbour in neighbours[group[next]] where known.insert(neighbour).inserted {
                    group.append(neighbour)
                }
                next += 1
            }
            groups.append(group)
        }
        return groups.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }

    /// Returns the distances from an entity to all others of its group.
    private func distances(from start: Int) -> [Int: Int] {
        var distances = [start: 0]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let here = queue[next]
            next += 1
            for neighbour in neighbours[here] where distances[neighbour] == nil {
                distances[neighbour] = (distances[here] ?? 0) + 1
                queue.append(neighbour)
            }
        }
        return distances
    }

    // MARK: Columns

    private mutating func place(_ group: [Int], top: Double) -> Double {
        let first = distances(from: group[0])
        let rim = group.max { (first[$0] ?? 0, $1) < (first[$1] ?? 0, $0) } ?? group[0]
        let steps = distances(from: rim)
        let depth = (steps.values.max() ?? 0) + 1
        var columns = Array(repeating: [Int](), count: depth)
        for node in group.sorted() { columns[steps[node] ?? 0].append(node) }
        order(&columns)
        columns = columns.flatMap(split)
        var x = 30.0
        let offset = (boxes.map(\.column).max() ?? 0) + 1
        let tallest = columns.map(stackHeight).max() ?? 0
        for (number, column) in columns.enumerated() {
            let columnWidth = column.map { boxes[$0].width }.max() ?? 0
            var y = top + (tallest - stackHeight(column)) / 2
            for node in column {
                // All as wide as the widest, so that no line passes behind an adjacent box.
                boxes[node].x = x
                boxes[node].width = columnWidth
                boxes[node].y = y.rounded()
                boxes[node].column = offset + number
                y += boxes[node].height + Self.boxGap
            }
            x += columnWidth + Self.columnGap
        }
        for _ in 0..<4 {
            for column in columns { settle(column, top: top, bottom: top + tallest) }
            for column in columns.reversed() { settle(column, top: top, bottom: top + tallest) }
        }
        for (number, column) in columns.enumerated() { self.columns[offset + number] = column }
        return top + tallest
    }

    private func stackHeight(_ column: [Int]) -> Double {
        column.map { boxes[$0].height + Self.boxGap }.reduce(-Self.boxGap, +)
    }

    /// Orders every column by the positions of connected boxes in adjacent columns.
    private func order(_ columns: inout [[Int]]) {
        guard columns.count > 1 else { return }
        for sweep in 0..<12 {
            let numbers = sweep.isMultiple(of: 2) ? Array(1..<columns.count) : Array((0..<columns.count - 1).reversed())
            for number in numbers {
                let beside = columns[sweep.isMultiple(of: 2) ? number - 1 : number + 1]
                let places = Dictionary(
                    uniqueKeysWithValues: beside.enumerated().map { ($0.element, Double($0.offset)) })
                let scale = beside.isEmpty ? 1 : Double(columns[number].count) / Double(beside.count)
                let weights = columns[number].enumerated().map {
                    place, node -> (weight: Double, place: Int, node: Int) in
                    let found = neighbours[node].compactMap { places[$0] }
                    let mean = found.isEmpty ? Double(place) : found.reduce(0, +) / Double(found.count) * scale
                    return (mean, place, node)
                }
                columns[number] = weights.sorted { ($0.weight, $0.place) < ($1.weight, $1.place) }.map(\.node)
            }
        }
    }

    /// Splits a column that is too tall.
    private func split(_ column: [Int]) -> [[Int]] {
        let height = stackHeight(column)
        guard height > Self.columnLimit, column.count > 1 else { return [column] }
        let parts = Int((height / Self.columnLimit).rounded(.up))
        var result: [[Int]] = []
        var current: [Int] = []
        var used = 0.0
        for node in column {
            current.append(node)
            used += boxes[node].height + Self.boxGap
            if used >= height / Double(parts), result.count < parts - 1 {
                result.append(current)
                current = []
                used = 0
            }
        }
        return current.isEmpty ? result : result + [current]
    }

    /// Moves the boxes of a column toward their connected boxes, preserving order and spacing.
    private mutating func settle(_ column: [Int], top: Double, bottom: Double) {
        var minimum = top
        var rest = stackHeight(column)
        for node in column {
            let centers = neighbours[node].map { boxes[$0].y + boxes[$0].height / 2 }
            let wish =
                centers.isEmpty
                ? boxes[node].y : centers.reduce(0, +) / Double(centers.count) - boxes[node].height / 2
            let maximum = max(minimum, bottom - rest)
            boxes[node].y = min(max(wish, minimum), maximum).rounded()
            minimum = boxes[node].y + boxes[node].height + Self.boxGap
            rest -= boxes[node].height + Self.boxGap
        }
    }

    private mutating func placeLonely(_ nodes: [Int], top: Double) {
        let limit = max(1200, (boxes.map { $0.x + $0.width }.max() ?? 0))
        var (x, y, rowHeight) = (30.0, top, 0.0)
        for node in nodes {
            if x > 30, x + boxes[node].width > limit {
                x = 30
                y += rowHeight + Self.boxGap
                rowHeight = 0
            }
            boxes[node].x = x
            boxes[node].y = y
            x += boxes[node].width + Self.boxGap
            rowHeight = max(rowHeight, boxes[node].height)
        }
    }
}
