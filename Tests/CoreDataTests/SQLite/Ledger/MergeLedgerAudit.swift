import CoreData
import Foundation

/// Compares what saves promised with what was committed, line by line.
struct MergeLedgerAudit {
    private typealias Values = [String: Int64]

    private let saves: [MergeLedger.Save]
    private let lines: [MergeLog.Line]
    private var savesOfLabel: [Int64: [Int]] = [:]
    private var linesOfLabel: [Int64: [MergeLog.Line]] = [:]
    private var deletedGroups: Set<Int64> = []
    private var groupLabels: [Int64: Int64] = [:]
    /// Labels of what each save has left in the log.
    private var landed: [Set<Int64>]
    private var span: [(first: Int64, last: Int64)?]
    private(set) var problems: [String] = []

    private static let tokens = ["a", "b", "c", "g"]

    init(_ saves: [MergeLedger.Save], _ lines: [MergeLog.Line]) {
        self.saves = saves
        self.lines = lines
        landed = saves.map { _ in [] }
        span = saves.map { _ in nil }
        for (index, save) in saves.enumerated() {
            for entry in [save.inserts, save.updates, save.deletes].flatMap(\.values) {
                savesOfLabel[entry.label, default: []].append(index)
            }
        }
        for line in lines {
            if line.table == "ZGROUP" { groupLabels[line.key] = line.label }
            linesOfLabel[line.label, default: []].append(line)
            if line.table == "ZGROUP", line.new == nil { deletedGroups.insert(line.key) }
        }
        var writers: [Int64: Int] = [:]
        var seen: Set<Int64> = []
        for line in lines {
            if let writer = checkLine(line, &seen) { writers[line.number] = writer }
        }
        checkSpans(writers)
        for index in saves.indices { checkPromises(of: index) }
    }

    private mutating func report(_ text: String, _ line: MergeLog.Line, _ save: Int? = nil) {
        let entry = save.flatMap { saves[$0].inserts[line.label] ?? saves[$0].updates[line.label] }
        let policy = save.map { "policy \(saves[$0].policy.rawValue)" } ?? ""
        problems.append("\(text): \(line) \(policy) \(entry.map { "\($0)" } ?? "")")
    }

    // MARK: What was committed was promised

    /// The save that a line came from: one that explains it, among those that wrote the tokens which appear for the first time.
    private mutating func checkLine(_ line: MergeLog.Line, _ seen: inout Set<Int64>) -> Int? {
        guard let new = line.new else {
            checkDeletion(line)
            return nil
        }
        let fresh = Self.tokens.compactMap { new[$0] }.filter { seen.insert($0).inserted }
        let candidates = savesOfLabel[line.label, default: []].filter { index in
            let values = (saves[index].inserts[line.label] ?? saves[index].updates[line.label])?.values
            return values.map { Set(fresh).isSubset(of: $0.values) } ?? false
        }
        let writers = candidates.filter { explains($0, line) }
        if fresh.isEmpty {
            if writers.isEmpty, !isLoss(line) { report("changed by no save that returned", line) }
            return nil
        }
        guard let writer = writers.first else {
            report(
                candidates.isEmpty ? "values of no save that returned, or of several" : "other values than promised",
                line)
            for candidate in candidates { report("  promised", line, candidate) }
            return nil
        }
        for writer in writers { landed[writer].insert(line.label) }
        guard writers.count == 1 else { return nil }
        let (first, last) = span[writer] ?? (line.number, line.number)
        span[writer] = (min(first, line.number), max(last, line.number))
        return writer
    }

    /// Whether a save makes of the old row what is in the file now, by its policy.
    private func explains(_ index: Int, _ line: MergeLog.Line) -> Bool {
        let save = saves[index]
        guard var new = line.new else { return false }
        new["version"] = nil
        guard var old = line.old else {
            if let entry = save.inserts[line.label] { return agree(new, entry.values, mayLoseGroup: false) }
            guard save.policy.keepsObject, let entry = save.updates[line.label] else { return false }
            // A row that was deleted meanwhile is back with what the context had merged of it before.
            var expected = entry.values
            for name in MergeLedger.columns where !entry.changed.contains(name) { expected[name] = new[name] }
            return agree(new, expected, mayLoseGroup: true)
        }
        old["version"] = nil
        guard let entry = save.updates[line.label] else { return false }
        var expected = entry.values
        switch save.policy {
        case .errorMergePolicyType, .rollbackMergePolicyType: if old != entry.base { return false }
        case .overwriteMergePolicyType: break
        default:
            for name in MergeLedger.columns {
                let storeWins =
                    save.policy == .mergeByPropertyStoreTrumpMergePolicyType && old[name] != entry.base[name]
                // A save may have to resolve conflicts twice: the store may have won before it went back.
                let storeWon =
                    save.policy == .mergeByPropertyStoreTrumpMergePolicyType && new[name] == old[name]
                    && wentBack(name, to: old[name], before: line)
                if storeWins || storeWon || !entry.changed.contains(name) { expected[name] = old[name] }
            }
        }
        if save.policy.keepsStore, entry.changed.contains("group"), keeps(new["group"], save) {
            expected["group"] = new["group"]
        }
        return agree(new, expected, mayLoseGroup: save.policy != .errorMergePolicyType)
    }

