extension Instruments.Recording: CustomStringConvertible {
    /// The recording as tables for a terminal: totals, the cost of each kind of operation, the ten costliest groups of similar
    /// operations, cache hits, saves, and findings.
    public var description: String {
        var lines = [headline]
        if droppedEvents > 0 {
            lines.append(
                "\(quantity(droppedEvents, "event")) dropped: over the limit of the recording, and part of the totals only."
            )
        }
        if !events.isEmpty {
            lines += [""] + kindTable + [""] + costliestTable
        }
        lines += ["", cacheLine, savesLine]
        lines += findings.isEmpty ? ["findings: none"] : ["findings: \(findings.count)"] + findings.flatMap(\.lines)
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let parts = [
            quantity(totals.events, "event"), "\(duration.milliseconds.withThreeDigits) ms",
            quantity(totals.queries, "query", "queries"), quantity(totals.statements, "statement"),
            quantity(totals.rows, "row"),
        ]
        return "Recording: " + parts.joined(separator: ", ")
    }

    // MARK: Tables

    /// The table of recorded events by kind.
    private var kindTable: [String] {
        var table = TextTable(["kind", "count", "objects", "rows", "statements", "total ms", "mean ms", "max ms"])
        let byKind = Dictionary(grouping: events, by: \.kind)
        for kind in Instruments.Event.Kind.allCases {
            guard let events = byKind[kind] else { continue }
            let times = events.map(\.duration.milliseconds)
            let total = times.reduce(0, +)
            table.append(
                kind.rawValue,
                [
                    String(events.count), String(events.reduce(0) { $0 + $1.objects }),
                    String(events.reduce(0) { $0 + $1.rows }), String(events.reduce(0) { $0 + $1.statementCount }),
                    total.withThreeDigits, (total / Double(events.count)).withThreeDigits,
                    (times.max() ?? 0).withThreeDigits,
                ])
        }
        return table.lines
    }

    private var costliestTable: [String] {
        var table = TextTable(["costliest", "count", "total ms"])
        for group in operationGroups().groups.prefix(10) {
            table.append(
                group.title,
                [String(group.count), Duration.nanoseconds(group.nanoseconds).milliseconds.withThreeDigits])
        }
        return table.lines
    }

    // MARK: Lines

    private var cacheLine: String {
        let (hits, misses) = (totals.cacheHits, totals.cacheMisses)
        let line = "cache: \(quantity(hits, "hit")), \(quantity(misses, "miss", "misses"))"
        guard hits + misses > 0 else { return line }
        let tenths = Int((Double(hits) / Double(hits + misses) * 1000).rounded())
        return "\(line), \(tenths / 10).\(tenths % 10) % from memory"
    }

    private var savesLine: String {
        let changes = totals.changes
        return
            "saves: \(totals.saves), \(changes.inserted) inserted, \(changes.updated) updated, \(changes.deleted) deleted"
    }

    private func quantity(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }
}

extension Instruments.Finding {
    fileprivate var lines: [String] {
        ["  \(place.map { "\($0): " } ?? "")\(message)", "    \(remedy)"]
    }
}
