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
        problems.append("\(text): \(line) \(policy) \(entry.map { "\($0)" } ?? "")\n\(history(of: line.label))")
    }

    private mutating func report(_ text: String, _ label: Int64) {
        problems.append("\(text)\n\(history(of: label))")
    }

    /// What was committed and promised of one object, for those who look for the cause of a problem.
    private func history(of label: Int64) -> String {
        let committed = linesOfLabel[label, default: []].map { "    \($0)" }
        let promised = savesOfLabel[label, default: []].map { index in
            let save = saves[index]
            return
                "    \(save.policy.rawValue) insert \(save.inserts[label] as Any) update \(save.updates[label] as Any)"
                + " delete \(save.deletes[label] as Any)"
        }
        return (["  committed:"] + committed + ["  promised, in the order of return:"] + promised)
            .joined(separator: "\n")
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
            if writers.isEmpty, !isLoss(line), !isPushed(line) { report("changed by no save that returned", line) }
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
            if let entry = save.inserts[line.label] { return isInserted(new, entry, by: save, mayLoseGroup: false) }
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
        // Whoever sets the group sets `g` as well: this one only ended, as another context deleted it.
        if entry.changed.contains("group"), !entry.changed.contains("g"), entry.values["group"] == nil,
            let ended = entry.base["group"], deletedGroups.contains(ended)
        {
            expected["group"] = new["group"]
        }
        // The save met the note in a group that it deleted, and then in another.
        if save.policy.keepsObject, new["group"] == nil, hadGroupDeleted(by: save, before: line) {
            expected["group"] = nil
        }
        return agree(new, expected, mayLoseGroup: save.policy != .errorMergePolicyType)
    }

    private func hadGroupDeleted(by save: MergeLedger.Save, before line: MergeLog.Line) -> Bool {
        linesOfLabel[line.label, default: []].contains { earlier in
            guard earlier.number < line.number, let group = earlier.new?["group"].flatMap({ groupLabels[$0] }) else {
                return false
            }
            return save.deletes[group] != nil
        }
    }

    /// Whether a new row is what a save was to insert. A group that the save was to delete, and which stayed in the file
    /// because it had changed there, has its new notes again as well.
    private func isInserted(
        _ new: Values, _ entry: MergeLedger.Entry, by save: MergeLedger.Save, mayLoseGroup: Bool
    ) -> Bool {
        var expected = entry.values
        if expected["group"] == nil, keeps(new["group"], save) { expected["group"] = new["group"] }
        return agree(new, expected, mayLoseGroup: mayLoseGroup)
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

    /// Whether a save under the overwrite policy wrote the whole of an object that changed only as its group went, or a note of
    /// it came or went, while conflicts were resolved: its row is what the context had read, but for the group.
    private func isPushed(_ line: MergeLog.Line) -> Bool {
        func withoutGroup(_ values: Values?) -> Values? {
            values?.filter { $0.key != "group" && $0.key != "version" }
        }
        let isKnown = linesOfLabel[line.label, default: []].contains {
            $0.number < line.number && withoutGroup($0.new) == withoutGroup(line.new)
        }
        guard isKnown else { return false }
        let groups = Set(groupLabels.values)
        func wasInGroup(_ entry: MergeLedger.Entry) -> Bool {
            entry.values["group"] == line.key || entry.base["group"] == line.key
                || linesOfLabel[entry.label, default: []].contains {
                    $0.old?["group"] == line.key || $0.new?["group"] == line.key
                }
        }
        return saves.contains { save in
            guard save.policy == .overwriteMergePolicyType else { return false }
            if line.table == "ZNOTE" { return save.deletes.keys.contains { groups.contains($0) } }
            return [save.inserts, save.updates, save.deletes].flatMap(\.values).contains(where: wasInGroup)
        }
    }

    private mutating func checkDeletion(_ line: MergeLog.Line) {
        guard var old = line.old else { return }
        old["version"] = nil
        let isPromised = savesOfLabel[line.label, default: []].contains { index in
            guard let entry = saves[index].deletes[line.label] else { return false }
            return saves[index].policy.keepsObject || entry.base == old
        }
        // A fault whose row was gone when it was noted is listed under no label. If a context with another policy has put the row
        // back before the save, the save reads it, and deletes what it has read, whatever its policy is.
        let isUnreadable = savesOfLabel[-1, default: []].contains { saves[$0].deletes[-1]?.isUnreadable == true }
        if !isPromised, !isUnreadable { report("deleted by no save that had read these values", line) }
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
                    && isInserted(
                        line.new!.filter { $0.key != "version" }, save.inserts[label]!, by: save, mayLoseGroup: true)
            }
            if !isThere {
                report("an inserted row was never written: \(save.policy.rawValue) \(save.inserts[label]!)", label)
            }
        }
        for (label, entry) in save.updates where !entry.changed.isDisjoint(with: Self.tokens) {
            if landed[index].contains(label) { continue }
            let isChangedElsewhere = linesOfLabel[label, default: []].contains { $0.isChange(from: entry) }
            if !save.policy.keepsStore || !isChangedElsewhere {
                report("an update was lost: \(save.policy.rawValue) \(entry)", label)
            }
        }
        for (label, entry) in save.deletes where !entry.isUnreadable {
            let lines = linesOfLabel[label, default: []]
            let isGone = lines.contains { $0.new == nil }
            if !isGone && !(save.policy.keepsStore && lines.contains { $0.isChange(from: entry) }) {
                report("a deleted row is still there: \(save.policy.rawValue) \(entry)", label)
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
    /// Whether it changed or deleted the row that a save rests on.
    fileprivate func isChange(from entry: MergeLedger.Entry) -> Bool {
        guard var old else { return false }
        if let version = entry.versionOfChild { return old["version"] == version }
        old["version"] = nil
        return old == entry.base
    }
}