    /// Whether a column had another value before it got an older one again, from a context that wrote its whole row.
    private func wentBack(_ name: String, to value: Int64?, before line: MergeLog.Line) -> Bool {
        linesOfLabel[line.label, default: []].contains {
            $0.number < line.number && $0.old?[name] == value && $0.new?[name] != value
        }
    }

    private func agree(_ found: Values, _ expected: Values, mayLoseGroup: Bool) -> Bool {
        if found == expected { return true }
        guard mayLoseGroup, found["group"] == nil, let group = expected["group"], deletedGroups.contains(group) else {
            return false
        }
        return found == expected.filter { $0.key != "group" }
    }

    /// Whether a save was to delete a group, which may have stayed in the file because it had changed there.
    private func keeps(_ group: Int64?, _ save: MergeLedger.Save) -> Bool {
        guard save.policy.keepsStore, let group, let label = groupLabels[group] else { return false }
        return save.deletes[label] != nil
    }

    /// Whether nothing but the group is gone, which was deleted, or was to be, or nothing at all.
    private func isLoss(_ line: MergeLog.Line) -> Bool {
        guard var new = line.new, var old = line.old else { return false }
        new["version"] = nil
        old["version"] = nil
        if new == old { return true }
        guard new["group"] == nil, let group = old["group"] else { return false }
        old["group"] = nil
        guard new == old else { return false }
        // A child may have saved the end of the relationship with a deletion that did not take place.
        return deletedGroups.contains(group)
            || savesOfLabel[line.label, default: []].contains { keeps(group, saves[$0]) }
    }

    private mutating func checkDeletion(_ line: MergeLog.Line) {
        guard var old = line.old else { return }
        old["version"] = nil
        let isPromised = savesOfLabel[line.label, default: []].contains { index in
            guard let entry = saves[index].deletes[line.label] else { return false }
            return saves[index].policy.keepsObject || entry.base == old
        }
        if !isPromised { report("deleted by no save that had read these values", line) }
    }

    /// Nothing of another save lies between the first and the last line of one.
    private mutating func checkSpans(_ writers: [Int64: Int]) {
        for line in lines {
            guard let writer = writers[line.number], let (first, last) = span[writer] else { continue }
            for number in first..<last {
                if let other = writers[number], other != writer {
                    return report("a save is mixed with another", line, writer)
                }
            }
        }
    }

    // MARK: What was promised was committed

    private mutating func checkPromises(of index: Int) {
        let save = saves[index]
        for label in save.inserts.keys where !landed[index].contains(label) {
            let isThere = linesOfLabel[label, default: []].contains { line in
                line.old == nil
                    && agree(line.new!.filter { $0.key != "version" }, save.inserts[label]!.values, mayLoseGroup: true)
            }
            if !isThere {
                problems.append("an inserted row was never written: \(save.policy.rawValue) \(save.inserts[label]!)")
            }
        }
        for (label, entry) in save.updates where !entry.changed.isDisjoint(with: Self.tokens) {
            if landed[index].contains(label) { continue }
            let isChangedElsewhere = linesOfLabel[label, default: []].contains { $0.isChange(from: entry.base) }
            if !save.policy.keepsStore || !isChangedElsewhere {
                problems.append("an update was lost: \(save.policy.rawValue) \(entry)")
            }
        }
        for (label, entry) in save.deletes where !entry.isUnreadable {
            let lines = linesOfLabel[label, default: []]
            let isGone = lines.contains { $0.new == nil }
            if !isGone && !(save.policy.keepsStore && lines.contains { $0.isChange(from: entry.base) }) {
                problems.append("a deleted row is still there: \(save.policy.rawValue) \(entry)")
            }
        }
    }
}

extension NSMergePolicyType {
    /// Whether the context's values win.
    fileprivate var keepsObject: Bool {
        self == .overwriteMergePolicyType || self == .mergeByPropertyObjectTrumpMergePolicyType
    }

    /// Whether the store's values win.
    fileprivate var keepsStore: Bool {
        self == .rollbackMergePolicyType || self == .mergeByPropertyStoreTrumpMergePolicyType
    }
}

extension MergeLog.Line {
    fileprivate func isChange(from base: [String: Int64]) -> Bool {
        guard var old else { return false }
        old["version"] = nil
        return old == base
    }
}
