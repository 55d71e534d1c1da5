import CoreDataRowStorage
import Foundation
import ModelFormat

/// A place in the history of one or several stores. Can be archived and compared; does not change.
///
/// It knows when its transactions were written, so that a store which was set back to a backup does not take them for others of
/// the same numbers. Archives of version 0.1 lack these times, and are checked by their numbers alone.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The last transaction seen, by store identifier.
    final private(set) var marks: [String: HistoryMark] = [:]

    convenience init(_ marks: [String: HistoryMark]) {
        self.init()
        self.marks = marks
    }

    /// The token itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPersistentHistoryToken, marks.count == other.marks.count else { return false }
        return marks.allSatisfy { store, mark in
            guard let otherMark = other.marks[store], mark.number == otherMark.number else { return false }
            guard let timestamp = mark.timestamp, let otherTimestamp = otherMark.timestamp else { return true }
            return timestamp == otherTimestamp
        }
    }

    open override var hash: Int { marks.mapValues(\.number).hashValue }

    open override var description: String {
        let places = marks.sorted(byText: \.key).map { "\($0.key): \($0.value.number)" }
        return "<NSPersistentHistoryToken {\(places.joined(separator: ", "))}>"
    }

    // MARK: NSSecureCoding

    public static var supportsSecureCoding: Bool { true }

    public required init?(coder: NSCoder) {
        func numbers(_ key: String) -> [NSNumber]? {
            coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: key) as? [NSNumber]
        }
        let stores = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "stores") as? [String]
        guard let stores, let transactions = numbers("transactionNumbers"), stores.count == transactions.count else {
            return nil
        }
        let timestamps = numbers("timestamps")?.map(\.doubleValue) ?? []
        for (index, store) in stores.enumerated() {
            let timestamp = index < timestamps.count && !timestamps[index].isNaN ? timestamps[index] : nil
            marks[store] = HistoryMark(number: transactions[index].int64Value, timestamp: timestamp)
        }
        super.init()
    }

    open func encode(with coder: NSCoder) {
        let places = marks.sorted(byText: \.key)
        coder.encode(places.map(\.key) as NSArray, forKey: "stores")
        coder.encode(places.map { NSNumber(value: $0.value.number) } as NSArray, forKey: "transactionNumbers")
        // In the order of the stores; not a number where the time is not known.
        coder.encode(places.map { NSNumber(value: $0.value.timestamp ?? .nan) } as NSArray, forKey: "timestamps")
    }

    /// The beginning of every history.
    public override init() { super.init() }
}
