import CoreData
import Foundation

/// Compares what saves promised with what was committed, line by line.
struct MergeLedgerAudit {
    private typealias Values = [String: Int64]

    private let saves: [MergeLedger.Save]
    private let lines: [MergeLog.Line]
    /// Which save wrote the token of an edit.
    private var saveOfToken: [Int64: Int] = [:]
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
            for entry in [save.inserts, save.updates].flatMap(\.values) {
                for name in Self.tokens where entry.changed.contains(name) || entry.base.isEmpty {
                    // A row that was deleted elsewhere is new again: its tokens were written before.
                    if let token = entry.values[name], saveOfToken[token] == nil { saveOfToken[token] = index }
                }
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

    /// The save that a line came from, found by tokens that appear for the first time.
    private mutating func checkLine(_ line: MergeLog.Line, _ seen: inout Set<Int64>) -> Int? {
        guard let new = line.new else {
            checkDeletion(line)
            return nil
        }
        let fresh = Self.tokens.compactMap { new[$0] }.filter { seen.insert($0).inserted }
        if line.old != nil, fresh.isEmpty {
            checkWithoutToken(line)
            return nil
        }
        let writers = Set(fresh.map { saveOfToken[$0] })
        guard !fresh.isEmpty, writers.count == 1, let writer = writers.first ?? nil else {
            if line.old == nil, fresh.isEmpty {
                checkWithoutToken(line)
            } else {
                report("values of no save that returned, or of several", line)
            }
            return nil
        }
        landed[writer].insert(line.label)
        let (first, last) = span[writer] ?? (line.number, line.number)
        span[writer] = (min(first, line.number), max(last, line.number))
        check(line, by: writer)
        return writer
    }

    private mutating func check(_ line: MergeLog.Line, by writer: Int) {
        let save = saves[writer]
        guard var new = line.new else { return }
        new["version"] = nil
        guard var old = line.old else {
            guard let entry = save.inserts[line.label] ?? (save.policy.keepsObject ? save.updates[line.label] : nil)
            else {
                return report("inserted by a save that did not", line, writer)
            }
            // A row that was deleted meanwhile is back with what the context had merged of it before.
            let isBack = save.inserts[line.label] == nil
            var expected = entry.values
            if isBack {
                for name in MergeLedger.columns where !entry.changed.contains(name) { expected[name] = new[name] }
            }
            if !agree(new, expected, mayLoseGroup: isBack) { report("inserted with other values", line, writer) }
            return
        }
        old["version"] = nil
        guard let entry = save.updates[line.label] else {
            return report("updated by a save that did not", line, writer)
        }
        var expected = entry.values
        switch save.policy {
        case .errorMergePolicyType, .rollbackMergePolicyType:
            if old != entry.base { report("values were overwritten that the context had not read", line, writer) }
        case .overwriteMergePolicyType: break
        default:
            for name in MergeLedger.columns {
                let storeWins =
                    save.policy == .mergeByPropertyStoreTrumpMergePolicyType && old[name] != entry.base[name]
                if storeWins || !entry.changed.contains(name) { expected[name] = old[name] }
            }
        }
        let mayLoseGroup = save.policy != .errorMergePolicyType
        let mayKeep = save.policy.keepsStore && entry.changed.contains("group") && keeps(new["group"], save)
        if mayKeep { expected["group"] = new["group"] }
        if !agree(new, expected, mayLoseGroup: mayLoseGroup) {
            report("updated with other values than \(expected)", line, writer)
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

    /// Without a token a row changes only because its group was deleted, or because a context wrote its whole snapshot.
    private mutating func checkWithoutToken(_ line: MergeLog.Line) {
        guard var new = line.new else { return }
        new["version"] = nil
        if var old = line.old {
            old["version"] = nil
            if agree(new, old, mayLoseGroup: true) { return }
        }
        // A child saved the end of a relationship with the deletion of the group, which did not take place.
        let group = line.old?["group"]
        let isLeft = savesOfLabel[line.label, default: []].contains {
            keeps(group, saves[$0]) && saves[$0].updates[line.label]?.changed == ["group"]
        }
        if isLeft, new["group"] == nil, let old = line.old,
            new == old.filter({ !["group", "version"].contains($0.key) })
        {
            return
        }
        let isWhole = savesOfLabel[line.label, default: []].contains { index in
            let keepsObject =
                saves[index].policy == .overwriteMergePolicyType
                || line.old == nil && saves[index].policy == .mergeByPropertyObjectTrumpMergePolicyType
            guard keepsObject, let entry = saves[index].updates[line.label] else { return false }
            return agree(new, entry.values, mayLoseGroup: true)
        }
        if !isWhole {
            report("changed by no save that returned", line)
        }
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
