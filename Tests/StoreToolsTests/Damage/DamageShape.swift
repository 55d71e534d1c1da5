import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// The form of one store: a model, its rows, and how its file is written.
struct DamageShape: Sendable, CustomTestStringConvertible {
    /// How the file is written.
    enum Variant: Sendable, Equatable {
        /// As Core Data leaves it: a log that is empty.
        case plain
        /// All rows are in the log, as in the copy of an open store.
        case logged
        /// The journal mode DELETE.
        case rollbackJournal
        /// Rewritten by `VACUUM`.
        case rewritten(pageSize: Int, autoVacuum: Int)
        /// A third of the rows deleted, which leaves free pages.
        case deletions
    }

    let name: String
    let variant: Variant
    let options: [String: Bool]
    let model: @Sendable () -> NSManagedObjectModel
    /// SQL that completes the closed file.
    var script: String?
    let fill: @Sendable (NSManagedObjectContext, inout DamageWriter) throws -> Void

    init(
        _ name: String, _ variant: Variant = .plain, options: [String: Bool] = [:],
        model: @escaping @Sendable () -> NSManagedObjectModel,
        fill: @escaping @Sendable (NSManagedObjectContext, inout DamageWriter) throws -> Void
    ) {
        self.name = name
        self.variant = variant
        self.options = options
        self.model = model
        self.fill = fill
    }

    /// Returns the same rows in a file written in another way.
    func written(_ suffix: String, _ variant: Variant) -> DamageShape {
        var shape = DamageShape("\(name)-\(suffix)", variant, options: options, model: model, fill: fill)
        shape.script = script
        return shape
    }

    var testDescription: String { name }
}

/// Values that are the same in every run.
struct DamageWriter {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func flag() -> Bool { Bool.random(using: &random) }

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }

    /// Returns some elements, each at most once, in random order.
    mutating func some<Element>(_ elements: [Element], _ count: Range<Int>) -> [Element] {
        Array(elements.shuffled(using: &random).prefix(number(count)))
    }

    /// Returns words of about as many characters.
    mutating func text(_ length: Int, unicode: Bool = false) -> String {
        let words =
            unicode
            ? ["naïve", "Ωmega", "日本語", "👩🏽‍🚀", "Ελλάδα", "e\u{301}"] : ["lorem", "ipsum", "dolor", "sit", "amet"]
        var text = "\(number(0..<1_000_000))"
        while text.count < length { text += " " + pick(words) }
        return text
    }

    mutating func data(_ count: Int) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        return Data(bytes.prefix(count))
    }

    mutating func date() -> Date { Date(timeIntervalSinceReferenceDate: Double(number(0..<700_000_000)) + 0.25) }

    mutating func uuid() -> UUID {
        let bytes = data(16)
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
