/// Routes lines through the columns between their ends.
extension DiagramLayout {
    /// A segment of a line next to or between the boxes of a column.
    struct Passage {
        var left: Double
        var right: Double
        var y: Double
    }

    /// Returns the segments of a line through the columns between its ends, from left to right: each uses the gap nearest to
    /// the straight line, so that no box covers it.
    ///
    /// - Parameters:
    ///   - start: the left end.
    ///   - end: the right end.
    ///   - lane: a number unique to the line, which separates lines in the same gap.
    func passages(
        after first: Int, start: (x: Double, y: Double), before last: Int, end: (x: Double, y: Double), lane: Int
    ) -> [Passage] {
        guard first + 1 < last else { return [] }
        return (first + 1..<last).compactMap { number in
            guard let column = columns[number], let box = column.first.map({ boxes[$0] }) else { return nil }
            let middle = box.x + box.width / 2
            let ideal = start.y + (end.y - start.y) * (middle - start.x) / (end.x - start.x)
            let y = gaps(in: column).map { min(max(ideal, $0.lowerBound), $0.upperBound) }
                .min { abs($0 - ideal) < abs($1 - ideal) }
            return Passage(left: box.x, right: box.x + box.width, y: (y ?? ideal) + Double(lane * 5 % 13) - 6)
        }
    }

    /// Returns the vertical gaps between boxes, with room for parallel lines.
    private func gaps(in column: [Int]) -> [ClosedRange<Double>] {
        let margin = 9.0
        var gaps: [ClosedRange<Double>] = []
        var free = -Double.greatestFiniteMagnitude
        for box in column.map({ boxes[$0] }) {
            let next = box.y - margin
            if free <= next { gaps.append(free...next) }
            free = box.y + box.height + margin
        }
        return gaps + [free...Double.greatestFiniteMagnitude]
    }
}
